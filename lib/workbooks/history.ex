defmodule Workbooks.History do
  @moduledoc ~S'''
  What a run leaves: every step and every verdict, durable before it is acknowledged.

      iex> dir = Path.join(System.tmp_dir!(), "history-doc-#{System.os_time()}")
      iex> File.mkdir_p!(dir)
      iex> plan = Path.join(dir, "plan.org")
      iex> File.write!(plan, "* TODO Ship\n")
      iex> {:ok, run} = Workbooks.History.open(plan, run_id: "run-1", history: dir <> "/history", ts: 1)
      iex> Workbooks.History.step(run, %{step: 1, tool: "sh", exit_code: 0, dur_ms: 3, ts: 2})
      :ok
      iex> Workbooks.History.verdict(run, %{task_id: "ship", state: "DONE", how: "true", ts: 3})
      {:ok, []}
      iex> Workbooks.History.states(run, [{"ship", "DONE"}], 4)
      {:ok, [[%{id: "ship", keyword: "DONE", cookies: []}]]}
      iex> Workbooks.History.close(run)
      {:ok, []}
      iex> {:ok, [row]} = Workbooks.Telemetry.history(plan, "ship", history: dir <> "/history")
      iex> row["state"]
      "DONE"
      iex> File.rm_rf!(dir)
      iex> :ok
      :ok

  The truth lives in the history directory: `history:`, or `config :workbooks, history_dir:`. No guest sees it. Copies are put beside the plan: `_telemetry.db`, `_steps.jsonl`, `_ledger.json`. `docs/history.md` has the layout,
  what survives what, and what is not promised.

  A recording belongs to the process that opened it. When that process ends, the plan is free for the next run.
  '''

  alias Workbooks.{Config, Error, JSON, Kernel, Native}

  @enforce_keys [:ref, :run_id, :plan, :found]
  defstruct @enforce_keys

  @typedoc """
  A run that is being recorded. `plan` is the plan's true path, links resolved; `found` says what opening could not put
  right, such as acknowledged lines that are gone.
  """
  @type t :: %__MODULE__{ref: Native.recording(), run_id: String.t(), plan: Path.t(), found: [String.t()]}

  @type warnings :: [String.t()]
  @type error :: {:error, Error.t()}

  @doc """
  Begins to record a run of a plan, or goes on with it after a crash. One run per plan at a time, in all OS processes: a
  second is an error with the code `:already_running` and the run's id in `details.run_id`.

  ## Options

    * `:run_id` - letters, digits, dots, dashes, underscores; required
    * `:ts` - the time, in milliseconds since 1970; required
    * `:history` - the history directory; by default the user's
  """
  @spec open(Path.t(), run_id: String.t(), ts: integer, history: Path.t()) :: {:ok, t} | error
  def open(plan, opts) when is_binary(plan) do
    {time, opts} = Keyword.split(opts, [:ts])
    ts = Keyword.fetch!(time, :ts)
    with {:ok, claimed} <- claim(plan, opts), do: record(claimed, ts)
  end

  @doc """
  Takes a plan for a run, which says at once whether somebody else runs it. Nothing is written before `record/2`, which
  waits for the disk. Takes the options of `open/2` without the time.
  """
  @spec claim(Path.t(), run_id: String.t(), history: Path.t()) :: {:ok, t} | error
  def claim(plan, opts) when is_binary(plan) do
    opts = Keyword.validate!(opts, [:run_id, history: nil])
    run_id = Keyword.fetch!(opts, :run_id)

    with {:ok, runtime} <- Kernel.runtime(),
         {:ok, dir} <- directory(opts[:history]),
         claim = %{plan: Path.expand(plan), run_id: run_id, history: dir},
         {:ok, {ref, plan}} <- Native.claim_history(runtime, claim),
         do: {:ok, %__MODULE__{ref: ref, run_id: run_id, plan: plan, found: []}}
  end

  @doc "The same, or raises."
  @spec claim!(Path.t(), run_id: String.t(), history: Path.t()) :: t
  def claim!(plan, opts), do: Error.bang(claim(plan, opts))

  @doc "The same as `record/2`, or raises."
  @spec record!(t, integer) :: t
  def record!(claimed, ts), do: Error.bang(record(claimed, ts))

  @doc "Begins to record what was claimed."
  @spec record(t, integer) :: {:ok, t} | error
  def record(%__MODULE__{ref: ref} = claimed, ts) do
    with {:ok, found} <- Native.call_history(ref, {:open, ts}), do: {:ok, %{claimed | found: found}}
  end

  @typedoc """
  A task that is not what was sealed, and that nobody has accepted: what changed, the same in words, and the ids of
  everything above it, which cannot be DONE until it is accepted.
  """
  @type amendment :: %{
          id: String.t(),
          title: String.t(),
          changes: [:gone | :keyword | :cancelled | :title | :moved | :check],
          reason: String.t(),
          above: [String.t()]
        }

  @changes Map.new([:gone, :keyword, :cancelled, :title, :moved, :check], &{Atom.to_string(&1), &1})

  @doc """
  Begins the work of a run: the plan is brought up to date with the verdicts of a run that was killed, and its outline is
  sealed into the log. Gives the plan's text, the amendments, the number of the last step, the headlines that have
  statistics cookies, and warnings.

  ## Options

    * `:accept` - the ids of amended tasks that a person accepts
    * `:by` - who that is
    * `:ts` - the time; required
  """
  @spec begin(t, accept: [String.t()], by: String.t(), ts: integer) ::
          {:ok,
           %{
             org: binary,
             amendments: [amendment],
             step: non_neg_integer,
             cookies: [headline],
             warnings: warnings
           }}
          | error
  def begin(%__MODULE__{ref: ref}, opts) do
    opts = Keyword.validate!(opts, [:ts, accept: [], by: ""])
    operation = {:begin, opts[:accept], opts[:by], Keyword.fetch!(opts, :ts)}

    with {:ok, {org, amendments, step, cookies, warnings}} <- Native.call_history(ref, operation) do
      {:ok,
       %{
         org: org,
         amendments: Enum.map(amendments, &amendment/1),
         step: step,
         cookies: Enum.map(cookies, &headline/1),
         warnings: warnings
       }}
    end
  end

  @typedoc "What a headline says about its state: its keyword, and its statistics cookies as they are written."
  @type headline :: %{id: String.t(), keyword: String.t() | nil, cookies: [String.t()]}

  defp headline({id, keyword, cookies}), do: %{id: id, keyword: keyword, cookies: cookies}

  @doc "The amendments of a plan that nobody has accepted: what a run of it would find now."
  @spec amendments(Path.t(), history: Path.t()) :: {:ok, [amendment]} | error
  def amendments(plan, opts \\ []) do
    with {:ok, found} <- ask({:amendments, Path.expand(plan)}, opts), do: {:ok, Enum.map(found, &amendment/1)}
  end

  @doc """
  Records that a person accepts amendments of a plan that is not being run. Gives those that are left.

  ## Options

    * `:by` - who it is; required
    * `:ts` - the time; required
    * `:history` - the history directory; by default the user's
  """
  @spec accept(Path.t(), [String.t()], keyword) :: {:ok, [amendment]} | error
  def accept(plan, ids, opts) do
    {order, opts} = Keyword.split(opts, [:by, :ts])
    question = {:accept, Path.expand(plan), ids, Keyword.fetch!(order, :by), Keyword.fetch!(order, :ts)}
    with {:ok, left} <- ask(question, opts), do: {:ok, Enum.map(left, &amendment/1)}
  end

  defp amendment(found) do
    %{
      id: found["id"],
      title: found["title"],
      changes: Enum.map(found["changes"], &Map.fetch!(@changes, &1)),
      reason: found["reason"],
      above: found["above"]
    }
  end

  @doc "The text of the plan if somebody else changed it since the run last read or wrote it, else `nil`."
  @spec edited(t) :: {:ok, binary | nil} | error
  def edited(%__MODULE__{ref: ref}), do: Native.call_history(ref, :edited)

  @doc """
  Writes the keywords of tasks into the plan, if its text is the one that the run last read or wrote. Gives for each task
  its headline and those above it, as they are now. Otherwise the plan stays as it is: `{:changed, current}`, and that is
  the text that the next call takes it to have.
  """
  @spec states(t, [{String.t(), String.t()}], integer) :: {:ok, [[headline]]} | {:changed, binary} | error
  def states(%__MODULE__{ref: ref}, states, ts) do
    case Native.call_history(ref, {:states, states, ts}) do
      {:ok, lines} when is_list(lines) -> {:ok, for(line <- lines, do: Enum.map(line, &headline/1))}
      changed -> exchanged(changed)
    end
  end

  @doc "What is wrong with the logs of a plan's runs: `\"run_id\"`, `\"kind\"`, `\"message\"`, `\"line\"`."
  @spec problems(Path.t(), history: Path.t()) :: {:ok, [map]} | error
  def problems(plan, opts \\ []), do: ask({:problems, Path.expand(plan)}, opts)

  @doc """
  Records a step: `ts`, and `step`, `tool`, `exit_code`, `error`, `dur_ms` where they are known. Other fields go into the
  log as they are.

  It survives the end of the VM at once, and the power going off with the next verdict.
  """
  @spec step(t, map) :: :ok | error
  def step(%__MODULE__{ref: ref}, %{} = step) do
    with {:ok, json} <- encode(step),
         {:ok, _warnings} <- Native.call_history(ref, {:step, json}),
         do: :ok
  end

  @doc """
  Records a verdict, or several at the cost of one: `task_id`, `state`, `ts`, and `idx`, `title`, `output`, `reason`, `how`
  where they are known. A state may be an atom: `:done` is `DONE`.

  What it says is on the disk when it returns. If the machine has no room, the warnings say so, and the next verdict tries
  again; the run goes on.
  """
  @spec verdict(t, map | [map]) :: {:ok, warnings} | error
  def verdict(%__MODULE__{ref: ref}, verdicts) do
    with {:ok, jsons} <- verdicts |> List.wrap() |> encode_all([]),
         do: Native.call_history(ref, {:verdicts, jsons})
  end

  @doc """
  Makes `new` the text of the plan if `expected` is its text now. Otherwise the plan stays as it is: `{:changed, current}`.

  Given a recording it writes where the plan was when the run began, and follows no link that has been put there since.
  """
  @spec exchange(t | Path.t(), binary, binary) :: :ok | {:changed, binary} | error
  def exchange(%__MODULE__{ref: ref}, expected, new),
    do: exchanged(Native.call_history(ref, {:exchange, expected, new}))

  def exchange(plan, expected, new) when is_binary(plan) do
    with {:ok, runtime} <- Kernel.runtime(),
         do: exchanged(Native.exchange_plan(runtime, Path.expand(plan), expected, new))
  end

  @doc "Saves, seals and publishes everything now."
  @spec seal(t, integer) :: {:ok, warnings} | error
  def seal(%__MODULE__{ref: ref}, ts), do: Native.call_history(ref, {:seal, ts})

  @doc "Ends the recording: everything is saved, sealed and published, and the plan is free."
  @spec close(t) :: {:ok, warnings} | error
  def close(%__MODULE__{ref: ref}), do: Native.call_history(ref, :close)

  @doc """
  The newest verdict on each task of a plan, from the truth: what a DONE in the plan has to stand on.

  A plan that was never run is an error with the code `:no_history`.
  """
  @spec last_verdicts(Path.t(), history: Path.t()) :: {:ok, [map]} | error
  def last_verdicts(plan, opts \\ []), do: ask({:last_verdicts, Path.expand(plan)}, opts)

  @doc ~S(The runs of a plan, the oldest first: `"run_id"`, `"lines"`, `"started"`, `"closed"`.)
  @spec runs(Path.t(), history: Path.t()) :: {:ok, [map]} | error
  def runs(at, opts \\ []), do: ask({:runs, Path.expand(at)}, opts)

  @doc false
  @spec ask(tuple | :did, keyword) :: {:ok, term} | error
  def ask(question, opts) do
    [history: dir] = Keyword.validate!(opts, history: nil)

    with {:ok, runtime} <- Kernel.runtime(),
         {:ok, dir} <- directory(dir),
         do: Native.ask_history(runtime, dir, question)
  end

  @doc """
  The history directory that is meant: the one named, or for `nil` `config :workbooks, history_dir:`, which is
  `workbooks/history` in the user's state directory when it is not given.
  """
  @spec directory(Path.t() | nil) :: {:ok, Path.t()} | error
  def directory(nil), do: Config.dir(Config.current(), :history_dir)
  def directory(dir), do: {:ok, Path.expand(dir)}

  defp exchanged({:ok, :ok}), do: :ok
  defp exchanged({:ok, current}), do: {:changed, current}
  defp exchanged(error), do: error

  defp encode_all([], jsons), do: {:ok, Enum.reverse(jsons)}

  defp encode_all([verdict | rest], jsons) do
    with {:ok, json} <- verdict |> Map.new(&spell/1) |> encode(), do: encode_all(rest, [json | jsons])
  end

  defp spell({:state, state}) when is_atom(state), do: {:state, state |> Atom.to_string() |> String.upcase()}

  defp spell({key, text}) when key in [:output, :reason, :how] and not is_nil(text),
    do: {key, if(is_binary(text) or is_atom(text), do: text, else: inspect(text))}

  defp spell(field), do: field

  defp encode(fields), do: fields |> plain() |> JSON.encode()

  # Nothing that a worker said may keep a run from being recorded.
  defp plain(text) when is_binary(text) do
    if String.valid?(text), do: text, else: text |> String.chunk(:valid) |> Enum.map_join(&valid/1)
  end

  defp plain(term) when is_atom(term) or is_number(term), do: term

  defp plain(list) when is_list(list),
    do: if(List.improper?(list), do: inspect(list), else: Enum.map(list, &plain/1))

  defp plain(map) when is_map(map) and not is_struct(map),
    do: Map.new(map, fn {key, value} -> {key(key), plain(value)} end)

  defp plain(term), do: inspect(term)

  defp key(key) when is_binary(key), do: plain(key)
  defp key(key) when is_atom(key), do: key
  defp key(key), do: inspect(key)

  defp valid(chunk), do: if(String.valid?(chunk), do: chunk, else: "\uFFFD")

  use Workbooks.Bang,
    open: 2,
    begin: 2,
    amendments: 1,
    amendments: 2,
    accept: 3,
    edited: 1,
    problems: 1,
    problems: 2,
    step: 2,
    verdict: 2,
    seal: 2,
    close: 1,
    last_verdicts: 1,
    last_verdicts: 2,
    runs: 1,
    runs: 2,
    directory: 1
end
