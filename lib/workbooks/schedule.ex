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

  alias Workbooks.{Error, Operations}
  alias Workbooks.Schedule.{Forecast, Server}

  @typedoc "What a plan says: `cron`, or `at` with or without `repeat`; `tz` and `catchup`."
  @type schedule :: %{String.t() => String.t() | nil}

  @typedoc "A workflow that runs by itself, or was meant to: then `problem` says why it does not."
  @type planned :: %{
          workflow: String.t(),
          path: [String.t()],
          line: pos_integer,
          schedule: schedule | nil,
          problem: Error.t() | nil
        }

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
          schedule: schedule | nil,
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

  @doc """
  When the workflows of a workbook run next. One that never runs again has `next: nil`; one whose schedule cannot be read
  has a `problem` as well, and the others go on.

  Where no scheduler runs it is an error `:schedules_off`: `Workbooks.Deploy.next/1` tells the times from the plans alone.
  """
  @spec next(String.t()) :: {:ok, [entry]} | {:error, Error.t()}
  def next(id), do: next(__MODULE__, id)

  @doc "`next/1` of a scheduler with another name."
  @spec next(GenServer.server(), String.t()) :: {:ok, [entry]} | {:error, Error.t()}
  def next(scheduler, id) do
    with {:ok, answer} <- call(scheduler, {:next, id}), do: answer
  end

  @doc "`next/1`, or an exception."
  @spec next!(String.t()) :: [entry]
  def next!(id), do: bang(next(id))

  @doc """
  `next/1` for these plans where no scheduler runs: from the plans, and from what schedulers wrote down in `dir`. Nothing is
  started or written.
  """
  @spec forecast([live], Path.t(), integer) :: {:ok, [entry]} | {:error, Error.t()}
  def forecast(live, dir, now \\ System.os_time(:second)), do: Forecast.entries(live, Path.expand(dir), now)

  @doc "`forecast/3`, or an exception."
  @spec forecast!([live], Path.t(), integer) :: [entry]
  def forecast!(live, dir, now \\ System.os_time(:second)), do: bang(forecast(live, dir, now))

  @doc "Looks at the source and the clock now, and starts what is due. Call it after a deploy."
  @spec refresh(GenServer.server()) :: :ok | {:error, Error.t()}
  def refresh(scheduler \\ __MODULE__) do
    with {:ok, :ok} <- call(scheduler, :refresh), do: :ok
  end

  # A scheduler that is not there, or ends meanwhile, is an answer and no crash of the caller. It answers `next` at once
  # and `refresh` when it has looked, however long the source takes: so there is no time limit.
  defp call(scheduler, request) do
    {:ok, GenServer.call(scheduler, request, :infinity)}
  catch
    :exit, {_reason, {GenServer, :call, _}} ->
      {:error,
       Error.new(
         :schedules_off,
         "no scheduler runs here",
         "set `config :workbooks, schedules: true` in the VM that is to run schedules"
       )}
  end

  @doc """
  The workflows of a plan that run by themselves. One whose schedule cannot be read is among them, with its `problem`.

      iex> {:ok, [plants]} = Workbooks.Schedule.in_plan("* Plants :workflow:\\nSCHEDULED: <2026-06-11 Thu +1x>\\n")
      iex> plants.problem.message
      "the repeater `+1x` cannot be read"
  """
  @spec in_plan(String.t()) :: {:ok, [planned]} | {:error, Error.t()}
  def in_plan(org) do
    with {:ok, found} <- Operations.call("schedule.in_plan", %{org: org}),
         do: {:ok, Enum.map(found, &planned/1)}
  end

  @doc "`in_plan/1`, or an exception."
  @spec in_plan!(String.t()) :: [planned]
  def in_plan!(org), do: bang(in_plan(org))

  @doc "The names that `:TZ:` may carry: those of the IANA data base that comes with Workbooks."
  @spec zones() :: {:ok, [String.t()]} | {:error, Error.t()}
  def zones, do: Operations.call("schedule.zones", %{})

  @doc "`zones/0`, or an exception."
  @spec zones!() :: [String.t()]
  def zones!, do: bang(zones())

  @doc "The next times of a schedule after a moment, at most 1,000."
  @spec times(schedule, DateTime.t(), non_neg_integer) :: {:ok, [DateTime.t()]} | {:error, Error.t()}
  def times(schedule, after_moment, count) do
    question = %{schedule: schedule, after: DateTime.to_unix(after_moment), count: count}

    with {:ok, times} <- Operations.call("schedule.times", question),
         do: {:ok, Enum.map(times, &DateTime.from_unix!/1)}
  end

  @doc "`times/3`, or an exception."
  @spec times!(schedule, DateTime.t(), non_neg_integer) :: [DateTime.t()]
  def times!(schedule, after_moment, count), do: bang(times(schedule, after_moment, count))

  @doc false
  @spec decide(schedule, map, integer) :: {:ok, map} | {:error, Error.t()}
  def decide(schedule, progress, now),
    do: Operations.call("schedule.decide", %{schedule: schedule, progress: progress, now: now})

  defp planned(found) do
    %{
      workflow: found["workflow"],
      path: found["path"],
      line: found["line"],
      schedule: found["schedule"],
      problem: found["problem"] && Error.from_frame(found["problem"])
    }
  end

  defp bang({:ok, value}), do: value
  defp bang({:error, error}), do: raise(error)

  use Workbooks.Bang, refresh: 0, refresh: 1
end
