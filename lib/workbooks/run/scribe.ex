defmodule Workbooks.Run.Scribe do
  @moduledoc false
  # Writes down what a run decides: into the history first, into the plan after. A verdict that is in the plan is in the
  # history; whoever hears of a verdict can read it in both. A process that is killed in between leaves a task that looks
  # undone, and is done again.
  #
  # Verdicts that come while one is being written are written together: one sync of the log, one exchange of the plan.

  use GenServer

  alias Workbooks.{Error, History, OQL, Telemetry}
  alias Workbooks.Run.{Amendments, Options, PlanFile}

  @enforce_keys [:server, :options]
  defstruct [:server, :options, :history, :text, edited: false, step: 0, batch: [], owed: []]

  @type entry :: %{key: term, item: map, verdict: map}

  # Others may write the plan as well; whoever loses this many races in a row meets a program that writes without pause.
  @races 100
  # What may be over in a moment: a kernel without time, a disk without room.
  @passing [:too_complex, :busy, :cancelled, :kernel_crashed, :io, :disk_full]
  @tries 5
  @pause 20
  @keywords %{done: "DONE", failed: "FAILED", partial: "PARTIAL"}

  @spec start_link(Options.t()) :: GenServer.on_start()
  def start_link(options), do: GenServer.start_link(__MODULE__, {self(), options})

  @doc "Takes the plan's lock and opens its history. Gives the plan's text, and what opening found wrong."
  @spec open(pid) :: {:ok, OQL.org(), [String.t()]} | {:error, Error.t() | {:already_running, String.t()}}
  def open(scribe), do: GenServer.call(scribe, :open, :infinity)

  @doc "Notes a step."
  @spec step(pid, map) :: :ok
  def step(scribe, step), do: GenServer.cast(scribe, {:step, step})

  @doc "Writes a verdict. The server hears `{:recorded, [{key, outcome, reason, warnings}]}`."
  @spec verdict(pid, entry) :: :ok
  def verdict(scribe, entry), do: GenServer.cast(scribe, {:verdict, entry})

  @doc "Seals and closes the history; the plan is free. Gives the plan's text and warnings."
  @spec close(pid) :: {OQL.org() | nil, [String.t()]}
  def close(scribe), do: GenServer.call(scribe, :close, :infinity)

  @impl true
  def init({server, options}), do: {:ok, %__MODULE__{server: server, options: options}}

  @impl true
  def handle_call(:open, _from, %{options: options} = state) do
    opts =
      [run_id: options.run_id, ts: options.clock.()] ++
        if(options.history, do: [history: options.history], else: [])

    with {:ok, history} <- History.open(options.plan, opts),
         {:ok, text} <- PlanFile.read(history.plan),
         {:ok, step} <- last_step(history, options) do
      {:reply, {:ok, text, history.found}, %{state | history: history, text: text, step: step}}
    else
      error -> {:reply, refusal(error), state}
    end
  end

  def handle_call(:close, _from, state) do
    state = flush(state)
    {state, owing} = pay(state)
    warnings = owing ++ with {:ok, warnings} <- History.close(state.history), do: warnings, else: (_ -> [])
    text = with {:ok, text} <- PlanFile.read(state.history.plan), do: text, else: (_ -> nil)
    {:stop, :normal, {text, warnings}, state}
  end

  # The time-out comes when nothing else is in the mailbox.
  @impl true
  def handle_cast({:verdict, entry}, state), do: {:noreply, %{state | batch: [entry | state.batch]}, 0}

  def handle_cast({:step, step}, state) do
    n = state.step + 1
    History.step(state.history, Map.merge(step, %{step: n, ts: state.options.clock.()}))
    {:noreply, %{state | step: n}, 0}
  end

  @impl true
  def handle_info(:timeout, state), do: {:noreply, flush(state)}

  defp flush(%{batch: []} = state), do: state

  defp flush(state) do
    batch = Enum.reverse(state.batch)
    {written, entries, warnings, state} = write(state.owed ++ batch, state, [], {@races, @tries})
    new = MapSet.new(batch, & &1.key)
    warnings = warnings ++ unwritten(written)
    send(state.server, {:recorded, entries |> Enum.filter(&(&1.key in new)) |> Enum.map(&told(&1, warnings))})
    %{state | batch: [], owed: if(written == :ok, do: [], else: entries)}
  end

  # What could not be written into the plan is tried again with the next verdict, and at the end.
  defp pay(%{owed: []} = state), do: {state, []}

  defp pay(state) do
    {written, _entries, warnings, state} = write(state.owed, state, [], {@races, @tries})
    {state, warnings ++ unwritten(written)}
  end

  defp unwritten(:ok), do: []
  defp unwritten({:changed, _}), do: ["the plan could not be written: it changes without pause"]
  defp unwritten({:error, error}), do: ["the plan could not be written: #{error.message}"]

  defp write(entries, state, warnings, {races, tries}) do
    {text, amended, state} = amend(entries, state)
    {noted, warnings} = note(amended, state, warnings)

    with {:ok, new} <- states(text, noted),
         :ok <- exchange(state.history, text, new) do
      {:ok, noted, warnings, %{state | text: new}}
    else
      {:changed, _} when races > 0 ->
        write(noted, state, warnings, {races - 1, tries})

      {:error, %Error{code: code}} when code in @passing and tries > 0 ->
        Process.sleep(@pause)
        write(noted, state, warnings, {races, tries - 1})

      failed ->
        {failed, noted, warnings, state}
    end
  end

  # As long as the plan has our own words only, the tasks are where they were.
  defp amend(batch, %{text: known, edited: edited} = state) do
    case PlanFile.read(state.history.plan) do
      {:ok, ^known} when not edited -> {known, Enum.map(batch, &Map.put(&1, :place, :same)), state}
      {:ok, text} -> {text, Amendments.amend(batch, text), %{state | edited: true}}
      error -> {error, Enum.map(batch, &Map.put(&1, :place, :same)), state}
    end
  end

  # An entry knows what the history knows of it.
  defp note(entries, state, warnings) do
    ts = state.options.clock.()
    rows = for entry <- entries, entry[:noted] != entry.verdict, do: row(entry, ts)
    noted = Enum.map(entries, &Map.put(&1, :noted, &1.verdict))

    case rows != [] && History.verdict(state.history, rows) do
      false -> {noted, warnings}
      {:ok, found} -> {noted, warnings ++ found}
      {:error, error} -> {noted, warnings ++ ["the verdict is not in the history: #{error.message}"]}
    end
  end

  defp row(%{item: %{task: task}, verdict: verdict, place: place}, ts) do
    row = %{
      task_id: task.id,
      idx: task.idx,
      title: task.title,
      state: verdict.state,
      output: verdict.output,
      reason: verdict.reason,
      how: verdict.how,
      ts: ts
    }

    if place == :same, do: row, else: Map.put(row, :place, place)
  end

  defp states({:error, _} = error, _amended), do: error

  defp states(text, amended) do
    Enum.reduce_while(amended, {:ok, text}, fn
      %{place: :same, item: item, verdict: verdict}, {:ok, text} ->
        case OQL.set_state(text, item.task.id, @keywords[verdict.state]) do
          text when is_binary(text) -> {:cont, {:ok, text}}
          {:error, error} -> {:halt, {:error, error}}
        end

      _gone, acc ->
        {:cont, acc}
    end)
  end

  defp exchange(_history, same, same), do: :ok
  defp exchange(history, text, new), do: History.exchange(history, text, new)

  defp told(%{key: key, verdict: verdict, place: :same}, warnings),
    do: {key, verdict.state, verdict.reason, warnings}

  defp told(%{key: key, verdict: verdict, place: place, item: item}, warnings) do
    elsewhere = "`#{item.task.id}` is #{place} in the plan; its verdict is in the history"
    {key, verdict.state, verdict.reason, [elsewhere | warnings]}
  end

  # A run that goes on counts on.
  defp last_step(history, options) do
    sql = "SELECT coalesce(max(step), 0) FROM step_events WHERE run_id = '#{options.run_id}'"
    opts = if options.history, do: [history: options.history], else: []
    with {:ok, [[step]]} <- Telemetry.query(history.plan, sql, opts), do: {:ok, step}
  end

  defp refusal({:error, %Error{code: :already_running, details: %{run_id: run_id}}}),
    do: {:error, {:already_running, run_id}}

  defp refusal(error), do: error
end
