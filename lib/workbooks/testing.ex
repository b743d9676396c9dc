defmodule Workbooks.Testing do
  @moduledoc ~S'''
  For the tests of applications that run plans: a run whose worker follows a script, a clock that stands still, and
  assertions on verdicts.

      defmodule MyApp.PlanTest do
        use ExUnit.Case, async: true
        import Workbooks.Testing

        test "the report waits for the numbers" do
          {:org, "* TODO Numbers\n* TODO Report\n:BLOCKER: numbers\n"}
          |> run_scripted(%{"numbers" => {:error, "no source"}})
          |> assert_failed("numbers", "no source")
          |> assert_blocked("report")
        end
      end

  Checks, verdicts and the history are real. Only the work is scripted.
  '''

  alias Workbooks.Run
  alias Workbooks.Workflow.Todo

  @typedoc "What a task's worker does: answer, crash, or call a function with the task."
  @type line ::
          {:ok, String.t()} | {:error, term} | :crash | (Todo.task() -> {:ok, String.t()} | {:error, term})

  @doc ~S'''
  Runs a plan, a file or a text as `{:org, text}`, with a scripted worker: a map of task ids. A task that is not in it answers
  `{:ok, ""}`.

  Everything happens in a directory of its own that is gone afterwards, the history too. Takes the options of
  `Workbooks.Run.start/2`, and `files:`, a map of files that are there before the run.

      iex> import Workbooks.Testing
      iex> result = run_scripted({:org, "* TODO Ship\n** TODO Test\n** TODO Tag\n"}, %{"tag" => :crash})
      iex> for task <- result.tasks, do: {task.id, task.state}
      [{"ship", :partial}, {"test", :done}, {"tag", :failed}]
      iex> result.org
      "* PARTIAL Ship\n** DONE Test\n** FAILED Tag\n"
  '''
  @spec run_scripted(Path.t() | {:org, String.t()}, %{String.t() => line}, keyword) ::
          Run.result() | {:error, Workbooks.Error.t()}
  def run_scripted(plan, script \\ %{}, opts \\ []) do
    {files, opts} = Keyword.pop(opts, :files, %{})

    within(fn dir ->
      workdir = Path.join(dir, "work")
      for {name, bytes} <- Map.put(files, "plan.org", text(plan)), do: write!(Path.join(workdir, name), bytes)
      defaults = [history: Path.join(dir, "history"), run: &perform(script, &1)]
      Todo.run(Path.join(workdir, "plan.org"), Keyword.merge(defaults, opts))
    end)
  end

  defp text({:org, org}), do: org
  defp text(plan), do: File.read!(plan)

  defp perform(script, task) do
    case Map.get(script, task.id, {:ok, ""}) do
      :crash -> exit({:shutdown, :scripted})
      fun when is_function(fun, 1) -> fun.(task)
      answer -> answer
    end
  end

  defp write!(path, bytes) do
    File.mkdir_p!(Path.dirname(path))
    File.write!(path, bytes)
  end

  defp within(fun) do
    dir =
      Path.join(
        System.tmp_dir!(),
        "workbooks-testing-#{Base.encode16(:crypto.strong_rand_bytes(8), case: :lower)}"
      )

    File.mkdir_p!(dir)

    try do
      fun.(dir)
    after
      File.rm_rf(dir)
    end
  end

  @typedoc "A clock that moves only when it is told to."
  @opaque clock :: :atomics.atomics_ref()

  @doc """
  A clock that stands at a time, in milliseconds since 1970. Give `time/1` of it to a run.

      iex> clock = Workbooks.Testing.clock(1_700_000_000_000)
      iex> time = Workbooks.Testing.time(clock)
      iex> Workbooks.Testing.advance(clock, 250)
      iex> time.()
      1_700_000_000_250
  """
  @spec clock(integer) :: clock
  def clock(ms) do
    clock = :atomics.new(1, [])
    :atomics.put(clock, 1, ms)
    clock
  end

  @doc "The clock as a run takes it: `clock: time(clock)`."
  @spec time(clock) :: (() -> integer)
  def time(clock), do: fn -> :atomics.get(clock, 1) end

  @doc "Moves a clock on."
  @spec advance(clock, non_neg_integer) :: :ok
  def advance(clock, ms), do: :atomics.add(clock, 1, ms)

  @doc "The task is done. Gives the result, so that assertions can be chained."
  @spec assert_done(Run.result(), String.t()) :: Run.result()
  def assert_done(result, task), do: assert_state(result, task, :done)

  @doc "The task failed, for a reason that contains `reason`."
  @spec assert_failed(Run.result(), String.t(), String.t()) :: Run.result()
  def assert_failed(result, task, reason \\ "") do
    assert_state(result, task, :failed)
    found = find(result, task).reason || ""
    if not String.contains?(found, reason), do: flunk("`#{task}` failed, but because: #{found}")
    result
  end

  @doc "The task was not done because of what it waits for."
  @spec assert_blocked(Run.result(), String.t()) :: Run.result()
  def assert_blocked(result, task), do: assert_state(result, task, :blocked)

  @doc "Every task ended as the map says, and there are no others."
  @spec assert_verdicts(Run.result(), %{String.t() => atom}) :: Run.result()
  def assert_verdicts(result, expected) do
    found = Map.new(result.tasks, &{&1.id, &1.state})
    if found != expected, do: flunk("expected the verdicts #{inspect(expected)}, got #{inspect(found)}")
    result
  end

  defp assert_state(result, task, state) do
    case find(result, task) do
      %{state: ^state} -> result
      %{state: other, reason: reason} -> flunk("expected `#{task}` to be #{state}, it is #{other}: #{reason}")
    end
  end

  defp find(%{tasks: tasks}, task),
    do:
      Enum.find(tasks, &(&1.id == task)) ||
        flunk("no task `#{task}`; there are: #{Enum.map_join(tasks, ", ", & &1.id)}")

  # ExUnit is there when tests run, and not a dependency of the application.
  defp flunk(message), do: apply(ExUnit.Assertions, :flunk, [message])
end
