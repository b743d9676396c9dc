defmodule Workbooks.Schedule.Forecast do
  @moduledoc false
  # When workflows run next, from their plans and from what was written down, where no scheduler runs. It only reads.

  alias Workbooks.Schedule
  alias Workbooks.Schedule.{Entry, Plans, Record}

  @doc "Every scheduled workflow of these plans. `dir` is where schedulers write down what they run."
  @spec entries([Schedule.live()], Path.t(), integer) ::
          {:ok, [Schedule.entry()]} | {:error, Workbooks.Error.t()}
  def entries(live, dir, now) do
    plans = Plans.read(Plans.new(), live)

    with nil <- Enum.find_value(live, &unreadable(plans, &1.id)) do
      entries = plans |> Plans.entries() |> Map.values() |> Enum.sort_by(& &1.key)
      {:ok, Enum.map(entries, &(&1 |> expect(dir, now) |> Entry.shown()))}
    end
  end

  defp unreadable(plans, id) do
    with :ok <- Plans.problem(plans, id), do: nil
  end

  defp expect(%Entry{unreadable: nil} = entry, dir, now) do
    with {:ok, record} <- Record.read(dir, entry.key),
         entry = %{entry | record: current(entry, record, now)},
         {:ok, decision} <- Schedule.decide(entry.schedule, Entry.progress(entry), now) do
      # What is due already, or was missed, is the next that a scheduler looks at.
      %{entry | next: decision["until"] || decision["due"]}
    else
      {:error, error} -> %{entry | problem: error}
    end
  end

  defp expect(entry, _dir, _now), do: entry

  defp current(%Entry{schedule: same}, %Record{schedule: same} = record, _now), do: record
  defp current(entry, other, now), do: Entry.first_record(entry, other, now)
end
