defmodule Workbooks.ScheduleTest do
  use ExUnit.Case, async: true

  # Schedulers are killed here, and their supervisors say so.
  @moduletag :capture_log

  import ExUnit.CaptureLog
  import Workbooks.Travel

  alias Workbooks.{OtherVM, Schedule}

  @moduletag :tmp_dir

  @start ~U[2026-06-11 08:59:00Z]
  @hour 3_600

  defp unix(moment), do: DateTime.to_unix(moment)

  defp daily(catchup \\ "once"),
    do: "* Report :workflow:\n:PROPERTIES:\n:SCHEDULE: 0 9 * * *\n:CATCHUP: #{catchup}\n:END:\n"

  defp advance(scheduler, clock, seconds) do
    set(clock, now(clock) + seconds)
    settle(scheduler, ["book"])
  end

  test "a workflow runs when it is due, and not before", %{tmp_dir: dir} do
    clock = clock!(@start)
    scheduler = start!(dir, clock, [{"book", daily()}])

    assert {:ok, [%{workflow: "Report", next: ~U[2026-06-11 09:00:00Z], last: nil}]} =
             Schedule.next(scheduler, "book")

    assert ran() == []
    advance(scheduler, clock, 60)
    assert_received {:ran, %{workbook: "book", workflow: "Report", path: ["Report"], due: due}, at}
    assert {due, at} == {unix(~U[2026-06-11 09:00:00Z]), unix(~U[2026-06-11 09:00:00Z])}

    assert {:ok, [%{next: ~U[2026-06-12 09:00:00Z], last: ~U[2026-06-11 09:00:00Z], running: false}]} =
             Schedule.next(scheduler, "book")

    advance(scheduler, clock, 23 * @hour)
    assert ran() == []
  end

  for {policy, expected} <- [{"once", [14]}, {"all", [12, 13, 14]}, {"skip", []}] do
    test "what was missed while nobody was there: #{policy}", %{tmp_dir: dir} do
      clock = clock!(@start)
      plans = [{"book", daily(unquote(policy))}]
      scheduler = start!(dir, clock, plans)
      advance(scheduler, clock, 60)
      assert [{"Report", _}] = ran()
      stop_supervised!(scheduler)

      set(clock, unix(~U[2026-06-14 20:00:00Z]))
      scheduler = start!(dir, clock, plans)
      settle(scheduler, ["book"])
      assert for({"Report", due} <- ran(), do: DateTime.from_unix!(due).day) == unquote(expected)
      # On time again.
      set(clock, unix(~U[2026-06-15 09:00:00Z]))
      settle(scheduler, ["book"])
      assert [{"Report", _}] = ran()
    end
  end

  test "a run that takes longer than its period is not started twice", %{tmp_dir: dir} do
    clock = clock!(@start)
    test = self()

    run = fn job ->
      send(test, {:began, self(), job.due})
      receive do: (:end -> :ok)
    end

    plan = "* Slow :workflow:\n:PROPERTIES:\n:SCHEDULE: * * * * *\n:END:\n"
    scheduler = start!(dir, clock, [{"book", plan}], run: run)
    set(clock, unix(~U[2026-06-11 09:00:00Z]))
    Schedule.refresh(scheduler)
    assert_receive {:began, slow, _}
    set(clock, unix(~U[2026-06-11 09:05:00Z]))
    Schedule.refresh(scheduler)
    refute_received {:began, _, _}
    assert {:ok, [%{running: true}]} = Schedule.next(scheduler, "book")
    send(slow, :end)
    # What fell due meanwhile is made up for by one.
    due = unix(~U[2026-06-11 09:05:00Z])
    assert_receive {:began, next, ^due}
    send(next, :end)
    settle(scheduler, ["book"])
    refute_received {:began, _, _}
  end

  test "a run that crashes has been run, and the scheduler goes on", %{tmp_dir: dir} do
    clock = clock!(@start)
    test = self()

    run = fn job ->
      send(test, {:ran, job, 0})
      exit(:oh_no)
    end

    log =
      capture_log(fn ->
        scheduler = start!(dir, clock, [{"book", daily()}], run: run)
        advance(scheduler, clock, 60)
        advance(scheduler, clock, 60)
        assert [{"Report", _}] = ran()
        advance(scheduler, clock, 24 * @hour)
        assert [{"Report", _}] = ran()
      end)

    assert log =~ "the scheduled run of `Report` in `book` failed: :oh_no"
  end

  test "a repeater that counts from completion waits for it", %{tmp_dir: dir} do
    clock = clock!(~U[2026-06-11 09:29:00Z])
    plan = "* Water :workflow:\nSCHEDULED: <2026-06-11 Thu 09:30 .+2d>\n"
    test = self()

    run = fn job ->
      send(test, {:ran, job, 0})
      receive do: (:end -> :ok)
    end

    scheduler = start!(dir, clock, [{"book", plan}], run: fn job -> run.(Map.put(job, :pid, self())) end)
    set(clock, unix(~U[2026-06-11 09:30:00Z]))
    Schedule.refresh(scheduler)
    assert_receive {:ran, %{pid: pid}, _}
    # It takes a day.
    set(clock, unix(~U[2026-06-12 12:00:00Z]))
    send(pid, :end)
    settle(scheduler, ["book"])
    assert {:ok, [%{next: ~U[2026-06-14 09:30:00Z]}]} = Schedule.next(scheduler, "book")
  end

  test "a schedule that is changed counts from when its plan went live", %{tmp_dir: dir} do
    clock = clock!(@start)
    {:ok, plans} = Agent.start_link(fn -> [%{id: "book", org: daily()}] end)
    scheduler = start!(dir, clock, [], source: fn -> Agent.get(plans, & &1) end)
    advance(scheduler, clock, 60)
    assert [{"Report", _}] = ran()

    # At ten, the new plan says eight: that is not a run that was missed.
    set(clock, unix(~U[2026-06-11 10:00:00Z]))
    changed = String.replace(daily(), "0 9", "0 8")
    Agent.update(plans, fn _ -> [%{id: "book", org: changed, since: unix(~U[2026-06-11 09:59:00Z])}] end)
    settle(scheduler, ["book"])
    assert ran() == []
    assert {:ok, [%{next: ~U[2026-06-12 08:00:00Z]}]} = Schedule.next(scheduler, "book")
  end

  test "a workflow that is gone for a moment does not run again what it ran", %{tmp_dir: dir} do
    clock = clock!(@start)
    live = [%{id: "book", org: daily(), since: unix(~U[2026-06-01 00:00:00Z])}]
    {:ok, plans} = Agent.start_link(fn -> live end)
    scheduler = start!(dir, clock, [], source: fn -> Agent.get(plans, & &1) end)
    settle(scheduler, ["book"])
    # What was missed since the first of June, and then the run of this morning.
    assert [{"Report", _}] = ran()
    advance(scheduler, clock, 60)
    assert [{"Report", _}] = ran()

    Agent.update(plans, fn _ -> [] end)
    Schedule.refresh(scheduler)
    assert {:error, %{code: :unknown_workbook}} = Schedule.next(scheduler, "book")
    Agent.update(plans, fn _ -> live end)
    settle(scheduler, ["book"])
    assert ran() == []

    assert {:ok, [%{last: ~U[2026-06-11 09:00:00Z], next: ~U[2026-06-12 09:00:00Z]}]} =
             Schedule.next(scheduler, "book")
  end

  test "a schedule that cannot be read stops only itself, and it is visible why", %{tmp_dir: dir} do
    clock = clock!(@start)

    bad =
      "* Mars :workflow:\n:PROPERTIES:\n:SCHEDULE: 0 9 * * *\n:TZ: Mars/Base\n:END:\n" <>
        "* Plants :workflow:\nSCHEDULED: <2026-06-11 Thu 09:00 +1x>\n"

    log =
      capture_log(fn ->
        scheduler = start!(dir, clock, [{"book", bad <> daily()}])
        assert {:ok, entries} = Schedule.next(scheduler, "book")

        assert for(
                 e <- Enum.sort_by(entries, & &1.workflow),
                 do: {e.workflow, e.problem && e.problem.message}
               ) ==
                 [
                   {"Mars", "there is no time zone `Mars/Base`"},
                   {"Plants", "the repeater `+1x` cannot be read"},
                   {"Report", nil}
                 ]

        advance(scheduler, clock, 60)
        advance(scheduler, clock, 24 * @hour)
        assert [{"Report", _}, {"Report", _}] = ran()
      end)

    # Once, and not with every look.
    assert length(String.split(log, "there is no time zone `Mars/Base`")) == 2
  end

  test "a plan that cannot be read at all is a problem of its own workbook", %{tmp_dir: dir} do
    clock = clock!(@start)

    capture_log(fn ->
      scheduler = start!(dir, clock, [{"book", daily()}, {"bytes", <<255>>}])
      assert {:error, %{code: :not_utf8}} = Schedule.next(scheduler, "bytes")
      advance(scheduler, clock, 60)
      assert [{"Report", _}] = ran()
    end)
  end

  test "where no scheduler runs it is an error, and no crash" do
    for answer <- [Schedule.next(:no_scheduler, "book"), Schedule.refresh(:no_scheduler)] do
      assert {:error, %{code: :schedules_off}} = answer
    end

    # The VM of the tests has schedules off.
    assert {:error, %{code: :schedules_off}} = Schedule.next("book")
    assert_raise Workbooks.Error, fn -> Schedule.next!("book") end
  end

  test "it answers while its source reads, and whoever refreshes meanwhile gets a look of his own", %{
    tmp_dir: dir
  } do
    clock = clock!(@start)
    test = self()
    {:ok, plans} = Agent.start_link(fn -> [%{id: "book", org: daily()}] end)

    source = fn ->
      live = Agent.get(plans, & &1)
      send(test, {:reading, self()})
      receive do: (:go -> live)
    end

    # The helper refreshes once: its own look, and the one at the start.
    starting = Task.async(fn -> receive(do: (scheduler -> Schedule.refresh(scheduler))) end)

    {:ok, scheduler} =
      start_supervised(
        {Schedule,
         source: source, run: fn _ -> :ok end, dir: dir, timer: false, now: fn -> now(clock) end, name: :slow}
      )

    assert_receive {:reading, first}
    # Before anything is known the answer waits for the first look, and for no other.
    asked = Task.async(fn -> Schedule.next(scheduler, "book") end)
    send(starting.pid, scheduler)
    wait_for_calls(scheduler, 2)
    send(first, :go)
    assert {:ok, [%{workflow: "Report"}]} = Task.await(asked)

    # The look of the refresh is under way; the scheduler answers.
    assert_receive {:reading, second}
    assert {:ok, [%{workflow: "Report"}]} = Schedule.next(scheduler, "book")
    Agent.update(plans, fn _ -> [] end)
    late = Task.async(fn -> Schedule.refresh(scheduler) end)
    wait_for_calls(scheduler, 1)
    send(second, :go)
    assert :ok = Task.await(starting)
    # The late one came after the source had been asked, so it is asked again.
    assert_receive {:reading, third}
    send(third, :go)
    assert :ok = Task.await(late)
    assert {:error, %{code: :unknown_workbook}} = Schedule.next(scheduler, "book")
  end

  # Until the scheduler has taken note of this many callers that wait.
  defp wait_for_calls(scheduler, count) do
    %{waiting: waiting, later: later} = :sys.get_state(scheduler)
    unless length(waiting) + length(later) >= count, do: wait_for_calls(scheduler, count)
  end

  test "what will run is told from the plans where no scheduler runs, and nothing is written", %{tmp_dir: dir} do
    clock = clock!(@start)
    plans = [%{id: "book", org: daily(), since: unix(@start)}]
    assert {:ok, [%{next: ~U[2026-06-11 09:00:00Z], last: nil}]} = Schedule.forecast(plans, dir, unix(@start))
    assert File.ls!(dir) == []

    scheduler = start!(dir, clock, [], source: fn -> plans end)
    advance(scheduler, clock, 60)
    assert [{"Report", _}] = ran()
    {:ok, known} = Schedule.next(scheduler, "book")
    assert Schedule.forecast(plans, dir, now(clock)) == {:ok, known}

    bad = [%{id: "bad", org: "* Plants :workflow:\nSCHEDULED: <2026-06-11 Thu +1x>\n"}]

    capture_log(fn ->
      assert {:ok, [%{next: nil, problem: %{code: :bad_schedule}}]} = Schedule.forecast(bad, dir, 0)
    end)
  end

  test "what cannot be written down is not run", %{tmp_dir: dir} do
    clock = clock!(@start)
    scheduler = start!(dir, clock, [{"book", daily()}])
    [place] = File.ls!(dir)
    # A directory where the next record should stand.
    File.mkdir_p!(Path.join([dir, place, "2.json"]))
    advance(scheduler, clock, 60)
    assert ran() == []
    assert {:ok, [%{problem: %{code: :io}}]} = Schedule.next(scheduler, "book")
  end

  test "a source that fails changes nothing", %{tmp_dir: dir} do
    clock = clock!(@start)
    {:ok, fails} = Agent.start_link(fn -> false end)
    source = fn -> if Agent.get(fails, & &1), do: raise("no source"), else: [%{id: "book", org: daily()}] end
    scheduler = start!(dir, clock, [], source: source)
    Agent.update(fails, fn _ -> true end)
    log = capture_log(fn -> advance(scheduler, clock, 60) end)
    assert log =~ "no source"
    assert [{"Report", _}] = ran()
  end

  test "of two schedulers over one directory, one runs it", %{tmp_dir: dir} do
    clock = clock!(@start)
    plan = "* Often :workflow:\n:PROPERTIES:\n:SCHEDULE: * * * * *\n:END:\n"
    schedulers = for _ <- 1..3, do: start!(dir, clock, [{"book", plan}])

    for _ <- 1..60 do
      set(clock, now(clock) + 60)
      schedulers |> Enum.map(&Task.async(fn -> settle(&1, ["book"]) end)) |> Task.await_many(60_000)
    end

    due = for {"Often", due} <- ran(), do: due
    assert Enum.sort(due) == Enum.uniq(Enum.sort(due))
    assert length(due) == 60
  end

  # A clock that runs six hundred times as fast as ours, in every VM alike: a minute passes ten times a second.
  @script ~S"""
  Application.load(:workbooks)
  Application.put_env(:workbooks, :data_dir, DIR <> "/data")
  {:ok, _} = Application.ensure_all_started(:workbooks)
  now = fn -> 1_800_000_000 + div((System.os_time(:millisecond) - EPOCH) * 600, 1_000) end
  plan = "* Often :workflow:\n:PROPERTIES:\n:SCHEDULE: * * * * *\n:CATCHUP: all\n:END:\n"
  run = fn job ->
    {:ok, file} = :file.open(DIR <> "/ran", [:append, :raw])
    :ok = :file.write(file, "#{job.due}\n")
    :ok = :file.sync(file)
    :file.close(file)
  end
  {:ok, _} = Workbooks.Schedule.start_link(
    source: fn -> [%{id: "book", org: plan}] end, run: run, now: now, dir: DIR <> "/schedules", timer: false)
  IO.puts("UP")
  for _ <- Stream.cycle([1]), do: Workbooks.Schedule.refresh()
  """

  @tag timeout: 300_000
  test "killed at any moment, it never runs the same time twice, and goes on", %{tmp_dir: dir} do
    values = [DIR: inspect(dir), EPOCH: "#{System.os_time(:millisecond)}"]

    script =
      Enum.reduce(values, @script, fn {name, value}, script -> String.replace(script, "#{name}", value) end)

    for round <- 1..6 do
      port = OtherVM.open(script)
      {:os_pid, pid} = Port.info(port, :os_pid)
      assert_receive {^port, {:data, {:eol, "UP"}}}, 60_000
      # It has run something since it came up; then some moment or other.
      before = length(ran(dir))
      Workbooks.Eventually.eventually(fn -> length(ran(dir)) > before + 2 end)
      Process.sleep(83 * round)
      {_, 0} = System.cmd("kill", ["-9", "#{pid}"])
      assert_receive {^port, {:exit_status, 137}}, 60_000
    end

    ran = ran(dir)
    assert length(ran) > 10
    assert ran == Enum.uniq(ran)
    # `all` leaves nothing out but what was cut off: at most one for each kill.
    times = ran |> Enum.map(&String.to_integer/1) |> Enum.sort()
    assert div(List.last(times) - hd(times), 60) + 1 - length(times) <= 6
  end

  defp ran(dir) do
    case File.read(Path.join(dir, "ran")) do
      {:ok, text} -> String.split(text, "\n", trim: true)
      {:error, :enoent} -> []
    end
  end
end
