defmodule Workbooks.TestingTest do
  use ExUnit.Case, async: true
  import Workbooks.Testing

  @plan {:org, "* TODO Numbers\n:done-when: test -s numbers\n* TODO Report\n:BLOCKER: numbers\n"}

  test "a script says what the workers do; checks are real" do
    @plan
    |> run_scripted(%{"report" => fn task -> {:ok, "wrote " <> task.title} end}, files: %{"numbers" => "1"})
    |> assert_done("numbers")
    |> assert_verdicts(%{"numbers" => :done, "report" => :done})

    @plan |> run_scripted() |> assert_failed("numbers", "status 1") |> assert_blocked("report")
  end

  @tag :capture_log
  test "a script may crash" do
    run_scripted({:org, "* TODO A\n"}, %{"a" => :crash}) |> assert_failed("a", "scripted")
  end

  test "assertions that do not hold fail the test, and say what is" do
    result = run_scripted({:org, "* TODO A\n"}, %{"a" => {:error, "no"}})

    for {assertion, message} <- [
          {&assert_done(&1, "a"), "expected `a` to be done, it is failed: no"},
          {&assert_failed(&1, "a", "yes"), "`a` failed, but because: no"},
          {&assert_blocked(&1, "b"), "no task `b`; there are: a"},
          {&assert_verdicts(&1, %{"a" => :done}),
           ~s(expected the verdicts %{"a" => :done}, got %{"a" => :failed})}
        ] do
      assert_raise ExUnit.AssertionError, ~r/#{Regex.escape(message)}/, fn -> assertion.(result) end
    end
  end

  test "the directory is gone afterwards" do
    defmodule Where do
      @behaviour Workbooks.Workflow.Worker
      @impl true
      def perform(_task, context), do: {:ok, context.workdir}
    end

    result = run_scripted({:org, "* TODO A\n"}, %{}, worker: Where)
    assert [%{output: "/" <> _ = workdir}] = result.tasks
    refute File.exists?(workdir)
  end
end
