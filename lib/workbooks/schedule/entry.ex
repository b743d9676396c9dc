defmodule Workbooks.Schedule.Entry do
  @moduledoc false
  # One workflow that runs by itself, as the scheduler knows it.

  alias Workbooks.Schedule.Record

  @enforce_keys [:key, :workbook, :workflow, :path, :schedule]
  defstruct [
    :key,
    :workbook,
    :workflow,
    :path,
    :schedule,
    :unreadable,
    :since,
    :record,
    :next,
    :task,
    :problem
  ]

  @typedoc """
  `unreadable` is why the plan's schedule cannot be read, and stays until the plan changes. `problem` is what went wrong at
  the last look, such as a record that could not be written.
  """
  @type t :: %__MODULE__{
          key: Record.key(),
          workbook: String.t(),
          workflow: String.t(),
          path: [String.t()],
          schedule: Workbooks.Schedule.schedule() | nil,
          unreadable: Workbooks.Error.t() | nil,
          since: integer | nil,
          record: Record.t() | nil,
          next: integer | nil,
          task: reference | nil,
          problem: Workbooks.Error.t() | nil
        }

  @doc "From what a plan says."
  @spec new(Workbooks.Schedule.live(), Workbooks.Schedule.planned()) :: t
  def new(live, planned) do
    %__MODULE__{
      key: {live.id, planned.path},
      workbook: live.id,
      workflow: planned.workflow,
      path: planned.path,
      schedule: planned.schedule,
      unreadable: planned.problem,
      since: live[:since]
    }
  end

  @doc "What is known, with what the plan says now."
  @spec renewed(t, t) :: t
  def renewed(known, wanted),
    do: %{known | schedule: wanted.schedule, unreadable: wanted.unreadable, since: wanted.since}

  @doc "The record of a schedule that nothing was run for yet. `other` is that of an earlier schedule of the workflow."
  @spec first_record(t, Record.t() | nil, integer) :: Record.t()
  def first_record(entry, other, now),
    do: %Record{schedule: entry.schedule, since: entry.since || now, n: if(other, do: other.n, else: 0)}

  @doc "What has happened so far. What fell due before the plan went live was not missed: nobody had promised it."
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
      problem: entry.unreadable || entry.problem
    }
  end

  defp moment(nil), do: nil
  defp moment(seconds), do: DateTime.from_unix!(seconds)
end
