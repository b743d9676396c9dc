defmodule Workbooks.Travel do
  @moduledoc "A scheduler whose clock the test sets, and whose runs the test sees."

  alias Workbooks.Schedule

  import ExUnit.Callbacks

  @doc "A clock that shows `moment`."
  def clock!(moment) do
    {:ok, clock} = Agent.start_link(fn -> DateTime.to_unix(moment) end)
    clock
  end

  def now(clock), do: Agent.get(clock, & &1)
  def set(clock, seconds), do: Agent.update(clock, fn _ -> seconds end)

  @doc "Starts a scheduler for these plans, by id. Each run is a message `{:ran, job, at}`."
  def start!(dir, clock, plans, opts \\ []) do
    test = self()
    run = fn job -> send(test, {:ran, job, now(clock)}) end
    source = fn -> for {id, org} <- plans, do: %{id: id, org: org} end
    name = Keyword.get(opts, :name, :"schedule-#{System.unique_integer([:positive])}")

    defaults = [
      name: name,
      dir: dir,
      timer: false,
      now: fn -> now(clock) end,
      run: run,
      source: source
    ]

    start_supervised!({Schedule, Keyword.merge(defaults, opts)}, id: name, restart: :temporary)
    :ok = Schedule.refresh(name)
    name
  end

  @doc "Looks at the clock until nothing is running."
  def settle(scheduler, ids) do
    :ok = Schedule.refresh(scheduler)
    entries = entries(scheduler, ids)
    if Enum.any?(entries, & &1.running), do: settle(scheduler, ids), else: entries
  end

  def entries(scheduler, ids) do
    Enum.flat_map(ids, fn id ->
      {:ok, entries} = Schedule.next(scheduler, id)
      entries
    end)
  end

  @doc "Sets the clock to each time at which something is due, up to `last`."
  def travel(scheduler, clock, ids, last) do
    nexts = for %{next: next} when next != nil <- settle(scheduler, ids), do: DateTime.to_unix(next)

    case Enum.min(nexts, fn -> last + 1 end) do
      next when next > last ->
        set(clock, last)

      next ->
        set(clock, next)
        travel(scheduler, clock, ids, last)
    end
  end

  @doc "The runs so far, as `{workflow, due}`."
  def ran do
    receive do
      {:ran, job, _at} -> [{job.workflow, job.due} | ran()]
    after
      0 -> []
    end
  end
end
