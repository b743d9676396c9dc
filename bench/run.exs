# What a run costs beside the work and the checks.
#
#     mix run bench/run.exs
#
# Prints one line a figure, `name<TAB>value<TAB>unit`. The engine's share is a run whose workers and checks do nothing; the
# checks' share is the same checks asked one after the other without a run. Each figure is the best round's, but for the plan of
# 100,000 tasks, which is run once.

defmodule Bench.Run do
  alias Workbooks.Run
  alias Workbooks.Run.{Outline, State}
  alias Workbooks.Workflow.Todo

  @tasks 1_000
  @rounds 3

  def run do
    once(10, "true")
    engine = best(fn -> once(@tasks, nil) end)

    figure(
      "a task, history and ledger on, without worker and check (goal: under 2)",
      ms(engine / @tasks),
      "ms"
    )

    checks = best(fn -> once(@tasks, "true") end)
    figure("#{@tasks} tasks with `true` as every check, 8 wide (goal: under 10)", s(checks), "s")
    alone = best(fn -> alone(@tasks) end)
    figure("the same checks, one after the other, without a run", s(alone), "s")

    scale()

    [small, large] = for tasks <- [500, 20_000], do: reduce(tasks) / tasks
    figure("the reducer, a task of 500", round(small), "reductions")
    figure("the reducer, a task of 20,000", round(large), "reductions")

    figure(
      "the reducer's work in a plan 40 times as large (goal: about 1)",
      Float.round(large / small, 2),
      "times"
    )
  end

  # What a task costs in plans of growing size, with `true` as every check.
  defp scale do
    [small | _] =
      costs =
      for {tasks, rounds} <- [{1_000, 3}, {10_000, 1}, {100_000, 1}] do
        cost = Enum.min(for _ <- 1..rounds, do: once(tasks, "true")) / tasks
        figure("a task with its check, in a plan of #{delimited(tasks)}", ms(cost), "ms")
        cost
      end

    times = Float.round(List.last(costs) / small, 2)
    figure("a task in a plan of 100,000 against one of 1,000 (goal: under 1.5)", times, "times")
  end

  defp delimited(n), do: Regex.replace(~r/(?<=\d)(?=(\d{3})+$)/, Integer.to_string(n), ",")

  defp once(tasks, check) do
    dir = Path.join(System.tmp_dir!(), "workbooks-bench-#{System.unique_integer([:positive])}")
    plan = Path.join(dir, "work/plan.org")
    File.mkdir_p!(Path.dirname(plan))
    File.write!(plan, plan(tasks, check))

    nanos =
      time(fn ->
        {:ok, run} = Run.start(plan, run: fn _ -> {:ok, ""} end, history: Path.join(dir, "history"))
        {:ok, %{state: :done}} = Run.await(run)
      end)

    File.rm_rf!(dir)
    nanos
  end

  defp alone(tasks) do
    dir = Path.join(System.tmp_dir!(), "workbooks-bench-#{System.unique_integer([:positive])}")
    File.mkdir_p!(dir)
    task = %{done_when: "true", check: nil}
    nanos = time(fn -> for _ <- 1..tasks, do: {:pass, _} = Todo.validate(task, dir) end)
    File.rm_rf!(dir)
    nanos
  end

  defp plan(tasks, nil), do: Enum.map_join(1..tasks, &"* TODO t#{&1}\n")
  defp plan(tasks, check), do: Enum.map_join(1..tasks, &"* TODO t#{&1}\n:done-when: #{check}\n")

  # Time would measure the memory's speed as well.
  defp reduce(tasks) do
    {:ok, outline} = Outline.read(plan(tasks, nil))
    {run, effects} = State.apply_event(State.new(outline, 8), :begin)
    before = reductions()
    drive(run, :queue.from_list(effects))
    reductions() - before
  end

  defp reductions, do: Process.info(self(), :reductions) |> elem(1)

  defp drive(run, effects) do
    case :queue.out(effects) do
      {:empty, _} ->
        run

      {{:value, {:work, key}}, rest} ->
        step(run, rest, {:worked, key, {:ok, ""}})

      {{:value, {:record, key, verdict}}, rest} ->
        step(run, rest, {:recorded, key, verdict.state, nil, [], []})

      {{:value, _}, rest} ->
        drive(run, rest)
    end
  end

  defp step(run, rest, event) do
    {run, effects} = State.apply_event(run, event)
    drive(run, Enum.reduce(effects, rest, &:queue.in/2))
  end

  defp best(measure), do: Enum.min(for _ <- 1..@rounds, do: measure.())

  defp time(fun) do
    start = System.monotonic_time(:nanosecond)
    fun.()
    System.monotonic_time(:nanosecond) - start
  end

  defp ms(nanos), do: Float.round(nanos / 1.0e6, 2)
  defp s(nanos), do: Float.round(nanos / 1.0e9, 2)
  defp figure(name, value, unit), do: IO.puts("#{name}\t#{value}\t#{unit}")
end

Bench.Run.run()
