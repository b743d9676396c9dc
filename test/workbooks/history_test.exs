defmodule Workbooks.HistoryTest do
  use ExUnit.Case, async: true

  import Workbooks.Eventually
  alias Workbooks.{Error, History, OtherVM, Telemetry}

  @moduletag :tmp_dir

  setup %{tmp_dir: dir} do
    plan = Path.join(dir, "plan.org")
    File.write!(plan, "* TODO Ship\n")
    %{plan: plan, opts: [history: Path.join(dir, "history")]}
  end

  defp open!(plan, opts, run_id \\ "run-1") do
    {:ok, history} = History.open(plan, [run_id: run_id, ts: 1_000] ++ opts)
    history
  end

  defp verdict(task, state), do: %{task_id: task, idx: 0, title: "Ship", state: state, how: "true", ts: 2_000}

  test "a verdict is a row, a line and copies of both when it returns", %{
    plan: plan,
    opts: opts,
    tmp_dir: dir
  } do
    history = open!(plan, opts)
    assert History.step(history, %{step: 1, tool: "sh", exit_code: 0, dur_ms: 3, ts: 1_001}) == :ok
    assert History.verdict(history, verdict("ship", "DONE")) == {:ok, []}

    assert Telemetry.query(plan, "SELECT * FROM task_events", opts) ==
             {:ok, [["run-1", "ship", 0, "Ship", "DONE", nil, 2_000]]}

    assert Telemetry.query(plan, "SELECT * FROM step_events", opts) ==
             {:ok, [["run-1", 1, "sh", 0, nil, 3, 1_001]]}

    assert dir |> Path.join("_steps.jsonl") |> File.read!() |> String.split("\n", trim: true) |> length() == 3
    assert File.exists?(Path.join(dir, "_telemetry.db"))
    assert File.exists?(Path.join(dir, "_ledger.json"))
  end

  test "several verdicts at once are several rows", %{plan: plan, opts: opts} do
    history = open!(plan, opts)
    assert History.verdict(history, Enum.map(1..3, &verdict("t#{&1}", :failed))) == {:ok, []}
    assert {:ok, rows} = History.last_verdicts(plan, opts)

    assert Enum.map(rows, &{&1["task_id"], &1["state"]}) == [
             {"t1", "FAILED"},
             {"t2", "FAILED"},
             {"t3", "FAILED"}
           ]
  end

  test "the last verdict on a task counts", %{plan: plan, opts: opts} do
    history = open!(plan, opts)

    for state <- ["FAILED", "DONE", "FAILED"],
        do: {:ok, []} = History.verdict(history, verdict("ship", state))

    assert {:ok, [%{"state" => "FAILED", "how" => "true"}]} = History.last_verdicts(plan, opts)
  end

  for {what, output, kept} <- [
        {"bytes that are no text", <<"a", 255, "b">>, "a\uFFFDb"},
        {"a tuple", {:error, :enoent}, "{:error, :enoent}"},
        {"nothing", nil, nil},
        {"an atom", :timeout, "timeout"}
      ] do
    test "#{what} can be an output", %{plan: plan, opts: opts} do
      history = open!(plan, opts)

      assert {:ok, []} =
               History.verdict(
                 history,
                 Map.put(verdict("ship", "DONE"), :output, unquote(Macro.escape(output)))
               )

      assert {:ok, [%{"output" => unquote(kept)}]} = Telemetry.history(plan, "ship", opts)
    end
  end

  test "a second run is refused with the id of the first", %{plan: plan, opts: opts} do
    history = open!(plan, opts)

    assert {:error, %Error{code: :already_running, details: %{run_id: "run-1"}}} =
             History.open(plan, [run_id: "run-2", ts: 1] ++ opts)

    assert History.close(history) == {:ok, []}
    assert {:ok, _} = History.open(plan, [run_id: "run-2", ts: 1] ++ opts)
  end

  test "the plan is free when the process that runs it is killed", %{plan: plan, opts: opts} do
    test = self()

    owner =
      spawn(fn ->
        history = open!(plan, opts)
        {:ok, []} = History.verdict(history, verdict("ship", "DONE"))
        send(test, {:opened, history})
        Process.sleep(:infinity)
      end)

    # The test holds the recording too, so it is not the garbage collector that lets go.
    assert_receive {:opened, history}
    ref = Process.monitor(owner)
    Process.exit(owner, :kill)
    assert_receive {:DOWN, ^ref, _, _, _}
    eventually(fn -> match?({:ok, _}, History.open(plan, [run_id: "run-2", ts: 1] ++ opts)) end)
    assert {:error, %Error{code: :closed}} = History.verdict(history, verdict("ship", "DONE"))
    assert {:ok, [%{"state" => "DONE"}]} = Telemetry.history(plan, "ship", opts)
  end

  test "a run that nobody closed can go on, and is not closed until then", %{plan: plan, opts: opts} do
    Task.await(Task.async(fn -> History.verdict(open!(plan, opts), verdict("a", "DONE")) end))
    assert {:ok, [%{"run_id" => "run-1", "closed" => false}]} = History.runs(plan, opts)

    history =
      eventually(fn ->
        with {:error, _} <- History.open(plan, [run_id: "run-1", ts: 1] ++ opts),
             do: nil,
             else: ({:ok, run} -> run)
      end)

    {:ok, []} = History.verdict(history, verdict("b", "DONE"))
    {:ok, []} = History.close(history)
    assert {:ok, [%{"run_id" => "run-1", "closed" => true, "lines" => 4}]} = History.runs(plan, opts)
  end

  test "a plan is exchanged only for what is expected", %{plan: plan, opts: opts} do
    history = open!(plan, opts)

    for where <- [plan, history] do
      File.write!(plan, "old")
      assert History.exchange(where, "old", "new") == :ok
      assert File.read!(plan) == "new"
      assert History.exchange(where, "old", "newer") == {:changed, "new"}
      assert File.read!(plan) == "new"
    end
  end

  test "a link that a worker plants in the plan's place is not followed", %{
    plan: plan,
    opts: opts,
    tmp_dir: dir
  } do
    history = open!(plan, opts)
    victim = Path.join(dir, "victim.org")
    File.write!(victim, "old")
    File.rm!(plan)
    File.ln_s!(victim, plan)
    assert {:error, %Error{code: :io}} = History.exchange(history, "old", "new")
    assert File.read!(victim) == "old"
  end

  test "a plan that is not there is an error", %{tmp_dir: dir, opts: opts} do
    gone = Path.join(dir, "gone.org")
    assert {:error, %Error{code: :not_found}} = History.open(gone, [run_id: "r", ts: 1] ++ opts)
    assert {:error, %Error{code: :not_found}} = History.exchange(gone, "", "")
    assert {:error, %Error{code: :no_history}} = History.last_verdicts(gone, opts)
  end

  test "a record without its fields is refused", %{plan: plan, opts: opts} do
    history = open!(plan, opts)
    assert {:error, %Error{code: :bad_option}} = History.verdict(history, %{task_id: "a", ts: 1})
    assert {:error, %Error{code: :bad_option}} = History.step(history, %{tool: "sh"})
    assert {:error, %Error{code: :bad_option}} = History.open(plan, [run_id: "../x", ts: 1] ++ opts)
  end

  # Every point is tried in native/records/history/tests/kill.rs; this is the same through the BEAM.
  @tag timeout: 120_000
  test "a VM that is killed at a fault point loses nothing acknowledged", %{tmp_dir: dir} do
    for fault <- ["log.torn:3", "log.synced:3", "rows.inserted:3", "copies.staged", "plan.exchanged:2"] do
      dir = Path.join(dir, String.replace(fault, ":", "-"))
      File.mkdir_p!(dir)
      plan = Path.join(dir, "plan.org")
      File.write!(plan, "0")
      opts = [history: Path.join(dir, "history")]
      # A file, because what a killed VM printed may not have left it.
      told = Path.join(dir, "told")
      File.write!(told, "")

      script = ~s"""
      {:ok, _} = Application.ensure_all_started(:workbooks)
      {:ok, h} = Workbooks.History.open(#{inspect(plan)}, run_id: "killed", ts: 1, history: #{inspect(opts[:history])})
      for n <- 1..5 do
        {:ok, []} = Workbooks.History.verdict(h, %{task_id: "t\#{n}", state: :done, ts: n})
        :ok = Workbooks.History.exchange(h, "\#{n - 1}", "\#{n}")
        File.write!(#{inspect(told)}, "x", [:append])
      end
      """

      {_, status} = OtherVM.run(script, under: ["env", "WORKBOOKS_FAULT=#{fault}"])
      assert status != 0, fault
      acknowledged = byte_size(File.read!(told))
      assert acknowledged < 5, fault

      {:ok, history} = History.open(plan, [run_id: "after", ts: 9] ++ opts)
      assert history.found == []
      {:ok, rows} = Telemetry.events(plan, opts)
      assert length(rows) in [acknowledged, acknowledged + 1], fault
      assert File.read!(plan) in ["#{acknowledged}", "#{acknowledged + 1}"], fault
      # A text in the plan has its verdict in the history.
      assert String.to_integer(File.read!(plan)) <= length(rows), fault
      assert {:ok, %{tamper_evident: true, attributable: true}} = Workbooks.Ledger.verify(plan, opts)
    end
  end
end
