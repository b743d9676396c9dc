defmodule Workbooks.RunTest do
  use Workbooks.RunCase, async: true

  alias Workbooks.Run.Supervisor
  alias Workbooks.{Telemetry, Testing}
  alias Workbooks.Workflow.WaitingWorker

  defp ok(_task), do: {:ok, "did it"}

  test "a run works off its plan and writes each verdict into its headline", context do
    result =
      run!(context, "* Week [/]\n** TODO Ship\n*** TODO Test\n*** TODO Tag\n** TODO Rest\n", run: &ok/1)

    assert %{state: :done, org: "* Week [2/2]\n** DONE Ship\n*** DONE Test\n*** DONE Tag\n** DONE Rest\n"} =
             result

    assert File.read!(context.plan) == result.org

    assert [
             %{id: "ship", idx: 0, title: "Ship", state: :done, output: "", reason: nil},
             %{id: "test", idx: 1, title: "Test", state: :done, output: "did it", reason: nil},
             %{id: "tag", idx: 2},
             %{id: "rest", idx: 3}
           ] = result.tasks
  end

  test "no other byte of the plan moves", context do
    org =
      "#+TITLE: x  \r\n\r\n*\tnot a headline\r\n* TODO  Ship it  :a:b:\r\n  :PROPERTIES:\r\n  :X: y\r\n  :END:\r\n\ttabs \r\n* Ünï"

    assert run!(context, org, run: &ok/1).org == String.replace(org, "TODO", "DONE")
  end

  describe "a worker may answer" do
    for {name, answer, state, said} <- [
          {"with its output", {:ok, "x"}, :done, nil},
          {"with the output alone", "x", :done, nil},
          {"with an error", {:error, "no luck"}, :failed, "no luck"},
          {"with an error that is a term", {:error, {:no, :luck}}, :failed, "{:no, :luck}"},
          {"with nonsense", :fine, :failed, "the worker gave no answer that is known: :fine"},
          {"with nothing", nil, :failed, "the worker gave no answer that is known: nil"},
          {"with output that is no text", {:ok, <<255, 65>>}, :done, nil}
        ] do
      @answer answer
      test name, context do
        result = run!(context, "* TODO A\n", run: fn _ -> @answer end)
        assert {states(result), reason(result, "a")} == {%{"a" => unquote(state)}, unquote(said)}
      end
    end

    @tag :capture_log
    test "by raising, exiting, throwing or being killed: its task is FAILED and the run goes on", context do
      result =
        run!(context, "* TODO raise\n* TODO exit\n* TODO throw\n* TODO kill\n* TODO fine\n",
          run: fn
            %{id: "raise"} -> raise "boom"
            %{id: "exit"} -> exit(:enough)
            %{id: "throw"} -> throw(:ball)
            %{id: "kill"} -> Process.exit(self(), :kill)
            %{id: "fine"} -> {:ok, ""}
          end
        )

      assert states(result) == %{
               "raise" => :failed,
               "exit" => :failed,
               "throw" => :failed,
               "kill" => :failed,
               "fine" => :done
             }

      assert reason(result, "raise") == "the worker crashed: boom"
      assert reason(result, "exit") == "the worker crashed: :enough"
      assert reason(result, "kill") == "the worker was killed"
      assert result.org == "* FAILED raise\n* FAILED exit\n* FAILED throw\n* FAILED kill\n* DONE fine\n"
    end

    test "too late", context do
      result = run!(context, "* TODO A\n", run: fn _ -> Process.sleep(:infinity) end, work_timeout: 50)
      assert reason(result, "a") == "the worker took longer than 50 ms"
    end
  end

  test "subscribers hear the run from its first event to its last", context do
    opts = plan!(context, "* TODO P\n** TODO A\n:done-when: true\n** TODO B\n:BLOCKER: a\n")
    {:ok, run} = Run.start(context.plan, [run: &ok/1, subscribe: true] ++ opts)

    assert [
             {:run_started,
              %{plan: plan, resumed: false, tasks: [%{id: "p", kind: :composite}, %{id: "a"}, %{id: "b"}]}},
             {:task_started, %{id: "p", kind: :composite, state: :running}},
             {:task_started, %{id: "a", idx: 1, title: "A", level: 2, line: 2, kind: :leaf, state: :running}},
             {:check_started, %{id: "a", claimed: false}},
             {:task_finished,
              %{id: "a", state: :done, how: "done-when: true", output: "did it", warnings: []}},
             {:task_started, %{id: "b"}},
             {:task_finished, %{id: "b", state: :done, how: "worker"}},
             {:task_finished, %{id: "p", state: :done, how: "children"}},
             {:run_finished, %{state: :done, counts: %{done: 3}}}
           ] = events(run)

    assert plan == context.plan
  end

  test "whoever hears of a verdict can read it in the plan", context do
    opts = plan!(context, Enum.map_join(1..20, &"* TODO t#{&1}\n"))
    {:ok, run} = Run.start(context.plan, [run: &ok/1, subscribe: true] ++ opts)

    for _ <- 1..20 do
      assert_receive {:workbooks, ^run, {:task_finished, %{id: id}}}
      assert File.read!(context.plan) =~ "* DONE #{id}\n"
    end
  end

  test "a worker's output is heard while it works", context do
    defmodule Chatty do
      @behaviour Workbooks.Workflow.Worker
      @impl true
      def perform(task, context) do
        context.emit.("one ")
        context.emit.(["tw", "o"])
        {:ok, "#{task.id} #{context.options[:word]}"}
      end
    end

    opts = plan!(context, "* TODO A\n")
    {:ok, run} = Run.start(context.plan, [worker: {Chatty, word: "x"}, subscribe: true] ++ opts)
    heard = events(run)

    assert for({:task_output, data} <- heard, do: {data.id, data.stream, data.text}) == [
             {"a", :worker, "one "},
             {"a", :worker, "two"}
           ]

    assert [%{output: "a x"}] = Run.await!(run).tasks
  end

  test "a subscriber that dies is forgotten, one that subscribes twice hears once", context do
    opts = plan!(context, "* TODO A\n")
    {:ok, run} = Run.start(context.plan, [run: held(self())] ++ opts)
    assert_receive {:at_work, "a", worker}
    {pid, ref} = spawn_monitor(fn -> Run.subscribe(run) end)
    assert_receive {:DOWN, ^ref, _, ^pid, :normal}
    :ok = Run.subscribe(run)
    :ok = Run.subscribe(run)
    assert only(run, [{self(), nil}])
    send(worker, {:go, {:ok, ""}})
    assert [{:task_finished, _}, {:run_finished, _}] = events(run)
    refute_received {:workbooks, _, _}
  end

  # The registry hears of a death a moment later.
  defp only(run, subscribers),
    do:
      Registry.lookup(Workbooks.Run.Subscribers, run) == subscribers or
        (Process.sleep(1) && only(run, subscribers))

  test "status tells how it stands; list tells who is at work", context do
    opts = plan!(context, "* TODO A\n* TODO B\n:BLOCKER: a\n")
    {:ok, run} = Run.start(context.plan, [run: held(self())] ++ opts)
    assert_receive {:at_work, "a", worker}

    assert %{
             id: ^run,
             state: :running,
             counts: %{running: 1, waiting: 1},
             tasks: [%{state: :running}, %{state: :waiting}]
           } = Run.status!(run)

    assert %{state: :running} = Enum.find(Run.list!(), &(&1.id == run))
    send(worker, {:go, {:error, "no"}})
    assert %{state: :partial} = Run.await!(run)
    assert %{state: :partial, counts: %{failed: 1, blocked: 1}} = Run.status!(run)
  end

  test "a run that is over can be asked for a while, then it is unknown", context do
    {:ok, run} = Run.start(context.plan, Keyword.merge(plan!(context, "* TODO A\n"), run: &ok/1, linger: 100))
    family = Supervisor.whereis(:family, run)
    assert %{state: :done} = Run.await!(run)
    assert %{state: :done} = Run.await!(run)
    gone!(family)

    for question <- [&Run.await/1, &Run.status/1, &Run.cancel/1],
        do: assert({:error, %Error{code: :unknown_run}} = question.(run))
  end

  test "waiting has an end if one is given", context do
    {:ok, run} = Run.start(context.plan, [run: held(self())] ++ plan!(context, "* TODO A\n"))
    assert {:error, %Error{code: :timeout}} = Run.await(run, 20)
    assert_receive {:at_work, "a", worker}
    send(worker, {:go, {:ok, ""}})
    assert %{state: :done} = Run.await!(run)
  end

  test "cancelling stops the workers and leaves the rest as it is", context do
    {:ok, run} =
      Run.start(
        context.plan,
        [run: held(self()), width: 1, subscribe: true] ++ plan!(context, "* TODO A\n* TODO B\n* TODO C\n")
      )

    assert_receive {:at_work, "a", worker}
    send(worker, {:go, {:ok, ""}})
    assert_receive {:at_work, "b", worker}
    :ok = Run.cancel(run)
    assert gone!(worker) in [:killed, :noproc]
    assert %{state: :cancelled, org: "* DONE A\n* TODO B\n* TODO C\n"} = result = Run.await!(run)
    assert states(result) == %{"a" => :done, "b" => :blocked, "c" => :blocked}
    assert {:run_finished, %{state: :cancelled}} = List.last(events(run))
    assert :ok = Run.cancel(run)
    assert %{state: :done} = rerun!(context, run: &ok/1)
  end

  test "no more tasks are at work than the run is wide", context do
    count = :atomics.new(2, [])

    work = fn _ ->
      now = :atomics.add_get(count, 1, 1)
      :atomics.put(count, 2, max(now, :atomics.get(count, 2)))
      Process.sleep(2)
      :atomics.sub(count, 1, 1)
      {:ok, ""}
    end

    assert %{state: :done} = run!(context, String.duplicate("* TODO t\n", 40), run: work, width: 3)
    assert :atomics.get(count, 2) in 2..3
  end

  test "running again resumes: done tasks are skipped, failed ones are tried again", context do
    test = self()

    work = fn task ->
      send(test, {:worked, task.id}) && if(task.id == "b", do: {:error, "no"}, else: {:ok, ""})
    end

    assert %{state: :partial} = run!(context, "* TODO P\n** TODO A\n** TODO B\n", run: work)
    assert_received {:worked, "a"}
    assert_received {:worked, "b"}
    assert File.read!(context.plan) == "* PARTIAL P\n** DONE A\n** FAILED B\n"

    assert %{state: :done, org: "* DONE P\n** DONE A\n** DONE B\n"} =
             rerun!(context, run: fn task -> send(test, {:again, task.id}) && {:ok, ""} end)

    assert_received {:again, "b"}
    refute_received {:again, "a"}
  end

  test "times come from the clock that was given", context do
    clock = Testing.clock(1_700_000_000_000)

    {:ok, run} =
      Run.start(
        context.plan,
        [run: held(self()), clock: Testing.time(clock), subscribe: true] ++ plan!(context, "* TODO A\n")
      )

    assert String.starts_with?(run, "20231114T221320Z-")
    assert_receive {:workbooks, ^run, {:task_started, %{ts: 1_700_000_000_000}}}
    Testing.advance(clock, 1_234)
    assert_receive {:at_work, "a", worker}
    send(worker, {:go, {:ok, ""}})
    assert_receive {:workbooks, ^run, {:task_finished, %{ts: 1_700_000_001_234}}}
  end

  describe "a run is refused" do
    test "when the plan is not there", context do
      assert {:error, %Error{code: :not_found}} = Run.start(context.plan, history: context.history)
    end

    test "when its tasks wait for each other", context do
      opts = plan!(context, "* TODO A\n:BLOCKER: b\n* TODO B\n:BLOCKER: a\n")
      assert {:error, %Error{code: :cycle, message: message}} = Run.start(context.plan, opts)
      assert message == "these tasks wait for each other: a -> b -> a"
      refute File.exists?(context.history)
    end

    test "when it is no text", context do
      assert {:error, %Error{code: :not_utf8}} = Run.start(context.plan, plan!(context, <<"* TODO A", 255>>))
    end

    test "when an option is unknown or has a bad value", context do
      opts = plan!(context, "* TODO A\n")

      for bad <- [
            [wdith: 3],
            [width: 0],
            [run: 1],
            [worker: NoSuchModule],
            [worker: String],
            [workdir: 1],
            [run_id: "../x"]
          ] do
        assert {:error, %Error{code: :bad_option}} = Run.start(context.plan, bad ++ opts), inspect(bad)
      end
    end

    test "when the working directory is none", context do
      opts = Keyword.drop(plan!(context, "* TODO A\n"), [:workdir])
      assert {:error, %Error{code: :bad_option}} = Run.start(context.plan, [workdir: context.plan] ++ opts)

      assert {:error, %Error{code: :bad_option}} =
               Run.start(context.plan, [workdir: context.work <> "/no"] ++ opts)
    end

    test "when the history could be written by a guest", context do
      opts = Keyword.drop(plan!(context, "* TODO A\n"), [:history])
      inside = Path.join(context.work, "history")

      assert {:error, %Error{code: :bad_option, message: message}} =
               Run.start(context.plan, [history: inside] ++ opts)

      assert message =~ "lies inside the working directory"

      link = Path.join(context.tmp_dir, "link")
      File.ln_s!(context.work, link)

      assert {:error, %Error{code: :bad_option}} =
               Run.start(context.plan, [history: Path.join(link, "history")] ++ opts)
    end

    test "when one is under way: by any path to the plan", context do
      opts = [run: held(self())] ++ plan!(context, "* TODO A\n")
      {:ok, run} = Run.start(context.plan, opts)
      assert_receive {:at_work, "a", worker}
      assert Run.start(context.plan, opts) == already(run)
      link = Path.join(context.tmp_dir, "link.org")
      File.ln_s!(context.plan, link)
      assert Run.start(link, opts) == already(run)
      send(worker, {:go, {:ok, ""}})
      Run.await!(run)
      assert {:ok, again} = Run.start(context.plan, opts)
      assert %{state: :done} = Run.await!(again)
    end
  end

  describe "a waiting worker" do
    test "takes what is reported as its word", context do
      opts = plan!(context, "* TODO A\n:done-when: test -s a\n* TODO B\n* TODO C\n")
      {:ok, run} = Run.start(context.plan, [worker: WaitingWorker, subscribe: true] ++ opts)
      for id <- ["a", "b", "c"], do: assert_receive({:workbooks, ^run, {:task_started, %{id: ^id}}}, 5_000)
      assert {:error, %Error{code: :not_waiting}} = Run.report(run, "nobody", {:ok, ""})
      report(run, "a", {:ok, "I did it, honestly"})
      report(run, "b", {:ok, "three pages"})
      report(run, "c", {:error, "no time"})
      result = Run.await!(run)
      assert states(result) == %{"a" => :failed, "b" => :done, "c" => :failed}
      assert reason(result, "c") == "no time"
      assert {:error, %Error{code: :not_waiting}} = Run.report(run, "b", {:ok, ""})
    end

    # The event comes a moment before its worker listens.
    defp report(run, task, report) do
      with {:error, _} <- Run.report(run, task, report) do
        Process.sleep(1)
        report(run, task, report)
      end
    end
  end

  describe "a run that crashes" do
    @tag :capture_log
    test "starts again and resumes from the plan, and its subscribers and waiters do not notice", context do
      opts = plan!(context, "* TODO A\n* TODO B\n:BLOCKER: a\n")
      {:ok, run} = Run.start(context.plan, [run: held(self()), subscribe: true] ++ opts)
      waiter = Task.async(fn -> Run.await!(run) end)
      assert_receive {:at_work, "a", worker}
      send(worker, {:go, {:ok, "first"}})
      assert_receive {:at_work, "b", worker}

      Process.exit(Supervisor.whereis(:server, run), :kill)
      assert gone!(worker) in [:killed, :shutdown, :noproc]
      assert_receive {:workbooks, ^run, {:run_started, %{resumed: true}}}
      assert_receive {:at_work, "b", worker}
      refute_received {:at_work, "a", _}
      send(worker, {:go, {:ok, "second"}})
      assert %{state: :done, org: "* DONE A\n* DONE B\n:BLOCKER: a\n"} = Task.await(waiter)
    end

    @tag :capture_log
    test "again and again gives up, and the others do not notice", context do
      other = Path.join(context.work, "other.org")
      File.write!(other, "* TODO X\n")
      opts = plan!(context, "* TODO A\n")
      {:ok, calm} = Run.start(other, [run: held(self())] ++ opts)
      assert_receive {:at_work, "x", calm_worker}

      {:ok, run} = Run.start(context.plan, [run: held(self())] ++ opts)
      family = Supervisor.whereis(:family, run)

      for _ <- 1..4 do
        assert_receive {:at_work, "a", _}
        Process.exit(Supervisor.whereis(:server, run), :kill)
      end

      assert gone!(family) in [:shutdown, :noproc]
      assert {:error, %Error{code: :unknown_run}} = Run.await(run)
      assert File.read!(context.plan) == "* TODO A\n"
      send(calm_worker, {:go, {:ok, ""}})
      assert %{state: :done} = Run.await!(calm)
      assert %{state: :done} = rerun!(context, run: &ok/1)
    end
  end

  describe "resume" do
    test "goes on with an unfinished run under its id, found by the directory", context do
      File.write!(Path.join(context.work, "other.org"), "* TODO X\n")
      opts = plan!(context, "* TODO A\n* TODO B\n:BLOCKER: a\n")
      {:ok, run} = Run.start(context.plan, [run: held(self())] ++ opts)
      assert_receive {:at_work, "a", worker}
      send(worker, {:go, {:ok, ""}})
      assert_receive {:at_work, "b", _}
      :ok = DynamicSupervisor.terminate_child(Workbooks.Run.Families, Supervisor.whereis(:family, run))

      assert {:ok, ^run} = resume(context.work, [run: &ok/1] ++ opts)
      assert %{state: :done, org: "* DONE A\n* DONE B\n:BLOCKER: a\n"} = Run.await!(run)
      assert {:error, %Error{code: :not_found}} = Run.resume(context.work, opts)
      sql = "SELECT count(DISTINCT step), max(step), count(*) FROM step_events"
      assert {:ok, [[steps, steps, steps]]} = Telemetry.query(context.plan, sql, history: context.history)
    end

    # The lock goes a moment after the process that held it.
    defp resume(dir, opts) do
      case Run.resume(dir, opts) do
        {:error, %Error{code: :already_running}} ->
          Process.sleep(5)
          resume(dir, opts)

        resumed ->
          resumed
      end
    end

    test "of a plan that was never run starts it", context do
      opts = plan!(context, "* TODO A\n")
      assert {:ok, run} = Run.resume(context.work, [run: &ok/1] ++ opts)
      assert %{state: :done} = Run.await!(run)
    end

    test "of a directory without a plan is refused", context do
      assert {:error, %Error{code: :not_found}} = Run.resume(context.work, history: context.history)
    end
  end
end
