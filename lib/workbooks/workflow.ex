defmodule Workbooks.Workflow do
  @moduledoc ~S'''
  A workflow of components, run as a dataflow.

  A `:workflow:` headline holds `:component:` headlines. Each is a source block that takes what `:in` names and gives what
  `:out` names:

      iex> plan = """
      ...> * Greeting :workflow:
      ...> ** Shout :component:
      ...> #+begin_src sh :out loud:string
      ...> tr a-z A-Z
      ...> #+end_src
      ...> ** Count :component:
      ...> #+begin_src sh :in loud:string :out length:json
      ...> wc -c
      ...> #+end_src
      ...> """
      iex> {:ok, result} = Workbooks.Workflow.run({:org, plan}, "hello")
      iex> result
      %{workflow: "Greeting", exports: %{"length" => 5}, tasks: %{"Shout" => "HELLO", "Count" => 5}, workflows: []}

  Everything is built first, then it runs in waves, eight components at a time. `docs/workflows.md` has the rules: types,
  nesting, capabilities, failures.
  '''

  alias Workbooks.{Error, Policy, VFS}
  alias Workbooks.Workflow.{Build, Dataflow, Grants, Graph, Program, Source, Value}

  @type result :: %{
          workflow: String.t(),
          exports: %{String.t() => term},
          tasks: %{String.t() => term | {:error, String.t()}},
          workflows: [result]
        }

  @type option ::
          {:workflow, String.t()}
          | {:profile, Policy.name()}
          | {:vfs, VFS.t()}
          | {:session, map}
          | {:width, pos_integer}
          | {:timeout, pos_integer}
          | {:dir, Path.t()}

  @doc """
  Builds a workflow and runs it.

  `plan` is the path of a file or of a directory with a `workbook.org`; a text is given as `{:org, text}`. `input` goes to every
  component that has no `:in`: a text, or a term that becomes JSON.

  ## Options

    * `:workflow` - the title of the one to run, when the plan has several
    * `:profile` - the policy: what components may have, and how much of it; `:minimal` by default
    * `:vfs` - the disk that components see
    * `:session` - a map with `:id` and `:tenant`
    * `:width` - how many components run at once, 8 by default
    * `:timeout` - milliseconds for each component; it can lower the profile's time, not raise it
    * `:dir` - where a plan that is given as text lies, for `:dir` and `:file`

  ## Result

  `tasks` has the output of every component, or `{:error, why}`. A component whose producer failed fails with that reason;
  the others finish. `exports` are the values that nothing else consumes, as far as they were made. What was nested is in
  `workflows`, in the same shape.

  ## Errors

  | code | what happened |
  |---|---|
  | `:invalid_plan` | the plan does not cohere, see `Workbooks.OQL.validate/1`; `details` has the `:diagnostics` |
  | `:build_failed` | components cannot be built, and nothing has run; `details` has the `:failures`, each `%{component, why}` |
  | `:cycle` | components wait for each other; the message names them |
  | `:not_granted` | the profile does not grant what `:uses` asks for; `details.missing` names it |
  """
  @spec run(Source.plan(), term, [option]) :: {:ok, result} | {:error, Error.t()}
  def run(plan, input, opts \\ []) when is_list(opts) do
    with {:ok, options} <- options(opts),
         {:ok, source} <- Source.read(plan, options[:dir]),
         {:ok, graph} <- Program.compile(source.org, options[:workflow]),
         :ok <- Grants.check(graph, options[:profile]),
         {:ok, artifacts} <- Build.all(graph, source),
         do: perform(graph, artifacts, input, Map.new(options))
  end

  @doc "`run/3`, or an exception."
  @spec run!(Source.plan(), term, [option]) :: result
  def run!(plan, input, opts \\ []) do
    case run(plan, input, opts) do
      {:ok, result} -> result
      {:error, error} -> raise error
    end
  end

  @doc false
  # Of a workbook that is deployed: it was judged and built when it went live.
  @spec run_built(Graph.t(), %{[String.t()] => Build.artifact()}, term, map) ::
          {:ok, result} | {:error, Error.t()}
  def run_built(graph, artifacts, input, options) do
    with :ok <- Grants.check(graph, options.profile), do: perform(graph, artifacts, input, options)
  end

  defp perform(graph, artifacts, input, options) do
    context = %{
      profile: options.profile,
      vfs: options[:vfs],
      session: options[:session] || %{},
      version: options[:version],
      timeout: options[:timeout]
    }

    with {:ok, text} <- Value.given(input),
         do:
           {:ok, Dataflow.result(graph, Dataflow.run(graph, artifacts, text, context, options[:width] || 8))}
  end

  defp options(opts) do
    with :ok <- check_options(opts, [:workflow, :profile, :vfs, :session, :width, :timeout, :dir]),
         do: {:ok, Keyword.put_new(opts, :profile, :minimal)}
  end

  @doc false
  @spec check_options(keyword, [atom]) :: :ok | {:error, Error.t()}
  def check_options(opts, known) do
    case Enum.find(opts, fn {key, _} = option -> key not in known or not option?(option) end) do
      nil ->
        :ok

      wrong ->
        text = "no such option for a workflow: #{inspect([wrong], limit: 5, printable_limit: 100)}"
        {:error, Error.new(:bad_option, text, "see the options of Workbooks.Workflow.run/3")}
    end
  end

  defp option?({key, n}) when key in [:width, :timeout], do: is_integer(n) and n > 0
  defp option?({key, text}) when key in [:workflow, :dir], do: is_binary(text)
  defp option?({:vfs, %VFS{}}), do: true
  defp option?({:session, %{}}), do: true
  defp option?({:profile, name}), do: is_atom(name) or is_binary(name)
  defp option?(_), do: false
end
