defmodule Workbooks.TelemetryTest do
  use ExUnit.Case, async: true

  alias Workbooks.{Error, History, Telemetry}

  @moduletag :tmp_dir

  setup %{tmp_dir: dir} do
    plan = Path.join(dir, "plan.org")
    opts = [history: Path.join(dir, "history")]
    File.write!(plan, "* TODO Ship\n")

    for {run_id, state, ts} <- [{"run-1", "FAILED", 1}, {"run-2", "DONE", 2}] do
      {:ok, history} = History.open(plan, [run_id: run_id, ts: ts] ++ opts)
      {:ok, []} = History.verdict(history, %{task_id: "ship", state: state, reason: "why", ts: ts})
      {:ok, []} = History.close(history)
    end

    %{plan: plan, opts: opts}
  end

  test "the history of a task spans runs, by plan and by directory", %{plan: plan, opts: opts, tmp_dir: dir} do
    for at <- [plan, dir] do
      assert {:ok, [first, second]} = Telemetry.history(at, "ship", opts)

      assert first == %{
               "run_id" => "run-1",
               "task_id" => "ship",
               "idx" => nil,
               "title" => nil,
               "state" => "FAILED",
               "output" => nil,
               "ts" => 1,
               "how" => nil,
               "reason" => "why"
             }

      assert second["state"] == "DONE"
    end
  end

  test "a task that was never judged has no rows", %{plan: plan, opts: opts} do
    assert Telemetry.history(plan, "other", opts) == {:ok, []}
  end

  test "a forged copy is not asked while the truth is known", %{plan: plan, opts: opts, tmp_dir: dir} do
    File.write!(Path.join(dir, "_telemetry.db"), "forged")
    assert {:ok, [_, _]} = Telemetry.history(plan, "ship", opts)
  end

  test "a copy is read where the truth is not known", %{tmp_dir: dir} do
    elsewhere = Path.join(dir, "elsewhere")
    File.mkdir!(elsewhere)
    File.cp!(Path.join(dir, "_telemetry.db"), Path.join(elsewhere, "_telemetry.db"))
    opts = [history: Path.join(dir, "other-history")]
    assert {:ok, [_, _]} = Telemetry.history(elsewhere, "ship", opts)
    assert {:ok, [_, _]} = Telemetry.history(Path.join(elsewhere, "_telemetry.db"), "ship", opts)
    File.write!(Path.join(elsewhere, "_telemetry.db"), String.duplicate("not a database ", 100))
    assert {:error, %Error{code: :not_telemetry}} = Telemetry.history(elsewhere, "ship", opts)
  end

  test "SQL answers any question", %{plan: plan, opts: opts} do
    sql = "SELECT state, count(*) FROM task_events GROUP BY state ORDER BY state"
    assert Telemetry.query(plan, sql, opts) == {:ok, [["DONE", 1], ["FAILED", 1]]}
  end

  for {what, sql, code} <- [
        {"a write", "DELETE FROM task_events", :denied},
        {"another file", "ATTACH 'x' AS y", :denied},
        {"a pragma", "PRAGMA journal_mode = DELETE", :denied},
        {"two statements", "SELECT 1; SELECT 2", :many_statements},
        {"no SQL", "SELEKT", :sql},
        {"an endless query",
         "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", :timeout},
        {"too many rows", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
         :too_many_rows}
      ] do
    test "#{what} is an error with the code #{code}", %{plan: plan, opts: opts} do
      assert {:error, %Error{code: unquote(code)}} = Telemetry.query(plan, unquote(sql), opts)
    end
  end

  test "of a directory with several plans one must be named for SQL", %{plan: plan, opts: opts, tmp_dir: dir} do
    other = Path.join(dir, "other.org")
    File.write!(other, "")
    {:ok, history} = History.open(other, [run_id: "run-3", ts: 3] ++ opts)
    {:ok, []} = History.verdict(history, %{task_id: "ship", state: "DONE", ts: 3})
    assert {:error, %Error{code: :bad_option}} = Telemetry.query(dir, "SELECT 1", opts)

    assert {:ok, [["DONE"], ["FAILED"]]} =
             Telemetry.query(plan, "SELECT state FROM task_events ORDER BY 1", opts)

    assert {:ok, rows} = Telemetry.history(dir, "ship", opts)
    assert Enum.map(rows, & &1["run_id"]) == ["run-1", "run-2", "run-3"]
  end

  test "a directory without runs has no history", %{tmp_dir: dir, opts: opts} do
    empty = Path.join(dir, "empty")
    File.mkdir!(empty)
    assert {:error, %Error{code: :no_history}} = Telemetry.events(empty, opts)
  end
end
