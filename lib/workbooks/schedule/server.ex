defmodule Workbooks.Schedule.Server do
  @moduledoc false
  # The scheduler's process. It looks, writes down and runs, in that order; what to do when is `Workbooks.Schedule.decide/3`.
  #
  # A look has two halves. The source is asked, and what it gives is read, in a task: plans lie on a disk and may be many.
  # Then the entries are decided one after the other, each in a message of its own. Between any two of them the process
  # answers, so `next` never waits for the source or for a thousand schedules.

  use GenServer

  require Logger

  alias Workbooks.Schedule
  alias Workbooks.Schedule.{Entry, Plans, Record}

  # A clock that is set, and a plan that appears, are noticed after this at the latest.
  @longest 60_000

  # What is due and could not be written down is tried again, but not at once.
  @shortest 200

  # `look` is `nil`, `{:reading, task}` or `{:deciding, keys}`. `waiting` are the callers that this look answers; `later`
  # came while it was under way and need the next one, for the source may have been asked before they called.
  defstruct [
    :source,
    :run,
    :dir,
    :now,
    :timer?,
    :tasks,
    :timer,
    :plans,
    :look,
    entries: %{},
    waiting: [],
    later: [],
    again?: false,
    looked?: false
  ]

  @impl true
  def init(opts) do
    # Linked: when the scheduler falls, its runs end, and the next scheduler cannot overlap with them.
    {:ok, tasks} = Task.Supervisor.start_link()

    state = %__MODULE__{
      source: opts[:source],
      run: opts[:run],
      dir: Path.expand(opts[:dir]),
      now: opts[:now],
      timer?: opts[:timer],
      tasks: tasks,
      plans: Plans.new()
    }

    {:ok, look(state)}
  end

  @impl true
  def handle_call(:refresh, from, %{look: nil} = state),
    do: {:noreply, look(%{state | waiting: [{:refresh, from}]})}

  def handle_call(:refresh, from, state), do: {:noreply, %{state | later: [{:refresh, from} | state.later]}}

  # Before the first look is over nothing is known, and "no such workbook" would be wrong.
  def handle_call({:next, id}, from, %{looked?: false} = state),
    do: {:noreply, %{state | waiting: [{:next, from, id} | state.waiting]}}

  def handle_call({:next, id}, _from, state), do: {:reply, next(state, id), state}

  @impl true
  def handle_info(:look, state), do: {:noreply, look(state)}

  def handle_info({task, result}, %{look: {:reading, task}} = state) do
    Process.demonitor(task, [:flush])
    {:noreply, state |> gather(result) |> begin_deciding()}
  end

  def handle_info({:DOWN, task, :process, _pid, reason}, %{look: {:reading, task}} = state),
    do: {:noreply, state |> gather({:error, inspect(reason)}) |> begin_deciding()}

  def handle_info(:decide, %{look: {:deciding, [key | keys]}} = state) do
    send(self(), :decide)
    {:noreply, %{act(key, state) | look: {:deciding, keys}}}
  end

  def handle_info(:decide, %{look: {:deciding, []}} = state), do: {:noreply, finish(state)}

  def handle_info({task, _result}, state) when is_reference(task) do
    Process.demonitor(task, [:flush])
    {:noreply, ended(state, task)}
  end

  def handle_info({:DOWN, task, :process, _pid, reason}, state) do
    with %Entry{} = entry <- running(state, task) do
      Logger.error(
        "workbooks: the scheduled run of `#{entry.workflow}` in `#{entry.workbook}` failed: #{inspect(reason)}"
      )
    end

    {:noreply, ended(state, task)}
  end

  defp next(state, id) do
    with :ok <- Plans.problem(state.plans, id) do
      {:ok, for(entry <- Map.values(state.entries), entry.workbook == id, do: Entry.shown(entry))}
    end
  end

  defp look(%{look: nil, plans: plans, source: source} = state) do
    task = Task.Supervisor.async_nolink(state.tasks, fn -> read(plans, source) end)
    %{state | look: {:reading, task.ref}, again?: false}
  end

  defp look(state), do: %{state | again?: true}

  defp read(plans, source) do
    {:ok, Plans.read(plans, source.())}
  rescue
    error -> {:error, Exception.message(error)}
  catch
    kind, reason -> {:error, Exception.format_banner(kind, reason)}
  end

  # The record of a workflow that is gone stays on the disk: a source that leaves one out for a moment must not make it run
  # again what it has run.
  defp gather(state, {:ok, plans}) do
    wanted = Plans.entries(plans)
    {kept, gone} = Enum.split_with(state.entries, fn {key, _} -> is_map_key(wanted, key) end)
    # One that is at work stays until it has ended.
    busy = Enum.filter(gone, fn {_, entry} -> entry.task end)
    renewed = for {key, entry} <- kept, do: {key, Entry.renewed(entry, wanted[key])}
    entries = wanted |> Map.merge(Map.new(renewed)) |> Map.merge(Map.new(busy))
    %{state | plans: plans, entries: entries}
  end

  # A source that fails changes nothing: what was known goes on.
  defp gather(state, {:error, reason}) do
    Logger.error("workbooks: the scheduler's source failed: #{reason}")
    state
  end

  defp begin_deciding(state) do
    send(self(), :decide)
    %{state | look: {:deciding, Map.keys(state.entries)}}
  end

  defp finish(state) do
    state = arm(%{state | look: nil, looked?: true})

    for caller <- state.waiting do
      case caller do
        {:refresh, from} -> GenServer.reply(from, :ok)
        {:next, from, id} -> GenServer.reply(from, next(state, id))
      end
    end

    state = %{state | waiting: state.later, later: []}
    if state.waiting != [] or state.again?, do: look(state), else: state
  end

  # By its key, for it may have changed since the look began.
  defp act(key, state) do
    case state.entries do
      %{^key => %Entry{unreadable: nil, task: nil} = entry} -> decide(entry, state)
      %{^key => %Entry{task: nil} = entry} -> put(state, %{entry | next: nil, problem: nil})
      _ -> state
    end
  end

  defp decide(entry, state) do
    now = state.now.()

    with {:ok, entry} <- recorded(entry, state, now),
         {:ok, decision} <- Schedule.decide(entry.schedule, Entry.progress(entry), now) do
      decided(decision, entry, state)
    else
      # Another scheduler wrote the first record. It has the same schedule, and the next look reads it.
      :taken -> state
      {:error, error} -> put(state, %{entry | problem: error, next: nil})
    end
  end

  defp decided(%{"do" => "wait", "until" => until}, entry, state),
    do: put(state, %{entry | next: until, problem: nil})

  defp decided(%{"do" => "never"}, entry, state), do: put(state, %{entry | next: nil, problem: nil})

  defp decided(%{"do" => what, "due" => due}, entry, state) do
    case Record.write(state.dir, entry.key, %{entry.record | last: due}) do
      {:ok, record} when what == "run" -> start(%{entry | record: record}, due, state)
      {:ok, record} -> decide(%{entry | record: record}, state)
      # Another scheduler took this due time: see what it wrote.
      :taken -> decide(%{entry | record: nil}, state)
      # What cannot be written down is not run.
      {:error, error} -> put(state, %{entry | problem: error, next: due})
    end
  end

  defp start(entry, due, state) do
    job = %{workbook: entry.workbook, workflow: entry.workflow, path: entry.path, due: due}
    run = state.run
    task = Task.Supervisor.async_nolink(state.tasks, fn -> run.(job) end)
    put(state, %{entry | task: task.ref, next: nil, problem: nil})
  end

  # A schedule that is new, or not the one that was recorded, counts from when its plan went live.
  defp recorded(%Entry{record: %Record{schedule: same}, schedule: same} = entry, _state, _now),
    do: {:ok, entry}

  defp recorded(%Entry{schedule: schedule} = entry, state, now) do
    case Record.read(state.dir, entry.key) do
      {:ok, %Record{schedule: ^schedule} = record} ->
        {:ok, %{entry | record: record}}

      {:ok, other} ->
        fresh = Entry.first_record(entry, other, now)
        with {:ok, record} <- Record.write(state.dir, entry.key, fresh), do: {:ok, %{entry | record: record}}

      error ->
        error
    end
  end

  # What runs next is decided at once, not at the next look: whoever asks never sees an entry that neither runs nor waits.
  defp ended(state, task) do
    case running(state, task) do
      nil ->
        state

      entry ->
        # When a run ended matters to `.+` alone. If it cannot be written, the next time counts from the due time.
        record =
          case Record.write(state.dir, entry.key, %{entry.record | completed: state.now.()}) do
            {:ok, record} -> record
            _ -> nil
          end

        state |> put(%{entry | task: nil, record: record}) |> settle(entry.key) |> arm()
    end
  end

  # A workflow that left the plans while it was at work goes now.
  defp settle(state, key) do
    if Plans.has?(state.plans, key),
      do: act(key, state),
      else: %{state | entries: Map.delete(state.entries, key)}
  end

  defp running(state, task), do: Enum.find(Map.values(state.entries), &(&1.task == task))

  defp put(state, entry), do: put_in(state.entries[entry.key], entry)

  defp arm(%{timer?: false} = state), do: state

  defp arm(state) do
    if state.timer, do: Process.cancel_timer(state.timer)
    now = state.now.()
    waits = for %{next: next} when is_integer(next) <- Map.values(state.entries), do: (next - now) * 1_000
    wait = waits |> Enum.min(fn -> @longest end) |> max(@shortest) |> min(@longest)
    %{state | timer: Process.send_after(self(), :look, wait)}
  end
end
