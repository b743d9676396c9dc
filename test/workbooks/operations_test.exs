defmodule Workbooks.OperationsTest do
  # Alone: one of these tests ends the task of its own call, and has to know which one that is.
  use ExUnit.Case, async: false

  import ExUnit.CaptureLog

  alias Workbooks.{Error, Operations}
  alias Workbooks.Operations.Live

  @plan "* Week [0/1]\n** TODO Rest\n:done-when: true\n"

  # What can be asked without any effect: the same through Elixir and at the terminal, where there is a verb for it.
  @questions [
    {"plan.validate", %{org: "* Report :workflow:\n** Orphan :component:\n"}, ~w(lint)},
    {"plan.lint", %{org: "* Report :workflow:\n** Orphan :component:\n"}, ~w(lint --all)},
    {"plan.headlines", %{org: @plan}, nil},
    {"plan.query", %{org: @plan, query: "(todo)"}, ["query", :file, "(todo)"]},
    {"plan.tangle",
     %{org: "* Report :workflow:\n** A :component:\n#+begin_src js :out a:string\n#+end_src\n"}, ~w(tangle)},
    {"plan.tasks", %{org: @plan}, ~w(tasks)},
    {"plan.check_upgrade", %{old: @plan, new: @plan}, nil},
    {"plan.set_state", %{org: @plan, task: "rest", state: "DONE"}, nil},
    {"schedule.in_plan", %{org: "* Daily :workflow:\n:PROPERTIES:\n:SCHEDULE: 0 9 * * *\n:END:\n"}, nil},
    {"toolkit.list", %{}, ~w(toolkit list)},
    {"toolkit.show", %{id: "plans"}, ~w(toolkit show plans)},
    {"toolkit.skill", %{id: "plans", skill: "overview"}, ~w(toolkit show plans overview)},
    {"toolkit.search", %{query: "check"}, ~w(toolkit search check)},
    {"toolkit.verify", %{id: "plans"}, ~w(toolkit verify plans)},
    {"shell.words", %{}, nil},
    {"operation.list", %{}, nil}
  ]

  # What is refused is refused alike.
  @refusals [
    {"plan.query", %{org: @plan, query: "(and (todo"}, ["query", :file, "(and (todo"], :bad_query},
    {"toolkit.show", %{id: "nobody"}, ~w(toolkit show nobody), :unknown_toolkit},
    {"toolkit.skill", %{id: "plans", skill: "../manifest"}, ~w(toolkit show plans ../manifest),
     :invalid_name},
    {"session.continue", %{token: "nonsense", intent: "advance"}, ~w(session continue nonsense),
     :token_invalid_format},
    {"ledger.verify", %{at: "/no/such/plan.org"}, ~w(ledger verify /no/such/plan.org), :no_history}
  ]

  setup do
    dir = Path.join(System.tmp_dir!(), "workbooks-operations-#{System.unique_integer([:positive])}")
    File.mkdir_p!(dir)
    on_exit(fn -> File.rm_rf!(dir) end)
    %{dir: dir}
  end

  for {name, params, words} <- @questions do
    test "#{name} has an answer, and the terminal has the same", %{dir: dir} do
      assert {:ok, answer} = Operations.call(unquote(name), unquote(Macro.escape(params)))
      if words = unquote(words), do: assert(wbx(words, unquote(Macro.escape(params)), dir)["data"] == answer)
    end
  end

  for {name, params, words, code} <- @refusals do
    test "#{name} refuses with #{code}, and so does the terminal", %{dir: dir} do
      assert {:error, %Error{code: unquote(code)} = error} =
               Operations.call(unquote(name), unquote(Macro.escape(params)))

      said = wbx(unquote(words), unquote(Macro.escape(params)), dir)["error"]
      assert String.downcase(said["code"]) == "#{error.code}"
      assert {said["hint"], said["retryable"]} == {error.hint, error.retryable}
    end
  end

  test "every operation refuses a field that nobody knows, and points at it" do
    for %{"name" => name} <- Operations.call!("operation.list") do
      assert {:error, %Error{code: :bad_option, details: %{pointer: pointer}}} =
               Operations.call(name, %{teleport: true}),
             name

      assert pointer in ["/teleport", ""], "#{name}: #{inspect(pointer)}"
    end
  end

  test "every live operation has a function here, and nothing else has" do
    live = for %{"name" => name, "live" => true} <- Operations.call!("operation.list"), do: name
    assert Enum.sort(live) == Enum.sort(Live.names())
  end

  test "an operation that is not there, and parameters that have no JSON, are errors" do
    assert {:error, %Error{code: :unknown_operation}} = Operations.call("plan.teleport")
    assert {:error, %Error{code: :not_json}} = Operations.call("plan.validate", %{org: self()})
    assert {:error, %Error{code: :not_utf8}} = Operations.call("plan.validate", %{org: <<255>>})
    assert_raise Error, fn -> Operations.call!("plan.validate") end
  end

  test "a run is started, followed and answered", %{dir: dir} do
    params = %{waiting(dir) | worker: "shell"}
    File.write!(params.plan, "* TODO Rest\n:done-when: true\n#+begin_src sh\necho resting\n#+end_src\n")

    assert {:ok, %{"state" => "done", "tasks" => [%{"id" => "rest"}]}} =
             Operations.call("run.start", params, stream: {self(), :heard})

    assert_received {:heard, :event,
                     %{"event" => "run_started", "run" => run, "tasks" => [%{"id" => "rest"}]}}

    assert_received {:heard, :event, %{"event" => "task_finished", "id" => "rest", "state" => "done"}}
    assert_received {:heard, :event, %{"event" => "run_finished"}}
    assert {:ok, %{"id" => ^run, "state" => "done"}} = Operations.call("run.status", %{run: run})
    assert {:ok, runs} = Operations.call("run.list")
    assert run in Enum.map(runs, & &1["id"])
    assert {:error, %Error{code: :unknown_run}} = Operations.call("run.cancel", %{run: "nobody"})
  end

  test "what a run left has one answer from both doors", %{dir: dir} do
    params = %{waiting(dir) | worker: "shell"}
    plan = params.plan
    File.write!(plan, "* TODO Rest\n:done-when: true\n* TODO Work\n:done-when: test -s gone\n")
    {:ok, %{"state" => "partial"}} = Operations.call("run.start", params)
    File.write!(plan, String.replace(File.read!(plan), "test -s gone", "true"))
    history = [history: params.history]

    for {name, asked, words} <- [
          {"plan.status", %{plan: plan}, ["status", plan]},
          {"ledger.verify", %{at: plan}, ["ledger", "verify", plan]},
          {"ledger.show", %{at: plan}, ["ledger", "show", plan]},
          {"telemetry.events", %{at: plan}, ["telemetry", plan]},
          {"plan.certify", %{plan: plan, task: "work"}, ["certify", plan, "work"]}
        ] do
      said = wbx(words ++ ["--history", params.history], %{}, dir)

      case Operations.call(name, asked, history) do
        {:ok, answer} -> assert said["data"] == answer, name
        {:error, error} -> assert said["error"]["code"] == "#{error.code}", name
      end
    end

    assert %{"amendments" => [%{"id" => "work"}], "tasks" => [%{"verdict" => %{"state" => "DONE"}}, _]} =
             Operations.call!("plan.status", %{plan: plan}, history)

    assert {:error, %Error{code: :bad_option}} =
             Operations.call("plan.accept", %{plan: plan, ids: ["work"], by: " "}, history)

    assert %{"amendments" => []} =
             Operations.call!("plan.accept", %{plan: plan, ids: ["work"], by: "ada"}, history)

    assert %{"amendments" => [], "problems" => []} = Operations.call!("plan.status", %{plan: plan}, history)
    envelope = Operations.call!("plan.certify", %{plan: plan, task: "rest"}, history)
    assert %{"did" => did} = Operations.call!("certificate.verify", %{certificate: envelope})
    assert %{"did" => ^did} = Operations.call!("ledger.key", %{}, history)
    forged = Map.update!(envelope, "payload", &("A" <> &1))
    assert {:error, %Error{}} = Operations.call("certificate.verify", %{certificate: forged})
  end

  test "operations look where the configuration says", %{dir: dir} do
    {:ok, data} = Workbooks.Config.dir(Workbooks.Config.current(), :data_dir)
    assert {:ok, listed} = Operations.call("workbook.list")
    assert Enum.sort(Enum.map(listed, & &1["id"])) == Enum.sort(Enum.map(Workbooks.Deploy.list!(), & &1.id))
    assert {:error, %Error{code: :not_found}} = Operations.call("workbook.history", %{id: "nobody"})

    for id <- ["../..", "a/b", "", "."] do
      assert {:error, %Error{code: :bad_option}} = Operations.call("workbook.history", %{id: id}), id
    end

    settings = [data_dir: data <> "-other", history_dir: Path.join(dir, "history"), workers: 1]
    runtime = Workbooks.Native.start(Workbooks.Config.new!(settings))
    assert {:ok, %{"did" => did}} = in_runtime(runtime, "ledger.key", dir)
    assert {:ok, ^did} = Workbooks.Ledger.did(history: Path.join(dir, "history"))

    bare = Workbooks.Native.start(Workbooks.Config.new!(data_dir: nil, workers: 1))
    assert {:error, %Error{code: :no_data_dir}} = in_runtime(bare, "workbook.list", dir)
  end

  defp in_runtime(runtime, name, here) do
    order = %{
      params: %{},
      form: :term,
      settings: Operations.Settings.new(),
      here: here,
      toolkits: nil,
      history: nil,
      sessions: nil,
      workdir: nil,
      verdict: nil,
      now: nil
    }

    Workbooks.Native.call_operation(runtime, name, order, nil, nil)
  end

  describe "events are subscribed to" do
    setup %{dir: dir} do
      test = self()

      listen = fn params ->
        tag = make_ref()
        {tag, Task.async(fn -> Operations.call("run.subscribe", params, stream: {test, tag}) end)}
      end

      %{params: waiting(dir), listen: listen}
    end

    test "of a run, from the number that is known, until it is over", %{params: params, listen: listen} do
      {:ok, run} =
        Workbooks.Run.start(params.plan, worker: Workbooks.Workflow.WaitingWorker, history: params.history)

      {tag, listener} = listen.(%{run: run, after: 0})
      assert_receive {^tag, :event, %{"event" => "run_started", "run" => ^run, "seq" => 1}}, 10_000
      assert_receive {^tag, :event, %{"event" => "task_started", "seq" => 2}}, 10_000
      {:ok, _} = Operations.call("run.cancel", %{run: run})
      assert {:ok, %{"run" => ^run, "state" => "cancelled", "seq" => seq}} = Task.await(listener)
      assert_received {^tag, :event, %{"event" => "run_finished", "seq" => ^seq}}

      assert {:ok, %{"state" => "cancelled", "seq" => ^seq}} =
               Operations.call("run.subscribe", %{run: run, after: seq})

      assert {:error, %Error{code: :events_lost}} =
               Operations.call("run.subscribe", %{run: run, after: seq + 1})
    end

    test "of a plan and of everything, until nobody listens", %{params: params, listen: listen} do
      listeners = for params <- [%{plan: params.plan}, %{}], do: listen.(params)
      topics = [{:plan, params.plan |> Workbooks.Run.Workdir.real() |> elem(1)}, :all]
      wait_for(fn -> Enum.all?(topics, &(Workbooks.Run.Supervisor.subscribers([&1]) != [])) end)
      {:ok, run} = Workbooks.Run.start(params.plan, run: fn _ -> "" end, history: params.history)

      for {tag, _} <- listeners,
          do: assert_receive({^tag, :event, %{"event" => "run_finished", "run" => ^run}}, 10_000)

      for {_, listener} <- listeners, do: Task.shutdown(listener, :brutal_kill)
      wait_for(fn -> Workbooks.Run.Supervisor.subscribers([hd(topics)]) == [] end)
    end

    test "of one thing at a time, and by number only of a run" do
      for params <- [%{run: "r", plan: "p"}, %{after: 3}, %{plan: "p", after: 3}],
          do: assert({:error, %Error{code: :bad_option}} = Operations.call("run.subscribe", params))

      assert {:error, %Error{code: :unknown_run}} = Operations.call("run.subscribe", %{run: "nobody"})
    end

    defp wait_for(fun), do: fun.() || (Process.sleep(5) && wait_for(fun))
  end

  test "a run whose caller is gone is cancelled", %{dir: dir} do
    test = self()
    caller = spawn(fn -> Operations.call("run.start", waiting(dir), stream: {test, :heard}) end)
    assert_receive {:heard, :event, %{"event" => "run_started", "run" => run}}, 10_000
    :ok = Workbooks.Run.subscribe(run)
    Process.exit(caller, :kill)
    assert_receive {:workbooks, ^run, {:run_finished, %{state: :cancelled}}}, 10_000
  end

  test "a crash is an internal error and a line in the log, and the next call works", %{dir: dir} do
    before = Task.Supervisor.children(Operations.Tasks)
    test = self()
    caller = Task.async(fn -> Operations.call("run.start", waiting(dir), stream: {test, :heard}) end)
    assert_receive {:heard, :event, %{"event" => "run_started", "run" => run}}, 10_000

    log =
      capture_log(fn ->
        [task] = Task.Supervisor.children(Operations.Tasks) -- before
        Process.exit(task, :kill)

        assert {:error, %Error{code: :internal, message: "`run.start` crashed"}} = Task.await(caller)
      end)

    assert log =~ "run.start crashed"
    assert {:ok, _} = Operations.call("run.cancel", %{run: run})
  end

  defp waiting(dir) do
    work = Path.join(dir, "work")
    File.mkdir_p!(work)
    plan = Path.join(work, "plan.org")
    File.write!(plan, "* TODO Wait\n:done-when: true\n")
    %{plan: plan, worker: "wait", history: Path.join(dir, "history")}
  end

  defp wbx(words, params, dir) do
    file = Path.join(dir, "plan.org")
    File.write!(file, params[:org] || "")
    asked = Enum.map(words, &if(&1 == :file, do: file, else: &1))
    asked = if :file in words or params[:org] == nil, do: asked, else: asked ++ [file]
    env = [{"XDG_STATE_HOME", dir}, {"WORKBOOKS_HOME", nil}]
    {output, _status} = System.cmd(Path.expand("target/release/wbx"), asked ++ ["--json"], env: env)
    {:ok, said} = Workbooks.JSON.decode(output)
    said
  end
end
