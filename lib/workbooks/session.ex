defmodule Workbooks.Session do
  @moduledoc ~S'''
  Durable agent sessions: one step at a time, each advance recorded once, nothing lost.

      iex> dir = Path.join(System.tmp_dir!(), "session-doc-#{System.os_time()}")
      iex> {:ok, sessions} = Workbooks.Session.open(dir)
      iex> plan = "#+WORKFLOW: project.note 1.0.0\n* TODO Think\n* TODO Write it down\n"
      iex> {:ok, first} = Workbooks.Session.start(sessions, plan)
      iex> first["pending"]["stepId"]
      "think"
      iex> {:ok, second} = Workbooks.Session.continue(sessions, first["token"], notes: "thought about it")
      iex> second["pending"]["stepId"]
      "write-it-down"
      iex> # The chat was lost, and the call is made again: the same answer, and nothing advances twice.
      iex> Workbooks.Session.continue(sessions, first["token"]) == {:ok, second}
      true
      iex> {:ok, [offer]} = Workbooks.Session.resume(sessions, "thought")
      iex> offer["whyMatched"]
      ["matched_notes"]
      iex> File.rm_rf!(dir) && :ok
      :ok

  Answers are maps with string keys, as every door gives them; `docs/sessions.md` says what is in them. A session lives
  in a directory, not in a process: many processes, also of other systems, may use it, one writer at a time. Who comes
  second gets `:token_session_locked`, whose `details.retry` says when to try again.

  A step's check runs in the WASM shell, before the session is locked, in the directory that was pinned when the session
  started: the `:workdir` of `open/2`. Answers are short: `pending`, `token`, `nextIntent`, `status`, `workflow`, and what is
  new. `full: true` tells the rest. The functions here are the operations
  `session.*` of `docs/reference/operations.md`; each that can fail has a twin with `!`.
  '''

  import Kernel, except: [inspect: 1, inspect: 2]

  alias Workbooks.{Config, Error, JSON, Kernel, Native, Operations}

  @enforce_keys [:ref, :workdir]
  defstruct [:ref, :workdir]

  @opaque t :: %__MODULE__{ref: Native.sessions(), workdir: Path.t()}
  @type answer :: %{String.t() => term}
  @type result :: {:ok, answer} | {:error, Error.t()}

  @doc """
  Opens the sessions in a directory, and makes it when there is none. `nil` is `config :workbooks, sessions_dir:`.

  `:workdir` is the directory that checks of sessions started here see, the current one by default.
  """
  @spec open(Path.t() | nil, workdir: Path.t()) :: {:ok, t} | {:error, Error.t()}
  def open(dir \\ nil, opts \\ []) when is_binary(dir) or is_nil(dir) do
    opts = Keyword.validate!(opts, workdir: ".")

    with {:ok, runtime} <- Kernel.runtime(),
         {:ok, dir} <- directory(dir),
         {:ok, ref} <- Native.open_sessions(runtime, dir),
         do: {:ok, %__MODULE__{ref: ref, workdir: Path.expand(opts[:workdir])}}
  end

  defp directory(nil), do: Config.dir(Config.current(), :sessions_dir)
  defp directory(dir), do: {:ok, Path.expand(dir)}

  @doc """
  Starts a run of a workflow, given as its text in JSON or Org, in a new session.

  ## Options

    * `:context` - what the run is about, a map
    * `:preferences` - `%{autonomy: .., riskPolicy: ..}`
    * `:observations` - `%{git_branch: .., git_head_sha: .., repo_root: ..}`
    * `:kind`, `:reference` - where the text came from; `:library` - texts of workflows whose templates it uses
    * `:plan` - the Org plan that the text was read from: what its history proves done is skipped
    * `:write_plan` - whether verdicts are written into the plan, and into its ledger
    * `:title`, `:goal` - for people; `:parent` - a token of the session whose step this one works for
    * `:full` - whether the answer tells everything

  A workflow of the catalogue is started by its id: `start(sessions, {:id, "wb.research"})`.
  """
  @spec start(t, String.t() | {:id, String.t()}, keyword) :: result
  def start(sessions, workflow, opts \\ []) do
    known = [:context, :preferences, :observations, :plan, :title, :goal, :parent, :full]
    opts = Keyword.validate!(opts, known ++ [:kind, :reference, :library, :write_plan])
    {source, rest} = Keyword.split(opts, [:kind, :reference, :library])
    {write, rest} = Keyword.pop(rest, :write_plan)

    params =
      rest
      |> Map.new()
      |> Map.put(:workflow, Map.merge(sent(workflow), Map.new(source)))
      |> put(:writePlan, write)

    call(sessions, "start", params)
  end

  defp sent({:id, id}), do: %{id: id}
  defp sent(text) when is_binary(text), do: %{text: text}

  @doc """
  Completes the pending step. The same token always gives the same answer.

  ## Options

    * `:notes`, `:artifacts`, `:supersedes` - what the step gave
    * `:context` - merged at the top; `nil` deletes a key
    * `:preferences`, `:capabilities`, `:divergence`, `:resolves_gaps`, `:observations` - see `docs/sessions.md`
    * `:ack_token` - when the token is a state token
    * `:full` - whether the answer tells everything, not only the step and what is new
    * `:check` - a function of the check that gives `{:pass, how}` or `{:fail, reason}`; the WASM shell by default
  """
  @spec continue(t, String.t(), keyword) :: result
  def continue(sessions, token, opts \\ []) do
    known = [:context, :preferences, :capabilities, :divergence, :observations, :full]
    output = [:notes, :artifacts, :supersedes]
    opts = Keyword.validate!(opts, known ++ output ++ [:resolves_gaps, :ack_token, :check])

    params =
      opts
      |> Keyword.take(known)
      |> Map.new()
      |> Map.merge(%{token: token, intent: "advance", output: Map.new(Keyword.take(opts, output))})
      |> put(:resolvesGaps, opts[:resolves_gaps])
      |> put(:ackToken, opts[:ack_token])

    case opts[:check] do
      nil ->
        call(sessions, "continue", params)

      check ->
        with {:ok, pending} <- call(sessions, "check", params),
             do: call(sessions, "continue", params, verdict: verdict(pending, check))
    end
  end

  @doc "Tells where the run stands, with the notes so far. Nothing is written. `full: true` tells everything."
  @spec rehydrate(t, String.t(), full: boolean) :: result
  def rehydrate(sessions, token, opts \\ []) do
    [full: full] = Keyword.validate!(opts, full: false)
    call(sessions, "continue", %{token: token, intent: "rehydrate", full: full})
  end

  @doc "Keeps notes at the pending step, which stays pending."
  @spec checkpoint(t, String.t(), String.t() | nil) :: result
  def checkpoint(sessions, token, notes \\ nil),
    do: call(sessions, "checkpoint", put(%{token: token}, :notes, notes))

  @doc """
  The sessions that fit best, the best first: a text, or a map with `:text`, `:gitHeadSha`, `:gitBranch`, `:workflowId`.
  """
  @spec resume(t, String.t() | map) :: {:ok, [answer]} | {:error, Error.t()}
  def resume(sessions, query \\ %{})
  def resume(sessions, text) when is_binary(text), do: resume(sessions, %{text: text})

  def resume(sessions, query) when is_map(query) do
    with {:ok, %{"candidates" => found}} <- call(sessions, "resume", query), do: {:ok, found}
  end

  @doc "A token to go on from a node, or from the preferred tip. Nothing is written."
  @spec rewind(t, String.t(), String.t() | nil) :: result
  def rewind(sessions, session, node \\ nil),
    do: call(sessions, "rewind", put(%{sessionId: session}, :nodeId, node))

  @doc """
  The sessions in a line each, the latest written first.

  `:limit` is 50 by default; `:since` and `:before` are milliseconds since 1970; `:parent` is a session's id.
  """
  @spec list(t, keyword) :: {:ok, [answer]} | {:error, Error.t()}
  def list(sessions, opts \\ []) do
    params = Map.new(Keyword.validate!(opts, [:limit, :since, :before, :parent]))
    with {:ok, %{"sessions" => all}} <- call(sessions, "list", params), do: {:ok, all}
  end

  @doc "The workflows that can be started by their id. `tag:` shows only those with this tag."
  @spec workflows(t, tag: String.t()) :: {:ok, [answer]} | {:error, Error.t()}
  def workflows(sessions, opts \\ []) do
    params = Map.new(Keyword.validate!(opts, [:tag]))
    with {:ok, %{"workflows" => all}} <- call(sessions, "workflows", params), do: {:ok, all}
  end

  @doc "Every prompt of a workflow, for its author. `context:` fills them."
  @spec preview(t, String.t() | {:id, String.t()}, context: map) :: result
  def preview(sessions, workflow, opts \\ []) do
    [context: context] = Keyword.validate!(opts, context: %{})
    call(sessions, "preview", %{workflow: sent(workflow), context: context})
  end

  @doc """
  What the operator lets agents do; with options, it is changed first: `:mostAutonomy`, `:agentAutonomy`, `:agentRisk`,
  `:libraries` (directories of workflows that count as bundled).
  """
  @spec policy(t, keyword) :: result
  def policy(sessions, changes \\ []), do: call(sessions, "policy", Map.new(changes))

  @doc "Binds the checks of a session to another directory, as the operator. It is recorded."
  @spec pin(t, String.t(), Path.t()) :: result
  def pin(sessions, session, dir), do: call(sessions, "pin", %{sessionId: session, workdir: Path.expand(dir)})

  @doc "Moves a damaged session aside, whole. Nothing is deleted."
  @spec quarantine(t, String.t()) :: result
  def quarantine(sessions, session), do: call(sessions, "quarantine", %{sessionId: session})

  @doc "Puts the valid beginning of a damaged session in its place. The damaged files are moved aside."
  @spec repair(t, String.t()) :: result
  def repair(sessions, session), do: call(sessions, "repair", %{sessionId: session})

  @doc "Deletes a session, or what was moved aside of it."
  @spec delete(t, String.t()) :: result
  def delete(sessions, session), do: call(sessions, "delete", %{sessionId: session})

  @doc "A session in full. With `workflow:`, the source as it is now, the answer says whether it has drifted."
  @spec inspect(t, String.t(), workflow: String.t()) :: result
  def inspect(sessions, session, opts \\ []) do
    [workflow: text] = Keyword.validate!(opts, workflow: nil)
    call(sessions, "inspect", put(%{sessionId: session}, :workflow, text && sent(text)))
  end

  @doc "A session as the text of one file."
  @spec export(t, String.t()) :: {:ok, String.t()} | {:error, Error.t()}
  def export(sessions, session), do: call(sessions, "export", %{sessionId: session}, as: :json)

  @doc "Puts the session of a bundle in place, under another name when its own is taken."
  @spec import(t, String.t()) :: result
  def import(sessions, bundle) when is_binary(bundle) do
    case JSON.decode(bundle) do
      {:ok, bundle} ->
        call(sessions, "import", %{bundle: bundle})

      {:error, %Error{message: message}} ->
        {:error, Error.new(:bundle_invalid_format, "the bundle is not JSON: #{message}", "export it again")}
    end
  end

  @doc "Compiles a workflow, and gives its hash, its compiled form and the warnings."
  @spec compile(t, String.t() | {:id, String.t()}) :: result
  def compile(sessions, workflow), do: call(sessions, "compile", sent(workflow))

  @doc "Reads all of a session again, and says what was found."
  @spec verify(t, String.t()) :: result
  def verify(sessions, session), do: call(sessions, "verify", %{sessionId: session})

  @doc """
  Deletes sessions that were not written for `:ttl_days`, and then what no session needs. `dry_run: true` only says what
  would go.
  """
  @spec gc(t, ttl_days: pos_integer, dry_run: boolean) :: result
  def gc(sessions, opts \\ []) do
    opts = Keyword.validate!(opts, ttl_days: nil, dry_run: false)
    call(sessions, "gc", put(%{dryRun: opts[:dry_run]}, :ttlDays, opts[:ttl_days]))
  end

  @doc "Says that a session never expires, or that it does."
  @spec keep(t, String.t(), boolean) :: result
  def keep(sessions, session, keep \\ true), do: call(sessions, "keep", %{sessionId: session, keep: keep})

  @doc "Makes a fresh key for tokens. Those of the key before hold until the next rotation."
  @spec rotate_keys(t) :: result
  def rotate_keys(sessions), do: call(sessions, "rotate_keys", %{})

  for {name, arity} <- [
        open: 1,
        open: 2,
        start: 2,
        start: 3,
        continue: 2,
        continue: 3,
        rehydrate: 2,
        rehydrate: 3,
        checkpoint: 2,
        checkpoint: 3,
        resume: 1,
        resume: 2,
        rewind: 2,
        rewind: 3,
        list: 1,
        list: 2,
        workflows: 1,
        workflows: 2,
        preview: 2,
        preview: 3,
        policy: 1,
        policy: 2,
        pin: 3,
        quarantine: 2,
        repair: 2,
        delete: 2,
        inspect: 2,
        inspect: 3,
        export: 2,
        import: 2,
        compile: 2,
        verify: 2,
        gc: 1,
        gc: 2,
        keep: 2,
        keep: 3,
        rotate_keys: 1
      ] do
    args = Macro.generate_arguments(arity, __MODULE__)
    @doc "`#{name}/#{arity}`, or it raises."
    def unquote(:"#{name}!")(unquote_splicing(args)),
      do: Error.bang(apply(__MODULE__, unquote(name), [unquote_splicing(args)]))
  end

  defp call(%__MODULE__{ref: ref, workdir: workdir}, verb, params, opts \\ []),
    do: Operations.call("session." <> verb, params, [sessions: ref, workdir: workdir] ++ opts)

  # No check is pending, or the call was answered before.
  defp verdict(nil, _check), do: nil

  defp verdict(pending, check) do
    case check.(pending) do
      {:pass, _how} -> %{verdict: "pass"}
      {:fail, reason} -> %{verdict: "fail", reason: to_string(reason)}
    end
  end

  defp put(map, _key, nil), do: map
  defp put(map, key, value), do: Map.put(map, key, value)
end
