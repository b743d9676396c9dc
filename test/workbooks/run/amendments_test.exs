defmodule Workbooks.Run.AmendmentsTest do
  @moduledoc "A plan that was bent between two runs does not get its DONE until a person accepts it."
  use Workbooks.RunCase, async: true

  alias Workbooks.{Certificate, History, Ledger, OtherVM, Telemetry}

  @org """
  * TODO Group
  ** TODO Easy
  ** TODO Hard
  :done-when: test -s nofile
  """

  @bends [
    deleted: {"** FAILED Hard\n:done-when: test -s nofile\n", "", [:gone]},
    stripped: {"** FAILED Hard", "** Hard", [:keyword]},
    softened: {"test -s nofile", "true", [:check]},
    unchecked: {":done-when: test -s nofile\n", "", [:check]},
    renamed: {"FAILED Hard", "FAILED Soft", [:gone]},
    cancelled: {"FAILED Hard", "CANCELLED Hard", [:cancelled]},
    moved: {"** FAILED Hard", "* FAILED Hard", [:moved]}
  ]

  defp ok(_task), do: {:ok, ""}
  defp bend(context, {from, to, _changes}), do: edit(context, from, to)

  defp edit(context, from, to) do
    text = File.read!(context.plan)
    assert text =~ from
    File.write!(context.plan, String.replace(text, from, to))
  end

  defp ids(amendments), do: Enum.map(amendments, & &1.id)

  for {name, bend} <- @bends do
    @bend bend
    test "#{name}: however often it is run, nothing above it is DONE", context do
      assert %{state: :partial, amendments: []} = run!(context, @org, run: &ok/1)
      bend(context, @bend)
      {_, _, changes} = @bend

      for _ <- 1..3 do
        result = rerun!(context, run: &ok/1)
        assert [%{id: "hard", changes: ^changes, above: above}] = result.amendments
        assert "group" in above
        assert result.state == :partial
        assert states(result)["group"] == :partial
        assert File.read!(context.plan) =~ "* PARTIAL Group\n"
      end

      assert {:ok, [%{id: "hard"}]} = Run.amendments(context.plan, history: context.history)
    end

    test "#{name}, after a first run that was killed before any verdict", context do
      plan!(context, @org)

      script = """
      Application.put_env(:logger, :level, :error)
      {:ok, _} = Application.ensure_all_started(:workbooks)
      {:ok, run} = Workbooks.Run.start(#{inspect(context.plan)}, run: fn _ -> {:ok, ""} end, history: #{inspect(context.history)})
      Workbooks.Run.await(run)
      """

      {_, 137} = OtherVM.run(script, under: ["env", "LC_ALL=C.UTF-8", "WORKBOOKS_FAULT=outline.sealed"])
      assert File.read!(context.plan) == @org
      {from, to, changes} = @bend
      bend(context, {String.replace(from, "FAILED", "TODO"), String.replace(to, "FAILED", "TODO"), changes})
      assert %{state: :partial, amendments: [%{id: "hard"}]} = rerun!(context, run: &ok/1)
      assert %{state: :partial, amendments: [%{id: "hard"}]} = rerun!(context, run: &ok/1)
    end
  end

  test "a worker that deletes the next task from the plan is found by the next run", context do
    work = fn
      %{id: "easy"} -> edit(context, "** TODO Hard\n:done-when: test -s nofile\n", "") && {:ok, ""}
      _ -> {:ok, ""}
    end

    first = run!(context, @org, run: work, width: 1)
    assert states(first)["hard"] == :failed
    assert %{state: :partial, amendments: [%{id: "hard", changes: [:gone]}]} = rerun!(context, run: &ok/1)
  end

  test "putting the plan back as it was is no amendment", context do
    run!(context, @org, run: &ok/1)
    edit(context, "test -s nofile", "true")
    assert %{amendments: [_]} = rerun!(context, run: &ok/1)
    edit(context, ":done-when: true", ":done-when: test -s nofile")
    assert %{state: :partial, amendments: []} = rerun!(context, run: &ok/1)
    File.write!(Path.join(context.work, "nofile"), "x")
    assert %{state: :done, amendments: []} = rerun!(context, run: &ok/1)
  end

  test "once a person accepts it, the plan is held against what was accepted", context do
    run!(context, @org, run: &ok/1)
    edit(context, "test -s nofile", "test -d .")
    opts = [history: context.history]
    assert %{state: :partial} = rerun!(context, run: &ok/1)
    assert {:error, %Error{code: :unknown_task}} = Run.accept(context.plan, ["easy"], opts)
    assert {:ok, []} = Run.accept(context.plan, ["hard"], [by: "Ada"] ++ opts)
    assert {:ok, []} = Run.amendments(context.plan, opts)
    assert %{state: :done, amendments: [], org: org} = rerun!(context, run: &ok/1)
    assert org =~ "* DONE Group\n"
    assert {:ok, %{tamper_evident: true, problems: [], runs: 4}} = Ledger.verify(context.plan, opts)

    log = Path.wildcard(Path.join(context.history, "*/runs/accept-*/_steps.jsonl")) |> hd() |> File.read!()
    assert log =~ ~s("by":"Ada")
    assert log =~ ~s("kind":"acceptance")
  end

  test "a run may begin with an acceptance, and events and status carry what is left", context do
    run!(context, @org <> "** TODO Other\n:done-when: false\n", run: &ok/1)
    edit(context, "test -s nofile", "true")
    edit(context, ":done-when: false", ":done-when: true")
    opts = [run: &ok/1, history: context.history, workdir: context.work, subscribe: true]
    {:ok, run} = Run.start(context.plan, [accept: ["hard"], by: "Ada"] ++ opts)

    assert [{:run_started, %{amendments: [%{id: "other"}]}} | _] = heard = events(run)
    assert {:run_finished, %{state: :partial, amendments: [%{id: "other"}]}} = List.last(heard)
    assert {:ok, %{state: :partial, amendments: [%{id: "other"}]}} = Run.status(run)
    assert %{state: :done} = rerun!(context, run: &ok/1, accept: ["other"])

    assert {:error, %Error{code: :unknown_task}} =
             Run.start(context.plan, run: &ok/1, accept: ["hard"], history: context.history)
  end

  test "an acceptance waits for the run that is at work", context do
    opts = plan!(context, @org)
    {:ok, run} = Run.start(context.plan, [run: held(self())] ++ opts)
    assert {:error, %Error{code: :already_running}} = Run.accept(context.plan, [], history: context.history)
    Run.cancel(run)
  end

  test "a FAILED verdict records which check failed", context do
    run!(context, @org, run: &ok/1)
    [log] = Path.wildcard(Path.join(context.history, "*/runs/*/_steps.jsonl"))
    line = log |> File.read!() |> String.split("\n") |> Enum.find(&(&1 =~ ~s("state":"FAILED")))
    assert line =~ ~s("check":"done-when: test -s nofile")
    assert line =~ ~s("exit_code":1)
  end

  describe "the history" do
    test "is asked of the logs: a database that is gone or forged changes nothing", context do
      File.write!(Path.join(context.work, "nofile"), "x")
      assert %{state: :done} = run!(context, @org, run: &ok/1)
      [database] = Path.wildcard(Path.join(context.history, "*/_telemetry.db"))

      for spoil <- [fn -> File.rm!(database) end, fn -> File.write!(database, "forged") end] do
        spoil.()
        assert Run.audit(context.plan, history: context.history) == {:ok, []}

        assert {:ok, [%{"state" => "DONE"}]} =
                 Telemetry.history(context.plan, "hard", history: context.history)

        sql = "SELECT count(*) FROM task_events"
        assert {:ok, [[3]]} = Telemetry.query(context.plan, sql, history: context.history)
      end
    end

    test "of one plan is not that of its neighbour", context do
      run!(context, @org, run: &ok/1)
      other = Path.join(context.work, "other.org")
      File.write!(other, "* TODO Other\n")
      opts = [history: context.history]
      assert {:error, %Error{code: :no_history}} = Telemetry.events(other, opts)
      assert {:error, %Error{code: :no_history}} = Telemetry.query(other, "SELECT 1", opts)
      assert {:error, %Error{code: :not_found}} = Telemetry.events(other <> ".gone", opts)
      assert {:error, %Error{code: :no_history}} = History.runs(other, opts)
    end
  end

  describe "a certificate" do
    test "is for what was earned", context do
      opts = [history: context.history]
      run!(context, @org, run: &ok/1)
      assert {:error, %Error{code: :not_earned}} = Certificate.issue(context.plan, "hard", opts)
      assert {:error, %Error{code: :not_earned}} = Certificate.issue(context.plan, nil, opts)
      assert {:error, %Error{code: :unknown_task}} = Certificate.issue(context.plan, "nobody", opts)
      assert {:ok, _} = Certificate.issue(context.plan, "easy", opts)

      File.write!(Path.join(context.work, "nofile"), "x")
      assert %{state: :done} = rerun!(context, run: &ok/1)
      assert {:ok, json} = Certificate.issue(context.plan, "hard", [ts: 5] ++ opts)
      assert {:ok, %{"did" => did, "statement" => statement}} = Certificate.verify(json)
      assert {:ok, ^did} = Ledger.did(opts)
      sha256 = :crypto.hash(:sha256, File.read!(context.plan)) |> Base.encode16(case: :lower)
      assert [%{"name" => "plan.org", "digest" => %{"sha256" => ^sha256}}] = statement["subject"]
      assert %{"issued" => 5, "tasks" => [task]} = statement["predicate"]
      assert %{"id" => "hard", "exitStatus" => 0, "check" => %{"text" => "done-when: test -s nofile"}} = task
      assert ids(elem(Run.amendments(context.plan, opts), 1)) == []
    end
  end
end
