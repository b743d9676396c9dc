defmodule Workbooks.Run.ForgeryTest do
  @moduledoc "Ways to fake a pass that are more than a text, which is what `test/tricks.json` has."
  use Workbooks.RunCase, async: true

  alias Workbooks.{Ledger, Telemetry}
  alias Workbooks.Workflow.Todo

  defp ok(_task), do: {:ok, ""}

  defp judge(context, check, opts \\ []) do
    Todo.validate(%{done_when: nil, check: %{lang: "sh", body: check}}, context.work, opts)
  end

  describe "a check that" do
    test "sleeps past its time", context do
      result = run!(context, "* TODO A\n:done-when: sleep 600\n", run: &ok/1, check_timeout: 300)
      assert reason(result, "a") == "the check `sleep 600` took longer than 300 ms"
    end

    test "keeps even the shell beyond its time", context do
      opts = [run: &ok/1, check_timeout: 50, shell: fn _script, _opts -> Process.sleep(:infinity) end]
      result = run!(context, "* TODO A\n:done-when: true\n", opts)
      assert reason(result, "a") == "the check took longer than 50 ms"
    end

    test "does not end", context do
      assert {:fail, reason} = judge(context, "while true; do true; done")

      assert reason ==
               "the check `while true; do true; done` could not be run: the script took too many steps"
    end

    test "prints without end", context do
      assert {:fail, _} = judge(context, "while true; do echo __WB_CHECK_OK__; done", timeout: 3_000)
    end

    test "reaches out of the working directory", context do
      File.write!(Path.join(context.tmp_dir, "secret"), "x")
      File.ln_s!("../secret", Path.join(context.work, "link"))

      for path <- ["../secret", "/../secret", "link", context.tmp_dir <> "/secret", "/etc/passwd"] do
        assert {:fail, _} = judge(context, "test -s #{path}"), path
      end
    end
  end

  test "the acceptance example: a missing file, an empty file, a byte", context do
    org = "* TODO Pricing\n:done-when: test -s scratch/e2b_pricing.html\n"
    File.mkdir_p!(Path.join(context.work, "scratch"))
    page = Path.join(context.work, "scratch/e2b_pricing.html")

    assert states(run!(context, org, run: &ok/1)) == %{"pricing" => :failed}
    File.write!(page, "")
    assert states(rerun!(context, run: &ok/1)) == %{"pricing" => :failed}
    File.write!(page, "x")
    assert %{org: "* DONE Pricing" <> _} = rerun!(context, run: &ok/1)
  end

  describe "a worker that edits the plan" do
    defp edit(context, from, to),
      do: File.write!(context.plan, String.replace(File.read!(context.plan), from, to))

    test "to say DONE does not make its own task done", context do
      work = fn _ -> edit(context, "TODO", "DONE") && {:ok, "finished!"} end

      assert %{org: "* FAILED A\n:done-when: test -s a\n"} =
               result = run!(context, "* TODO A\n:done-when: test -s a\n", run: work)

      assert states(result) == %{"a" => :failed}
    end

    test "to say DONE of another does not spare that one its work", context do
      test = self()

      work = fn task ->
        send(test, {:worked, task.id})
        if task.id == "a", do: edit(context, "TODO B", "DONE B")
        {:ok, ""}
      end

      org = "* Steps\n:ORDERED: t\n** TODO A\n** TODO B\n:done-when: false\n"

      assert %{org: "* Steps\n:ORDERED: t\n** DONE A\n** FAILED B\n:done-when: false\n"} =
               run!(context, org, run: work)

      assert_received {:worked, "b"}
    end

    test "to soften a check is judged by the check that was there", context do
      work = fn _ -> edit(context, "test -s a", "true") && {:ok, ""} end
      result = run!(context, "* TODO A\n:done-when: test -s a\n", run: work)
      assert states(result) == %{"a" => :failed}
      # The task in the text is not the one that was judged, so its headline is left alone.
      assert result.org == "* TODO A\n:done-when: true\n"
    end

    test "to pass and then harden a check does not keep its DONE", context do
      assert %{org: "* DONE A\n:done-when: true\n"} =
               run!(context, "* TODO A\n:done-when: true\n", run: &ok/1)

      edit(context, "true", "false")

      assert [%{id: "a", reason: "it was earned by another check"}] =
               Run.audit!(context.plan, history: context.history)

      assert %{org: "* FAILED A\n:done-when: false\n"} = rerun!(context, run: &ok/1)
    end

    test "after the run, by hand, is an unproven claim, and is checked before it counts", context do
      plan!(context, "* DONE A\n:done-when: test -s a\n* DONE B\n")

      assert [%{id: "a", idx: 0, line: 1, state: "DONE", reason: "no run recorded it"}, %{id: "b"}] =
               Run.audit!(context.plan, history: context.history)

      test = self()
      work = fn task -> send(test, {:worked, task.id}) && {:ok, ""} end
      assert states(rerun!(context, run: work)) == %{"a" => :failed, "b" => :done}
      assert_received {:worked, "a"}
      refute_received {:worked, "b"}
    end

    test "after a failure, by hand, is an unproven claim", context do
      assert %{org: "* FAILED A\n:done-when: false\n"} =
               run!(context, "* TODO A\n:done-when: false\n", run: &ok/1)

      edit(context, "FAILED", "DONE")

      assert [%{id: "a", reason: "the last verdict is FAILED"}] =
               Run.audit!(context.plan, history: context.history)
    end

    test "to lie, and passes the check when asked again, is done by the check", context do
      File.write!(Path.join(context.work, "a"), "x")
      plan!(context, "* DONE A\n:done-when: test -s a\n")
      test = self()

      assert %{state: :done} =
               rerun!(context, run: fn task -> send(test, {:worked, task.id}) && {:ok, ""} end)

      refute_received {:worked, _}
      assert Run.audit!(context.plan, history: context.history) == []
    end
  end

  describe "a plan that changes under the run" do
    test "keeps the edit, wherever it is", context do
      work = fn _ ->
        File.write!(context.plan, "# a remark\n" <> File.read!(context.plan) <> "* TODO New\n") && {:ok, ""}
      end

      result = run!(context, "* TODO A\n", run: work)
      assert result.org == "# a remark\n* DONE A\n* TODO New\n"
      assert states(result) == %{"a" => :done}
    end

    test "and loses the task: the verdict is in the history, and the run says so", context do
      opts = plan!(context, "* TODO A\n* TODO B\n")
      work = fn task -> task.id == "a" && File.write!(context.plan, "* TODO B\n") && {:ok, "out"} end
      {:ok, run} = Run.start(context.plan, [run: work, width: 1, subscribe: true] ++ opts)
      heard = events(run)

      assert [["`a` is gone in the plan; its verdict is in the history"]] =
               for({:task_finished, %{id: "a", warnings: w}} <- heard, do: w)

      assert {:ok, [%{"state" => "DONE"}]} = Telemetry.history(context.plan, "a", history: context.history)
    end

    test "and moves another task to this one's id: that one is not made done", context do
      org =
        "* First\n** TODO Check it\n:done-when: true\n* Second\n** TODO Check it\n:done-when: test -s never\n"

      work = fn task ->
        task.id == "check-it" && File.write!(context.plan, String.replace(org, ~r/\* First\n.*\n.*\n/, "")) &&
          {:ok, ""}
      end

      result = run!(context, org, run: work, width: 1)
      assert states(result)["check-it"] == :done
      assert result.org == "* Second\n** TODO Check it\n:done-when: test -s never\n"
    end

    test "and gets a new task below a composite: that one is not DONE", context do
      work = fn _ -> File.write!(context.plan, File.read!(context.plan) <> "** TODO C\n") && {:ok, ""} end
      result = run!(context, "* TODO P\n** TODO A\n", run: work)
      assert result.org == "* PARTIAL P\n** DONE A\n** TODO C\n"
      assert reason(result, "p") == "`c` below it is not done"
    end

    test "and is deleted: verdicts are in the history, with a warning", context do
      opts = plan!(context, "* TODO A\n")

      {:ok, run} =
        Run.start(
          context.plan,
          [run: fn _ -> File.rm!(context.plan) && {:ok, ""} end, subscribe: true] ++ opts
        )

      heard = events(run)
      assert [[warning]] = for({:task_finished, %{warnings: w}} <- heard, do: w)
      assert warning =~ "the plan could not be written"
      assert %{state: :done, org: nil} = Run.await!(run)
    end

    test "and is away for a while: its verdicts are written when it is back", context do
      away = context.plan <> ".away"

      work = fn
        %{id: "a"} -> File.rename!(context.plan, away) && {:ok, ""}
        %{id: "b"} -> File.rename!(away, context.plan) && {:ok, ""}
      end

      result = run!(context, "* Steps\n:ORDERED: t\n** TODO A\n** TODO B\n", run: work)
      assert result.org == "* Steps\n:ORDERED: t\n** DONE A\n** DONE B\n"
      assert ["the plan could not be written: " <> _] = result.warnings
    end

    test "and becomes a link: nothing is written through it", context do
      victim = Path.join(context.tmp_dir, "victim.org")
      File.write!(victim, "* TODO A\n")

      work = fn _ ->
        File.rm!(context.plan)
        File.ln_s!(victim, context.plan)
        {:ok, ""}
      end

      opts = [subscribe: true, run: work] ++ plan!(context, "* TODO A\n")
      {:ok, run} = Run.start(context.plan, opts)
      heard = events(run)
      assert File.read!(victim) == "* TODO A\n"
      assert [[warning]] = for({:task_finished, %{warnings: warnings}} <- heard, do: warnings)
      assert warning =~ "the plan could not be written"
    end

    test "a hundred edits of somebody else all survive", context do
      org = Enum.map_join(1..40, &"* TODO t#{&1}\n")
      opts = plan!(context, org)
      {:ok, run} = Run.start(context.plan, [run: &ok/1] ++ opts)

      for n <- 1..100 do
        append(context.plan, "# remark #{n}\n")
        Process.sleep(1)
      end

      result = Run.await!(run, 60_000)
      text = File.read!(context.plan)
      for n <- 1..100, do: assert(text =~ "# remark #{n}\n")
      for n <- 1..40, do: assert(text =~ "* DONE t#{n}\n")
      assert result.state == :done
    end

    test "also in a plan that is written at a pace", context do
      filler = String.duplicate("# a line that nobody reads\n", 3_000)
      opts = plan!(context, filler <> Enum.map_join(1..200, &"* TODO t#{&1}\n"))
      {:ok, run} = Run.start(context.plan, [run: &ok/1] ++ opts)
      for n <- 1..30, do: append(context.plan, "# remark #{n}\n")
      result = Run.await!(run, 60_000)
      text = File.read!(context.plan)
      assert result.org == text or text =~ "# remark 30\n"
      for n <- 1..30, do: assert(text =~ "# remark #{n}\n")
      for n <- 1..200, do: assert(text =~ "* DONE t#{n}\n")
      assert result.state == :done
    end

    test "and a task is gone from a plan that is written at a pace: the run says so", context do
      filler = String.duplicate("# a line that nobody reads\n", 3_000)

      work = fn
        %{id: "a"} -> {:ok, ""}
        %{id: "b"} -> edit(context, ~r/\* (TODO|DONE) A\n/, "") && {:ok, ""}
      end

      result = run!(context, filler <> "* TODO A\n* TODO B\n:BLOCKER: a\n", run: work)
      assert states(result) == %{"a" => :done, "b" => :done}
      assert result.org == filler <> "* DONE B\n:BLOCKER: a\n"
    end

    # What an editor does that looks before it writes.
    defp append(plan, line) do
      text = File.read!(plan)
      with {:changed, _} <- Workbooks.History.exchange(plan, text, text <> line), do: append(plan, line)
    end
  end

  describe "a worker that writes where the run leaves its traces" do
    test "does not change what happened", context do
      work = fn _ ->
        for name <- ["_telemetry.db", "_steps.jsonl", "_ledger.json"],
            do: File.write!(Path.join(context.work, name), "forged")

        {:ok, ""}
      end

      assert %{state: :partial} = run!(context, "* TODO A\n:done-when: false\n", run: work)
      assert {:ok, [%{"state" => "FAILED"}]} = Telemetry.history(context.plan, "a", history: context.history)
      # The copies are published again.
      assert {:ok, %{tamper_evident: true, attributable: true}} = Ledger.verify(context.work)
      assert "SQLite format 3" <> _ = File.read!(Path.join(context.work, "_telemetry.db"))
    end

    test "as a link does not make us write through it", context do
      victim = Path.join(context.tmp_dir, "victim")
      File.write!(victim, "mine")

      for name <- ["_telemetry.db", "_steps.jsonl", "_ledger.json"],
          do: File.ln_s!(victim, Path.join(context.work, name))

      run!(context, "* TODO A\n", run: &ok/1)
      assert File.read!(victim) == "mine"
    end
  end

  describe "a symlinked working directory" do
    test "is followed once, at the start", context do
      link = Path.join(context.tmp_dir, "link")
      File.ln_s!(context.work, link)
      File.write!(Path.join(context.work, "a"), "x")
      opts = Keyword.put(plan!(context, "* TODO A\n:done-when: test -s a\n"), :workdir, link)
      {:ok, run} = Run.start(context.plan, [run: &ok/1] ++ opts)
      assert %{state: :done} = Run.await!(run)
    end

    test "that points elsewhere later does not carry the checks along", context do
      link = Path.join(context.tmp_dir, "link")
      File.ln_s!(context.work, link)
      elsewhere = Path.join(context.tmp_dir, "elsewhere")
      File.mkdir_p!(elsewhere)
      File.write!(Path.join(elsewhere, "a"), "x")

      work = fn _ ->
        File.rm!(link)
        File.ln_s!(elsewhere, link)
        {:ok, ""}
      end

      opts = Keyword.put(plan!(context, "* TODO A\n:done-when: test -s a\n"), :workdir, link)
      {:ok, run} = Run.start(context.plan, [run: work] ++ opts)
      assert states(Run.await!(run)) == %{"a" => :failed}
    end

    test "that is exchanged for another directory fails every check", context do
      work = fn _ ->
        File.rename!(context.work, context.work <> ".was")
        File.mkdir_p!(context.work)
        File.write!(Path.join(context.work, "a"), "x")
        {:ok, ""}
      end

      plan = Path.join(context.tmp_dir, "plan.org")
      File.write!(plan, "* TODO A\n:done-when: test -s a\n")
      {:ok, run} = Run.start(plan, run: work, workdir: context.work, history: context.history)
      result = Run.await!(run)
      assert reason(result, "a") == "the working directory is not the one that the run began with"
    end
  end

  describe "two runs of one plan" do
    test "from two places at once: one begins, the others are refused with its id", context do
      opts = [run: held(self())] ++ plan!(context, "* TODO A\n")

      answers =
        1..8
        |> Enum.map(fn _ -> Task.async(fn -> Run.start(context.plan, opts) end) end)
        |> Task.await_many(30_000)

      assert [run] = for({:ok, run} <- answers, do: run)
      assert Enum.count(answers, &(&1 == already(run))) == 7
      assert_receive {:at_work, "a", worker}
      send(worker, {:go, {:ok, ""}})
      assert %{state: :done} = Run.await!(run)
    end
  end
end
