defmodule Workbooks.Demos.Acceptance do
  @moduledoc """
  DONE has a price: a small research plan run twice, and what the runs left.

  It works on a copy of `examples/research.org` and its files.
  """

  import Workbooks.Demos.Stage
  alias Workbooks.{Ledger, Run, Telemetry}
  alias Workbooks.Workflow.Todo

  @example "examples/research.org"

  @doc """
  Shows each step with its call and its answer, and returns the answers.

      iex> answers = ExUnit.CaptureIO.with_io(fn -> Workbooks.Demos.Acceptance.demo() end) |> elem(0)
      iex> for {id, state, _reason} <- answers.first, do: {id, state}
      [
        {"compare-the-prices", :partial},
        {"name-the-providers", :done},
        {"collect-their-prices", :failed},
        {"say-who-is-cheapest", :blocked}
      ]
      iex> for {id, state, _reason} <- answers.second, do: {id, state}
      [
        {"compare-the-prices", :done},
        {"name-the-providers", :done},
        {"collect-their-prices", :done},
        {"say-who-is-cheapest", :done}
      ]
      iex> {answers.passed, answers.claims, answers.forged}
      {[["FAILED"], ["DONE"]], [], ["collect-their-prices"]}
      iex> {answers.intact.first_bad_line, answers.tampered.first_bad_line}
      {nil, 2}
  """
  @spec demo() :: map
  def demo do
    dir = Path.join(System.tmp_dir!(), "workbooks-demo-#{System.pid()}")
    File.rm_rf!(dir)
    File.mkdir_p!(Path.join(dir, "work"))

    try do
      show(Path.join(dir, "work"), Path.join(dir, "history"))
    after
      File.rm_rf!(dir)
    end
  end

  defp show(work, history) do
    plan = Path.join(work, "research.org")
    File.cp!(@example, plan)
    File.cp_r!(Path.rootname(@example), Path.join(work, "research"))
    opts = [history: history]

    title("A plan whose tasks have a price")
    say("Each task is worked on in the WASM shell, and a check decides. Cedar's page is missing.")
    first = verdicts("Workflow.Todo.run(\"research.org\")", Todo.run(plan, opts))
    IO.puts("\nThe plan now says:\n\n#{headlines(plan)}")

    title("The missing work is done, the same plan is run again")
    say("What is done is skipped; what failed or waited is tried.")
    File.cp!(Path.join(work, "research/cedar.html"), Path.join(work, "research/pages/cedar.html"))
    second = verdicts("Workflow.Todo.run(\"research.org\")", Todo.run(plan, opts))
    IO.puts("\n#{File.read!(Path.join(work, "research/report.txt"))}")

    title("Did this check ever pass?")
    sql = "SELECT state FROM task_events WHERE task_id = 'collect-their-prices'"

    {:ok, passed} =
      answer("Telemetry.query(\"research.org\", #{inspect(sql)})", Telemetry.query(plan, sql, opts))

    title("A DONE that nobody earned")
    {:ok, claims} = answer("Run.audit(\"research.org\")", Run.audit(plan, opts))
    say("\nSomebody makes the check easier, and leaves the DONE.")
    File.write!(plan, String.replace(File.read!(plan), "-eq \"$(wc -l < research/providers.txt)\"", "-ge 0"))
    {:ok, unearned} = answer("Run.audit(\"research.org\")", Run.audit(plan, opts))
    forged = for claim <- unearned, do: claim.id

    title("The log was not touched")
    {:ok, intact} = Ledger.verify(work, opts)
    answer("Ledger.verify(\".\")", intact)
    say("\nNow one character of line 2 is another.")
    tamper(Path.join(work, "_steps.jsonl"))
    {:ok, tampered} = Ledger.verify(work, opts)
    answer("Ledger.verify(\".\")", tampered)

    %{
      first: first,
      second: second,
      passed: passed,
      claims: claims,
      forged: forged,
      intact: intact,
      tampered: tampered
    }
  end

  defp verdicts(call, %{tasks: tasks}),
    do: answer(call, for(task <- tasks, do: {task.id, task.state, task.reason}))

  defp headlines(plan) do
    for line <- String.split(File.read!(plan), "\n"), line =~ ~r/^\*+ [A-Z]+ /, into: "", do: "    #{line}\n"
  end

  defp tamper(log) do
    [first, second | rest] = String.split(File.read!(log), "\n")
    File.write!(log, Enum.join([first, String.replace(second, "outline", "outlime") | rest], "\n"))
  end
end
