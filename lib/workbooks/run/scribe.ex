defmodule Workbooks.Run.Scribe do
  @moduledoc false
  # Writes down what a run decides: into the history first, into the plan after. A verdict that is in the plan is in the
  # history. Verdicts that come while one is being written are written together.
  #
  # A small plan is written before anybody hears of the verdict. Writing a plan takes time in its size, so a large one is
  # written at a pace: it rests twenty times as long as the last writing took. Its verdicts are in the history when they are
  # heard of, and a process that is killed before they are in the plan leaves that to the next run (`History.begin/2`).

  use GenServer

  alias Workbooks.{Error, History}
  alias Workbooks.Run.{Edits, Options, Outline, PlanFile}

  @enforce_keys [:server, :options]
  defstruct [
    :server,
    :options,
    :history,
    # The outline of the plan after the last edit by somebody else; nil while there was none.
    :edited,
    large: false,
    step: 0,
    # Verdicts that nobody has written anywhere.
    batch: [],
    # Verdicts that are in the history and not in the plan.
    pending: [],
    # The ids of tasks that this run made DONE.
    done: MapSet.new(),
    # When a large plan may be written again, in monotonic milliseconds, and whether a timer is set for it.
    due: nil,
    timer: false
  ]

  @type entry :: %{key: term, item: map, verdict: map, evidence: map}
  @type opened :: %{
          org: binary,
          amendments: [History.amendment()],
          step: non_neg_integer,
          cookies: [History.headline()],
          warnings: [String.t()]
        }

  # Plans above this are written at a pace.
  @large 64 * 1024
  @share 20
  # Others may write the plan as well; whoever loses this many races in a row meets a program that writes without pause.
  @races 100
  # What may be over in a moment: a kernel without time, a disk without room.
  @passing [:too_complex, :busy, :cancelled, :kernel_crashed, :io, :disk_full]
  @tries 5
  @pause 20
  @keywords %{done: "DONE", failed: "FAILED", partial: "PARTIAL"}

  @spec start_link(Options.t()) :: GenServer.on_start()
  def start_link(options), do: GenServer.start_link(__MODULE__, {self(), options})

  @doc "Takes the plan's lock, and gives the plan's true path. It is over at once: nothing is written."
  @spec claim(pid) :: {:ok, Path.t()} | {:error, Error.t()}
  def claim(scribe), do: GenServer.call(scribe, :claim, :infinity)

  @doc "Opens the history of the plan that was claimed, and seals its outline. This waits for the disk."
  @spec open(pid) :: {:ok, opened} | {:error, Error.t()}
  def open(scribe), do: GenServer.call(scribe, :open, :infinity)

  @doc "Notes a step."
  @spec step(pid, map) :: :ok
  def step(scribe, step), do: GenServer.cast(scribe, {:step, step})

  @doc """
  Writes a verdict. The server hears `{:recorded, [{key, outcome, reason, warnings, changed}]}`, where `changed` has the
  headlines that the plan has since; those of a plan that is written later come as `{:written, changed}`. It hears
  `:edited` when somebody else changed the plan.
  """
  @spec verdict(pid, entry) :: :ok
  def verdict(scribe, entry), do: GenServer.cast(scribe, {:verdict, entry})

  @doc "Seals and closes the history; the plan is free. Gives the plan's text, warnings, and headlines written only now."
  @spec close(pid) :: {binary | nil, [String.t()], [History.headline()]}
  def close(scribe), do: GenServer.call(scribe, :close, :infinity)

  @impl true
  def init({server, options}), do: {:ok, %__MODULE__{server: server, options: options}}

  @impl true
  def handle_call(:claim, _from, %{options: options} = state) do
    opts = [run_id: options.run_id] ++ if(options.history, do: [history: options.history], else: [])

    case History.claim(options.plan, opts) do
      {:ok, claimed} -> {:reply, {:ok, claimed.plan}, %{state | history: claimed}}
      error -> {:reply, error, state}
    end
  end

  def handle_call(:open, _from, %{options: options} = state) do
    ts = options.clock.()

    with {:ok, history} <- History.record(state.history, ts),
         {:ok, begun} <- History.begin(history, accept: options.accept, by: options.by, ts: ts) do
      opened = %{
        org: begun.org,
        amendments: begun.amendments,
        step: begun.step,
        cookies: begun.cookies,
        warnings: history.found ++ begun.warnings
      }

      large = byte_size(begun.org) > @large
      {:reply, {:ok, opened}, %{state | history: history, large: large, step: begun.step}}
    else
      error -> {:reply, error, state}
    end
  end

  def handle_call(:close, _from, state) do
    {entries, warnings, state} = state |> flush() |> write()
    closing = with {:ok, found} <- History.close(state.history), do: found, else: (_ -> [])
    text = with {:ok, text} <- PlanFile.read(state.history.plan), do: text, else: (_ -> nil)
    {:stop, :normal, {text, warnings ++ closing, changed(entries)}, state}
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

  def handle_info(:write, state) do
    {entries, warnings, state} = write(%{state | timer: false})

    warnings =
      warnings ++ for(%{place: place, item: item} <- entries, place != :same, do: elsewhere(item, place))

    if warnings != [], do: send(state.server, {:warnings, warnings})
    tell_written(entries, state)
    {:noreply, state, 0}
  end

  defp tell_written(entries, state) do
    case changed(entries) do
      [] -> :ok
      changed -> send(state.server, {:written, changed})
    end
  end

  # The headlines that were written, each once.
  defp changed(entries), do: entries |> Enum.flat_map(&Map.get(&1, :changed, [])) |> Enum.uniq_by(& &1.id)

  defp flush(%{batch: []} = state), do: state

  defp flush(state) do
    batch = Enum.reverse(state.batch)
    {entries, state} = place(batch, %{state | batch: []})
    {entries, warnings} = record(entries, state)
    done = for %{verdict: %{state: :done}, item: item} <- entries, into: state.done, do: item.task.id
    state = %{state | pending: state.pending ++ entries, done: done}
    if state.large, do: flush_large(entries, warnings, state), else: flush_small(batch, warnings, state)
  end

  defp flush_small(batch, warnings, state) do
    {entries, unwritten, state} = write(state)
    new = MapSet.new(batch, & &1.key)
    {new, earlier} = Enum.split_with(entries, &(&1.key in new))
    # What could not be written before, and is now.
    tell_written(earlier, state)
    announce(new, warnings ++ unwritten, state)
    state
  end

  defp flush_large(entries, warnings, state) do
    announce(entries, warnings, state)
    wait = if state.due, do: max(state.due - now(), 0), else: 0
    if not state.timer, do: Process.send_after(self(), :write, wait)
    %{state | timer: true}
  end

  # As long as nobody else edits the plan, every task is where it was. The outline of an edited plan is read once; the
  # tasks that became DONE since are known.
  defp place(entries, state) do
    case History.edited(state.history) do
      {:ok, nil} -> {placed(entries, state), state}
      {:ok, text} -> {entries, state} |> placed_in(text)
      # There is no plan any more. Writing to it will say why.
      {:error, _} -> {Enum.map(entries, &Map.put(&1, :place, :same)), state}
    end
  end

  defp placed_in({entries, state}, text) do
    state = see(text, state)
    {placed(entries, state), state}
  end

  defp placed(entries, %{edited: nil}), do: Enum.map(entries, &Map.put_new(&1, :place, :same))

  defp placed(entries, state) do
    done = for %{verdict: %{state: :done}, item: item} <- entries, into: state.done, do: item.task.id
    Edits.place(entries, state.edited, done)
  end

  defp see(text, state) do
    send(state.server, :edited)

    case Outline.parse(text) do
      {:ok, outline} -> %{state | edited: outline}
      {:error, _} -> state
    end
  end

  # Puts into the history what it does not have yet.
  defp record(entries, state) do
    ts = state.options.clock.()
    rows = for entry <- entries, entry[:recorded] != entry.verdict, do: row(entry, ts)
    recorded = Enum.map(entries, &Map.put(&1, :recorded, &1.verdict))

    case rows != [] && History.verdict(state.history, rows) do
      false -> {recorded, []}
      {:ok, warnings} -> {recorded, warnings}
      {:error, error} -> {recorded, ["the verdict is not in the history: #{error.message}"]}
    end
  end

  defp row(%{item: %{task: task, check: check}, verdict: verdict, place: place} = entry, ts) do
    row = %{
      task_id: task.id,
      idx: task.idx,
      title: task.title,
      state: verdict.state,
      output: verdict.output,
      reason: verdict.reason,
      how: verdict.how,
      check: check_text(check),
      ts: ts
    }

    row = if place == :same, do: row, else: Map.put(row, :place, place)
    entry |> Map.get(:evidence, %{}) |> Map.merge(row)
  end

  # Which check it was, also where it failed.
  defp check_text(%{how: how}), do: how
  defp check_text({:unfit, reason}), do: reason
  defp check_text(nil), do: nil

  # Writes what is in the history and not in the plan. Gives those verdicts as they are now: an edit that is found on the way
  # may have changed them.
  defp write(%{pending: []} = state), do: {[], [], state}

  defp write(state) do
    started = now()
    {result, entries, warnings, state} = write(state.pending, [], state, {@races, @tries})
    due = now() + (now() - started) * @share

    {entries, warnings ++ unwritten(result),
     %{state | pending: if(result == :ok, do: [], else: entries), due: due}}
  end

  defp write(entries, warnings, state, {races, tries}) do
    states =
      for %{place: :same, item: item, verdict: verdict} <- entries,
          do: {item.task.id, @keywords[verdict.state]}

    case states != [] && History.states(state.history, states, state.options.clock.()) do
      false ->
        {:ok, entries, warnings, state}

      {:ok, lines} ->
        {:ok, written(entries, lines), warnings, state}

      {:changed, text} when races > 0 ->
        {entries, state} = {entries, state} |> placed_in(text)
        {entries, more} = record(entries, state)
        write(entries, warnings ++ more, state, {races - 1, tries})

      {:error, %Error{code: code}} when code in @passing and tries > 0 ->
        Process.sleep(@pause)
        write(entries, warnings, state, {races, tries - 1})

      failed ->
        {failed, entries, warnings, state}
    end
  end

  # Each entry that has its place in the plan gets what its headline says now, and those above it.
  defp written([%{place: :same} = entry | entries], [line | lines]),
    do: [Map.put(entry, :changed, line) | written(entries, lines)]

  defp written([entry | entries], lines), do: [entry | written(entries, lines)]
  defp written([], []), do: []

  defp unwritten(:ok), do: []
  defp unwritten({:changed, _}), do: ["the plan could not be written: it changes without pause"]
  defp unwritten({:error, error}), do: ["the plan could not be written: #{error.message}"]

  defp announce(entries, warnings, state),
    do: send(state.server, {:recorded, Enum.map(entries, &outcome(&1, warnings))})

  defp outcome(%{key: key, verdict: verdict, place: :same} = entry, warnings),
    do: {key, verdict.state, verdict.reason, warnings, Map.get(entry, :changed, [])}

  defp outcome(%{key: key, verdict: verdict, place: place, item: item}, warnings),
    do: {key, verdict.state, verdict.reason, [elsewhere(item, place) | warnings], []}

  defp elsewhere(item, place), do: "`#{item.task.id}` is #{place} in the plan; its verdict is in the history"

  defp now, do: System.monotonic_time(:millisecond)
end
