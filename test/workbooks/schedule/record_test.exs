defmodule Workbooks.Schedule.RecordTest do
  use ExUnit.Case, async: true

  import Workbooks.Travel

  alias Workbooks.{Error, Schedule}
  alias Workbooks.Schedule.Record

  @moduletag :tmp_dir
  @key {"book", ["Report"]}
  @schedule %{"cron" => "0 9 * * *", "tz" => "UTC", "catchup" => "once", "at" => nil, "repeat" => nil}

  defp written!(dir) do
    {:ok, record} = Record.write(dir, @key, %Record{schedule: @schedule, since: 1_000})
    [place] = File.ls!(dir)
    {record, Path.join([dir, place, "1.json"])}
  end

  test "what was written is read", %{tmp_dir: dir} do
    assert Record.read(dir, @key) == {:ok, nil}
    {record, _} = written!(dir)
    assert Record.read(dir, @key) == {:ok, record}
    assert {:ok, %Record{n: 2, last: 2_000}} = Record.write(dir, @key, %{record | last: 2_000})
    # From a record that is old by now nothing can be written.
    assert Record.write(dir, @key, %{record | last: 3_000}) == :taken
  end

  for {what, text} <- [
        {"is not JSON", "{"},
        {"is empty", ""},
        {"is no object", "[]"},
        {"is another object", "{}"},
        {"lacks its schedule", ~s({"version": 1, "since": 1, "last": null, "completed": null})},
        {"has a word for a time",
         ~s({"version": 1, "schedule": {}, "since": 1, "last": "never", "completed": null})},
        {"has no time since when", ~s({"version": 1, "schedule": {}, "last": null, "completed": null})}
      ] do
    test "a record that #{what} is damaged, and the error says which and where", %{tmp_dir: dir} do
      {_, path} = written!(dir)
      File.write!(path, unquote(text))
      assert {:error, %Error{code: :corrupt, message: message, hint: hint}} = Record.read(dir, @key)
      assert message == "the record of `Report` in workbook `book` is damaged"
      assert hint =~ Path.dirname(path)
    end
  end

  test "a record of another version is not damaged", %{tmp_dir: dir} do
    {_, path} = written!(dir)
    File.write!(path, ~s({"version": 2}))
    assert {:error, %Error{code: :unknown_version}} = Record.read(dir, @key)
  end

  test "a damaged record stops its own schedule, visibly, and no other", %{tmp_dir: dir} do
    clock = clock!(~U[2026-06-11 08:59:00Z])
    workflow = fn title -> "* #{title} :workflow:\n:PROPERTIES:\n:SCHEDULE: 0 9 * * *\n:END:\n" end
    plans = [{"book", workflow.("Report") <> workflow.("Other")}]
    scheduler = start!(dir, clock, plans)
    stop_supervised!(scheduler)

    for place <- File.ls!(dir),
        path = Path.join([dir, place, "1.json"]),
        File.read!(path) =~ "Report",
        do: File.write!(path, "{}")

    scheduler = start!(dir, clock, plans)
    set(clock, now(clock) + 60)
    settle(scheduler, ["book"])
    assert [{"Other", _}] = ran()
    {:ok, entries} = Schedule.next(scheduler, "book")
    assert %{problem: %Error{code: :corrupt}, next: nil} = Enum.find(entries, &(&1.workflow == "Report"))
    assert %{problem: nil} = Enum.find(entries, &(&1.workflow == "Other"))
  end
end
