defmodule Workbooks.Schedule do
  @moduledoc """
  Runs workflows at the times that their plans name.

      children = [
        {Workbooks.Schedule, source: &MyApp.deployed/0, run: &MyApp.run/1, dir: "/var/lib/my_app/schedules"}
      ]

  `source` gives the plans that are live, each as `%{id: .., org: .., since: seconds}`; `run` gets a job and works in a
  process of its own. Between them stands a promise: a due time is run at most once, whatever is restarted when. That it
  is run is written down, and on the storage, before the run begins.

  A run that takes longer than its period is not started twice: what fell due meanwhile counts as missed. Missed runs are
  made up for by one; `:CATCHUP: skip` lets them go, `:CATCHUP: all` makes up for each. `docs/schedules.md` has the rules.

      iex> plan = "* Report :workflow:\\n:PROPERTIES:\\n:SCHEDULE: 0 9 * * MON-FRI\\n:TZ: Europe/Berlin\\n:END:\\n"
      iex> {:ok, [report]} = Workbooks.Schedule.in_plan(plan)
      iex> {:ok, times} = Workbooks.Schedule.times(report.schedule, ~U[2026-03-27 00:00:00Z], 2)
      iex> times
      [~U[2026-03-27 08:00:00Z], ~U[2026-03-30 07:00:00Z]]
  """

  alias Workbooks.{Error, JSON, Kernel, Native}
  alias Workbooks.Schedule.Server

  @typedoc "What a plan says: `cron`, or `at` with or without `repeat`; `tz` and `catchup`."
  @type schedule :: %{String.t() => String.t() | nil}

  @type planned :: %{workflow: String.t(), path: [String.t()], line: pos_integer, schedule: schedule}

  @typedoc """
  A plan that is live. `since` is when it went live, in seconds since 1970. One that cannot be read at the moment has the
  error in its place: what is known of it stays.
  """
  @type live :: %{
          required(:id) => String.t(),
          required(:org) => String.t() | {:error, Error.t()},
          optional(:since) => integer
        }

  @typedoc "What `run` gets. `due` is in seconds since 1970."
  @type job :: %{workbook: String.t(), workflow: String.t(), path: [String.t()], due: integer}

  @type entry :: %{
          workbook: String.t(),
          workflow: String.t(),
          path: [String.t()],
          schedule: schedule,
          next: DateTime.t() | nil,
          last: DateTime.t() | nil,
          running: boolean,
          problem: Error.t() | nil
        }

  @doc """
  Starts a scheduler.

  ## Options

    * `:source` - a function that gives the live plans
    * `:run` - a function that gets a job. What it returns does not matter; that it ends does
    * `:dir` - where it is written down what was run
    * `:now` - the clock: a function that gives seconds since 1970; by default the system's
    * `:timer` - `false` for a scheduler that looks at the clock only when told to, by `refresh/1`
    * `:name` - by default `Workbooks.Schedule`
  """
  @spec start_link(keyword) :: GenServer.on_start()
  def start_link(opts) do
    opts =
      Keyword.validate!(opts, [
        :source,
        :run,
        :dir,
        name: __MODULE__,
        timer: true,
        now: fn -> System.os_time(:second) end
      ])

    for key <- [:source, :run, :dir], do: Keyword.fetch!(opts, key)
    GenServer.start_link(Server, opts, name: opts[:name])
  end

  @doc false
  def child_spec(opts),
    do: %{id: Keyword.get(opts, :name, __MODULE__), start: {__MODULE__, :start_link, [opts]}}

  @doc "When the workflows of a workbook run next. One that never runs again has `next: nil`."
  @spec next(String.t()) :: {:ok, [entry]} | {:error, Error.t()}
  def next(id), do: next(__MODULE__, id)

  @doc "`next/1` of a scheduler with another name."
  @spec next(GenServer.server(), String.t()) :: {:ok, [entry]} | {:error, Error.t()}
  def next(scheduler, id), do: GenServer.call(scheduler, {:next, id})

  @doc "Looks at the source and the clock now, and starts what is due. Call it after a deploy."
  @spec refresh(GenServer.server()) :: :ok
  def refresh(scheduler \\ __MODULE__), do: GenServer.call(scheduler, :refresh, :infinity)

  @doc "The workflows of a plan that run by themselves. One whose schedule cannot be read is an error."
  @spec in_plan(String.t()) :: {:ok, [planned]} | {:error, Error.t()}
  def in_plan(org) do
    with {:ok, runtime} <- Kernel.runtime(),
         {:ok, found} <- Native.ask_schedule(runtime, {:plan, org}),
         do: {:ok, Enum.map(found, &planned/1)}
  end

  @doc "The next times of a schedule after a moment, at most 1,000."
  @spec times(schedule, DateTime.t(), non_neg_integer) :: {:ok, [DateTime.t()]} | {:error, Error.t()}
  def times(schedule, after_moment, count) do
    question = %{ask: "after", schedule: schedule, after: DateTime.to_unix(after_moment), count: count}
    with {:ok, times} <- ask(question), do: {:ok, Enum.map(times, &DateTime.from_unix!/1)}
  end

  @doc false
  @spec decide(schedule, map, integer) :: {:ok, map} | {:error, Error.t()}
  def decide(schedule, progress, now),
    do: ask(%{ask: "decide", schedule: schedule, progress: progress, now: now})

  defp planned(found) do
    %{
      workflow: found["workflow"],
      path: found["path"],
      line: found["line"],
      schedule: found["schedule"]
    }
  end

  defp ask(question) do
    with {:ok, runtime} <- Kernel.runtime(),
         {:ok, json} <- JSON.encode(question),
         do: Native.ask_schedule(runtime, {:ask, json})
  end
end
