defmodule Workbooks.Schedule.Server do
  @moduledoc false
  # The scheduler's process. It orders what happens: look, write down, run. What to do when is `Workbooks.Schedule.decide/3`.

  use GenServer

  require Logger

  alias Workbooks.Schedule
  alias Workbooks.Schedule.{Entry, Plans, Record}

  # A clock that is set, and a plan that appears, are noticed after this at the latest.
  @longest 60_000

  defstruct [:source, :run, :dir, :now, :timer?, :tasks, :timer, :plans, entries: %{}]

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

    {:ok, state, {:continue, :look}}
  end

  @impl true
  def handle_continue(:look, state), do: {:noreply, look(state)}

  @impl true
  def handle_call(:refresh, _from, state), do: {:reply, :ok, look(state)}

  def handle_call({:next, id}, _from, state) do
    answer =
      with :ok <- Plans.problem(state.plans, id) do
        {:ok, for(entry <- Map.values(state.entries), entry.workbook == id, do: Entry.shown(entry))}
      end

    {:reply, answer, state}
  end

  @impl true
  def handle_info(:look, state), do: {:noreply, look(state)}

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

  defp look(state) do
    state
    |> gather()
    |> then(fn state -> Enum.reduce(Map.values(state.entries), state, &act/2) end)
    |> arm()
  end

  # A source that fails changes nothing: what was known goes on. The record of a workflow that is gone stays: a source
  # that leaves one out for a moment must not make it run again.
  defp gather(state) do
    plans = Plans.read(state.plans, state.source.())
    wanted = Plans.entries(plans)
    {kept, gone} = Enum.split_with(state.entries, fn {key, _} -> is_map_key(wanted, key) end)
    # One that is at work stays until it has ended.
    busy = Enum.filter(gone, fn {_, entry} -> entry.task end)
    renewed = for {key, entry} <- kept, do: {key, Entry.renewed(entry, wanted[key])}
    entries = wanted |> Map.merge(Map.new(renewed)) |> Map.merge(Map.new(busy))
    %{state | plans: plans, entries: entries}
  rescue
    error ->
      Logger.error("workbooks: the scheduler's source failed: #{Exception.message(error)}")
      state
  end

  defp act(%Entry{task: task}, state) when is_reference(task), do: state

  defp act(entry, state) do
    now = state.now.()

    with {:ok, entry} <- recorded(entry, state, now),
         {:ok, decision} <- Schedule.decide(entry.schedule, Entry.progress(entry), now) do
      decided(decision, entry, state)
    else
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
      {:ok, record} -> act(%{entry | record: record}, state)
      # Somebody else took it: see what they wrote.
      :taken -> act(%{entry | record: nil}, state)
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
        fresh = %Record{schedule: schedule, since: entry.since || now, n: if(other, do: other.n, else: 0)}
        with {:ok, record} <- Record.write(state.dir, entry.key, fresh), do: {:ok, %{entry | record: record}}

      error ->
        error
    end
  end

  defp ended(state, task) do
    case running(state, task) do
      nil ->
        state

      entry ->
        entry = %{entry | task: nil}

        # When it ended matters to `.+` only, and if nobody knows, its due time does.
        case Record.write(state.dir, entry.key, %{entry.record | completed: state.now.()}) do
          {:ok, record} -> look(put(state, %{entry | record: record}))
          _ -> look(put(state, %{entry | record: nil}))
        end
    end
  end

  defp running(state, task), do: Enum.find(Map.values(state.entries), &(&1.task == task))

  defp put(state, entry), do: put_in(state.entries[entry.key], entry)

  defp arm(%{timer?: false} = state), do: state

  defp arm(state) do
    if state.timer, do: Process.cancel_timer(state.timer)
    now = state.now.()

    waits =
      for %{next: next} when is_integer(next) <- Map.values(state.entries), do: max(next - now, 0) * 1_000

    # A due time that could not be written down is tried again, but not at once.
    %{
      state
      | timer:
          Process.send_after(
            self(),
            :look,
            waits |> Enum.min(fn -> @longest end) |> max(200) |> min(@longest)
          )
    }
  end
end
