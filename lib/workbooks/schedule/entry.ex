defmodule Workbooks.Schedule.Entry do
  @moduledoc false
  # One workflow that runs by itself, as the scheduler knows it.

  alias Workbooks.Schedule.Record

  @enforce_keys [:key, :workbook, :workflow, :path, :schedule]
  defstruct [:key, :workbook, :workflow, :path, :schedule, :since, :record, :next, :task, :problem]

  @type t :: %__MODULE__{}

  @doc "From what a plan says."
  @spec new(Workbooks.Schedule.live(), Workbooks.Schedule.planned()) :: t
  def new(live, planned) do
    %__MODULE__{
      key: {live.id, planned.path},
      workbook: live.id,
      workflow: planned.workflow,
      path: planned.path,
      schedule: planned.schedule,
      since: live[:since]
    }
  end

  @doc "What is known, with what the plan says now."
  @spec renewed(t, t) :: t
  def renewed(known, wanted), do: %{known | schedule: wanted.schedule, since: wanted.since}

  @doc "What has happened. Nothing was missed from before the plan went live."
  @spec progress(t) :: map
  def progress(%__MODULE__{record: %Record{} = record, since: since}) do
    record |> Map.take([:since, :last, :completed]) |> Map.update!(:since, &max(&1, since || &1))
  end

  @doc "As `Workbooks.Schedule.next/1` gives it."
  @spec shown(t) :: Workbooks.Schedule.entry()
  def shown(entry) do
    %{
      workbook: entry.workbook,
      workflow: entry.workflow,
      path: entry.path,
      schedule: entry.schedule,
      next: moment(entry.next),
      last: moment(entry.record && entry.record.last),
      running: entry.task != nil,
      problem: entry.problem
    }
  end

  defp moment(nil), do: nil
  defp moment(seconds), do: DateTime.from_unix!(seconds)
end
