defmodule Workbooks.Schedule.YearTest do
  @moduledoc """
  A scheduler lives through a year, with its leap day and the nights in which clocks change, and is killed now and then.
  What it ran is held against a count of every minute of the year, by rules that are written down here and read nowhere.
  """
  use ExUnit.Case, async: true

  # Schedulers are killed here, and their supervisors say so.
  @moduletag :capture_log

  import Workbooks.Travel

  @moduletag :tmp_dir
  @moduletag timeout: 600_000

  @year 2028
  @first DateTime.to_unix(~U[2028-01-01 00:00:00Z])
  @last DateTime.to_unix(~U[2028-12-31 23:59:00Z])

  # 0 is Sunday. Each rule is the schedule in other words.
  @schedules [
    {"Night", "30 2 * * *", :berlin, true},
    {"Office", "0 9 * * MON-FRI", :new_york, true},
    {"Leap", "15 2 29 2 *", :berlin, true},
    {"Ends", "45 23 31 * *", :new_york, true},
    {"Friday", "0 8 13 * FRI", :utc, true},
    {"Passing", "30 */8 * * SUN", :berlin, false}
  ]

  defp fires?("Night", _month, _day, _weekday, hour, minute), do: {hour, minute} == {2, 30}
  defp fires?("Office", _month, _day, weekday, hour, minute), do: weekday in 1..5 and {hour, minute} == {9, 0}
  defp fires?("Leap", month, day, _weekday, hour, minute), do: {month, day, hour, minute} == {2, 29, 2, 15}
  defp fires?("Ends", _month, day, _weekday, hour, minute), do: {day, hour, minute} == {31, 23, 45}

  defp fires?("Friday", _month, day, weekday, hour, minute),
    do: (day == 13 or weekday == 5) and {hour, minute} == {8, 0}

  defp fires?("Passing", _month, _day, weekday, hour, minute),
    do: weekday == 0 and hour in [0, 8, 16] and minute == 30

  defp zone(:berlin), do: "Europe/Berlin"
  defp zone(:new_york), do: "America/New_York"
  defp zone(:utc), do: "UTC"

  # The published rules for 2028: Berlin on 26 March and 29 October at 01:00 UTC, New York on 12 March at 07:00 and on
  # 5 November at 06:00 UTC.
  @summer %{
    berlin: {DateTime.to_unix(~U[2028-03-26 01:00:00Z]), DateTime.to_unix(~U[2028-10-29 01:00:00Z])},
    new_york: {DateTime.to_unix(~U[2028-03-12 07:00:00Z]), DateTime.to_unix(~U[2028-11-05 06:00:00Z])}
  }

  defp offset(:utc, _utc), do: 0
  defp offset(:berlin, utc), do: if(summer?(:berlin, utc), do: 7_200, else: 3_600)
  defp offset(:new_york, utc), do: if(summer?(:new_york, utc), do: -14_400, else: -18_000)

  defp summer?(zone, utc) do
    {from, to} = @summer[zone]
    utc >= from and utc < to
  end

  # Every minute of the year. A schedule that names its hours makes up for local times that were jumped over, at the jump,
  # and leaves out those that come a second time; another one knows only what the clock shows.
  defp counted({name, _cron, zone, by_name}) do
    {due, _} =
      Enum.flat_map_reduce(@first..@last//60, @first + offset(zone, @first) - 60, fn utc, latest ->
        local = utc + offset(zone, utc)
        jumped = if local > latest + 60, do: Enum.to_list((latest + 60)..(local - 60)//60), else: []

        fires =
          if by_name,
            do: (local > latest and shown?(name, local)) or Enum.any?(jumped, &shown?(name, &1)),
            else: shown?(name, local)

        {if(fires, do: [{name, utc}], else: []), max(latest, local)}
      end)

    due
  end

  defp shown?(name, local) do
    days = Integer.floor_div(local, 86_400)
    minutes = div(Integer.mod(local, 86_400), 60)
    {_year, month, day} = :calendar.gregorian_days_to_date(days + 719_528)
    fires?(name, month, day, Integer.mod(days + 4, 7), div(minutes, 60), rem(minutes, 60))
  end

  defp plan do
    for {name, cron, zone, _} <- @schedules, into: "" do
      "* #{name} :workflow:\n:PROPERTIES:\n:SCHEDULE: #{cron}\n:TZ: #{zone(zone)}\n:END:\n"
    end
  end

  test "every due time is run once, and nothing else", %{tmp_dir: dir} do
    assert @year == 2028
    clock = clock!(DateTime.from_unix!(@first - 60))
    plans = [{"book", plan()}]

    # Killed in the middle of the year, on the day that clocks change, and around the leap day.
    stops =
      Enum.map(
        [
          ~U[2028-02-29 01:15:00Z],
          ~U[2028-03-26 00:59:00Z],
          ~U[2028-07-07 12:00:00Z],
          ~U[2028-10-29 00:30:00Z]
        ],
        &DateTime.to_unix/1
      )

    for last <- stops ++ [@last] do
      scheduler = start!(dir, clock, plans)
      travel(scheduler, clock, ["book"], last)
      settle(scheduler, ["book"])
      Process.exit(Process.whereis(scheduler), :kill)
    end

    expected = Enum.flat_map(@schedules, &counted/1)
    assert Enum.count(expected, &match?({"Leap", _}, &1)) == 1
    assert length(expected) > 800
    assert Enum.sort(ran()) == Enum.sort(expected)
  end
end
