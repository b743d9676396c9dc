defmodule Workbooks.Toolkits do
  @moduledoc """
  Toolkits: a manifest, skills to read on demand, and what is built from them.

      iex> {:ok, toolkits} = Workbooks.Toolkits.list()
      iex> Enum.map(toolkits, & &1["id"])
      ["contents", "csv", "levels", "plans", "quakes", "tally"]
      iex> {:ok, skill} = Workbooks.Toolkits.show_skill("plans", "overview")
      iex> skill =~ "A task is DONE when its check passes"
      true

  They are found in `WB_TOOLKITS_ROOT`, if that is a directory, else in `config :workbooks, toolkits_root:`, else in
  `toolkits` or `../toolkits`. That directory is untrusted: reading is open, executing is gated. A recipe runs only where
  `WB_TOOLKIT_EXEC` is 1, and in the WASM shell. A third-party toolkit builds and runs only with a signature that holds and
  a grant of its capabilities. `docs/toolkits.md` has the manifest, the shapes and the rules.

  Every function takes `:root`, another directory of toolkits, and answers with maps that have string keys, as the command
  line does. They are the operations `toolkit.*` of `docs/reference/operations.md`; each has a twin with `!`. A build for
  which there is no compiler is the error `:lane_unavailable`: its hint says what to do, its `details` have the `:lang`.
  """

  alias Workbooks.{Error, Instance, Operations, Policy}
  alias Workbooks.Toolkits.{Audit, Http, Import, Source}

  @type id :: String.t()
  @type error :: {:error, Error.t()}
  @type option :: {:root, Path.t()}

  @doc "Makes a toolkit of an existing tool, see `Workbooks.Toolkits.Import`."
  @spec import(Path.t(), keyword) :: {:ok, Import.imported()} | {:error, Error.t()}
  defdelegate import(source, opts \\ []), to: Import, as: :run

  @doc "Says which scripts of a toolkit run in the sandbox, see `Workbooks.Toolkits.Audit`."
  @spec audit(Path.t(), keyword) :: {:ok, Audit.report()} | {:error, Error.t()}
  defdelegate audit(dir, opts \\ []), to: Audit, as: :run

  @doc "Every toolkit: `id`, `title`, `cli`, `status`, `skill_dir` and `tagline`."
  @spec list([option]) :: {:ok, [map]} | error
  def list(opts \\ []), do: ask("list", %{}, opts)

  @doc "A toolkit: its manifest, the index of its skills, its recipes."
  @spec show(id, [option]) :: {:ok, map} | error
  def show(id, opts \\ []) when is_binary(id), do: ask("show", %{id: id}, opts)

  @doc """
  The text of a skill.

      iex> {:error, error} = Workbooks.Toolkits.show_skill("plans", "../manifest")
      iex> error.code
      :invalid_name
  """
  @spec show_skill(id, String.t(), [option]) :: {:ok, String.t()} | error
  def show_skill(id, skill, opts \\ []) when is_binary(id) and is_binary(skill) do
    with {:ok, %{"text" => text}} <- ask("skill", %{id: id, skill: skill}, opts), do: {:ok, text}
  end

  @doc "Lines of manifests and skills that have all the words."
  @spec search(String.t(), [option]) :: {:ok, [map]} | error
  def search(query, opts \\ []) when is_binary(query), do: ask("search", %{query: query}, opts)

  @doc """
  What an agent is told about its toolkits: one line for each that its `:agent:` node names in `:TOOLKITS:`, with up to 8
  skills.

      iex> org = "* Helper :agent:\\n:PROPERTIES:\\n:ID: helper\\n:TOOLKITS: tally nobody\\n:END:\\n"
      iex> Workbooks.Toolkits.injection_text(org, "helper")
      {:ok, "- tally: Reach for it to count words, lines and repeated values in text files [skills: overview in-checks]\\n"}
  """
  @spec injection_text(String.t(), String.t(), [option]) :: {:ok, String.t()} | error
  def injection_text(org, agent, opts \\ []) when is_binary(org) and is_binary(agent),
    do: with({:ok, %{"text" => text}} <- ask("inject", %{org: org, agent: agent}, opts), do: {:ok, text})

  @doc """
  Says of each promise of a toolkit whether it is kept: `ok`, the `findings`, and the `text` with a ✓ or ✗ for each.

      iex> {:ok, plans} = Workbooks.Toolkits.verify("plans")
      iex> plans["ok"]
      true
      iex> plans["text"] =~ "✓ exec: none declared (discovery-only toolkit)"
      true
  """
  @spec verify(id, [option]) :: {:ok, map} | error
  def verify(id, opts \\ []) when is_binary(id), do: ask("verify", %{id: id}, opts)

  @doc "Signs every file of a toolkit with the user's key, or with the one of `:history`."
  @spec sign(id, [option | {:history, Path.t()}]) :: {:ok, map} | error
  def sign(id, opts \\ []) when is_binary(id), do: ask("sign", %{id: id}, opts)

  @doc "Records that a third-party toolkit may use these capabilities, for its content as it is now."
  @spec grant(id, [String.t() | atom], [option]) :: {:ok, map} | error
  def grant(id, caps, opts \\ []) when is_binary(id) and is_list(caps),
    do: ask("grant", %{id: id, caps: Enum.map(caps, &to_string/1)}, opts)

  @doc """
  Builds what a toolkit declares, inside WASM, and registers it. What `wasm:` and `archive:` name by http is fetched, and
  has to have the hash that the manifest pins.

  ## Options

    * `:which` - the artifact; a toolkit has one
    * `:from` - a file that was fetched already
    * `:fetch` - a function of a URL that gives `{:ok, body}`; `Workbooks.Toolkits.Http` by default
  """
  @spec build(id, keyword) :: {:ok, map} | error
  def build(id, opts \\ []) when is_binary(id) do
    {order, opts} = Keyword.split(opts, [:which, :from])
    {fetch, opts} = Keyword.pop(opts, :fetch, &Http.get(&1, []))
    order = order |> Map.new() |> Map.put(:id, id)

    with {:error, %Error{code: :not_fetched}} <- ask("build", order, opts) do
      Source.fetched(id, fetch, opts, &ask("build", Map.put(order, :from, &1), opts))
    end
  end

  @doc """
  Runs a recipe in the WASM shell: its `stdout`, `stderr` and `status`.

  ## Options

    * `:workdir` - the directory that becomes `/`, the current one by default
    * `:stdin` - a text
  """
  @spec run(id, String.t(), [String.t()], keyword) :: {:ok, map} | error
  def run(id, task, args \\ [], opts \\ []) when is_binary(id) and is_binary(task) and is_list(args) do
    {order, opts} = Keyword.split(opts, [:workdir, :stdin])
    ask("run", order |> Map.new() |> Map.merge(%{id: id, task: task, args: args}), opts)
  end

  @doc """
  Calls the component of a toolkit, with the options of `Workbooks.Instance.run/3`. A third-party one is given the
  capabilities that were granted to it and that the profile has, and no others.
  """
  @spec call(id, String.t(), keyword) :: {:ok, String.t()} | error
  def call(id, input, opts \\ []) when is_binary(id) and is_binary(input) do
    {place, opts} = Keyword.split(opts, [:root])

    with {:ok, %{"path" => path, "caps" => caps}} <- ask("component", %{id: id}, place),
         do: Instance.run(path, input, narrowed(opts, caps))
  end

  defp narrowed(opts, nil), do: opts

  defp narrowed(opts, caps) do
    granted = Policy.capabilities(Keyword.get(opts, :profile, :compute))
    Keyword.put(opts, :capabilities, Enum.filter(caps, &(&1 in granted)))
  end

  @doc """
  Asks a federation in SQL: `SELECT .. FROM entity`. The answer has `columns` and `rows`.

  ## Options

    * `:profile` - `:network` by default; it has to grant `net`
    * `:fetch` - a function of a URL and headers that gives `{:ok, body}`; `Workbooks.Toolkits.Http` by default
    * `:env` - where the values of `ENV_KEYS` come from, the environment by default
  """
  @spec query(id, String.t(), keyword) :: {:ok, map} | error
  def query(id, sql, opts \\ []) when is_binary(id) and is_binary(sql) do
    with {:ok, answer, place} <- Source.fetch(id, opts),
         do: ask("select", %{id: id, answer: answer, sql: sql}, place)
  end

  @doc false
  @spec ask(String.t(), map, keyword) :: {:ok, term} | error
  def ask(verb, params, opts) do
    with {:ok, opts} <- place(opts), do: Operations.call("toolkit." <> verb, params, opts)
  end

  defp place(opts) do
    case Keyword.split(opts, [:root, :history]) do
      {known, []} -> there(known[:root], history: known[:history])
      {_, [{key, value} | _]} -> {:error, unknown(key, value)}
    end
  end

  # Whoever names a directory means that one and no other.
  defp there(nil, opts), do: {:ok, opts}

  defp there(root, opts) do
    if is_binary(root) and File.dir?(root),
      do: {:ok, [toolkits: Path.expand(root)] ++ opts},
      else: {:error, Error.new(:no_toolkits, "#{inspect(root)} is not a directory", "check the option :root")}
  end

  defp unknown(key, value) do
    text = "no such option for a toolkit: #{inspect([{key, value}], limit: 5)}"
    Error.new(:bad_option, text, "see the options of Workbooks.Toolkits")
  end

  for {name, arity} <- [
        import: 1,
        import: 2,
        audit: 1,
        audit: 2,
        list: 0,
        list: 1,
        show: 1,
        show: 2,
        show_skill: 2,
        show_skill: 3,
        search: 1,
        search: 2,
        injection_text: 2,
        injection_text: 3,
        verify: 1,
        verify: 2,
        sign: 1,
        sign: 2,
        grant: 2,
        grant: 3,
        build: 1,
        build: 2,
        run: 2,
        run: 3,
        run: 4,
        call: 2,
        call: 3,
        query: 2,
        query: 3
      ] do
    args = Macro.generate_arguments(arity, __MODULE__)
    @doc "`#{name}/#{arity}`, or it raises."
    def unquote(:"#{name}!")(unquote_splicing(args)),
      do: Error.bang(apply(__MODULE__, unquote(name), [unquote_splicing(args)]))
  end
end
