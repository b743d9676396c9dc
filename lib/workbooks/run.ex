defmodule Workbooks.Run do
  @moduledoc """
  A plan being run, as a supervised process.

      {:ok, run} = Workbooks.Run.start("plan.org", run: fn task -> {:ok, MyApp.work(task)} end)
      {:ok, %{state: :done, tasks: tasks}} = Workbooks.Run.await(run)

  A run has an id, a string. Its leaf tasks are done by a worker, its checks decide, and each verdict is in the history
  before anybody hears of it, and in the plan's headline; a plan of more than 64 KiB is written a moment later. See the
  guide `docs/runs.md`.

  ## What may happen to a run

  | | |
  |---|---|
  | a worker or a check crashes | its task is FAILED, the run goes on |
  | the run's process crashes | it starts again and resumes from the plan; after the fourth time in a minute it gives up |
  | the VM or the machine dies | `resume/2` goes on where the plan says |
  | somebody edits the plan | the edit stays; verdicts are applied to the text as it is then |
  | somebody bends the plan between two runs | what was still to be earned and is not the same is an amendment: nothing above it is DONE until a person accepts it |
  | its history cannot be opened | it ends with `:run_refused`, and `await/2` gives the error |
  | a second run of the plan starts | it is refused with `:already_running` and the run's id in `details.run_id`, also from another OS process |

  ## Events

  A subscriber gets `{:workbooks, run_id, {name, data}}`. All data are maps with `:run`, `:seq` (the number of the event in
  its run) and `:ts` (milliseconds since 1970). A task has the same keys wherever it appears, in events, in `status/1` and
  in the result: `:id, :idx, :title, :state, :kind, :level, :line, :keyword, :cookies`, and once it is over `:reason, :output,
  :how`.

  | name | data |
  |---|---|
  | `:run_started` | `:plan`, `:workdir`, `:tasks`, `:amendments`, `:resumed` after a crash, `:warnings` |
  | `:run_refused` | `:code`, `:reason`: the run could not be recorded, and did not begin |
  | `:task_started` | the task; a composite starts with the first task below it |
  | `:task_output` | the task, `:text`, `:stream` (`:stdout`, `:stderr`, or `:worker` for what a worker emits) |
  | `:check_started` | the task, `:claimed`: it said DONE and nobody saw it pass |
  | `:task_finished` | the task, `:changed`, `:warnings` |
  | `:plan_changed` | `:changed`: a large plan was written, some time after the verdicts |
  | `:plan_edited` | somebody else changed the plan |
  | `:run_finished` | `:state`, `:counts` by state, `:amendments`, `:warnings` |

  `:changed` has every headline that says something else since: `%{id, keyword, cookies}`. Whoever has the tasks of
  `:run_started` or of `status/1` and hears the events never reads the plan again, unless `:plan_edited` comes.

  Numbers grow by one. Whoever was away subscribes with `after:` the last number, and gets what came since; if that is not
  kept any more, `status/1` has the number that goes with it. A task that was done before the run has no events. One that is
  blocked has only `:task_finished`.

  ## States

  A task ends `:done`, `:failed`, `:partial`, `:blocked` (what it waits for is not done: its headline stays as it is) or
  `:cancelled` (the plan says CANCELLED). Until then it is `:waiting` or `:running`. A run ends `:done` when every task is
  done or cancelled and no amendment waits to be accepted, else `:partial`; or `:cancelled`.
  """

  alias Workbooks.{Author, Error, History}
  alias Workbooks.Run.{Claims, Options, Supervisor, Workdir}
  alias Workbooks.Workflow.WaitingWorker

  @type id :: String.t()
  @type task :: %{
          id: String.t(),
          idx: non_neg_integer,
          title: String.t(),
          state: :done | :failed | :partial | :blocked | :cancelled | :waiting | :running,
          kind: :leaf | :composite,
          level: pos_integer,
          line: pos_integer,
          keyword: String.t() | nil,
          cookies: [String.t()],
          output: String.t(),
          reason: String.t() | nil,
          how: String.t() | nil
        }
  @type result :: %{
          id: id,
          state: :done | :partial | :cancelled,
          tasks: [task],
          org: String.t() | nil,
          amendments: [History.amendment()],
          warnings: [String.t()]
        }
  @type status :: %{
          id: id,
          plan: Path.t(),
          state: :running | :done | :partial | :cancelled,
          started: integer,
          seq: non_neg_integer,
          counts: %{atom => pos_integer},
          amendments: [History.amendment()],
          tasks: [task]
        }

  @doc """
  Starts a run of the plan file at `plan`.

  ## Options

    * `:run` - a function of a task (see `Workbooks.Workflow.Todo.tasks/1`) that does its work: `{:ok, output}`,
      `{:error, reason}` or the output alone
    * `:worker` - a `Workbooks.Workflow.Worker`, or `{worker, options}`; `Workbooks.Workflow.ShellWorker` by default
    * `:workdir` - the directory that workers and checks see; the plan's by default
    * `:width` - how many tasks are at work at once, 8 by default
    * `:check_timeout` - milliseconds for a check, 30,000 by default
    * `:work_timeout` - milliseconds for a worker, `:infinity` by default
    * `:history` - the history directory; by default under the user's state directory. It must not lie in the workdir
    * `:accept` - the ids of amended tasks that a person accepts; one that is not amended refuses the run
    * `:by` - who that is; by default the user that the system knows
    * `:subscribe` - `true` makes the caller hear all events, from the first
    * `:linger` - how long a run that is over can still be asked for its result: milliseconds, five minutes by default
    * `:clock` - a function that gives the time in milliseconds since 1970

  It returns as soon as the plan is read and is ours: it refuses a plan whose tasks wait for each other (`:cycle`), one that
  is being run already, and one that cannot be read. The first records of the run wait for the disk, and this does not; if
  they cannot be made, the run ends with `:run_refused`, and `await/2` gives the error. With `accept:` it waits for them.
  """
  @spec start(Path.t(), keyword) :: {:ok, id} | {:error, Error.t()}
  def start(plan, opts \\ []) when is_binary(plan) and is_list(opts) do
    with {:ok, options} <- Options.new(plan, opts) do
      if options.subscribe, do: Supervisor.subscribe(options.run_id)
      begin(options)
    end
  end

  # The server answers to an alias, which takes one answer and no more.
  defp begin(%{run_id: run_id} = options) do
    starter = :erlang.alias([:reply])

    with {:ok, family} <- Supervisor.start_run(%{options | starter: starter}),
         :ok <- judged(starter, Process.monitor(family)) do
      {:ok, run_id}
    else
      {:error, {:already_started, _}} ->
        :erlang.unalias(starter)
        {:error, already_running(run_id)}

      {:error, reason} ->
        unsubscribe(run_id)
        {:error, reason}
    end
  end

  defp judged(starter, monitor) do
    receive do
      {^starter, word} ->
        Process.demonitor(monitor, [:flush])
        word

      {:DOWN, ^monitor, :process, _family, reason} ->
        :erlang.unalias(starter)
        text = "the run could not start: #{Exception.format_exit(reason)}"
        {:error, Error.new(:internal, text, "this is a bug in Workbooks; the log has more about it")}
    end
  end

  defp already_running(run_id) do
    message = "the plan is already running, as `#{run_id}`"
    Error.new(:already_running, message, "wait for it, or cancel it", %{run_id: run_id})
  end

  @doc "The same, or raises."
  @spec start!(Path.t(), keyword) :: id
  def start!(plan, opts \\ []), do: Error.bang(start(plan, opts))

  @doc """
  Goes on with a plan whose run was ended from outside: `path` is the plan, or the directory it is in.

  The unfinished run goes on under its id. Done tasks are skipped; a DONE with a check that no record supports is checked
  again first. Takes the options of `start/2`: a worker cannot be remembered.
  """
  @spec resume(Path.t(), keyword) :: {:ok, id} | {:error, Error.t()}
  def resume(path, opts \\ []) when is_binary(path) and is_list(opts) do
    with {:ok, plan} <- plan_at(Path.expand(path), opts),
         {:ok, unfinished} <- unfinished(plan, opts),
         do: start(plan, if(unfinished, do: [run_id: unfinished] ++ opts, else: opts))
  end

  defp plan_at(path, opts) do
    if File.dir?(path),
      do: path |> Path.join("*.org") |> Path.wildcard() |> choose(path, opts),
      else: {:ok, path}
  end

  # The one with an unfinished run; else the only one.
  defp choose(plans, path, opts) do
    case {Enum.filter(plans, &match?({:ok, id} when is_binary(id), unfinished(&1, opts))), plans} do
      {[plan], _} -> {:ok, plan}
      {[], [plan]} -> {:ok, plan}
      {_, []} -> {:error, Error.new(:not_found, "there is no plan in `#{path}`", "name the plan file")}
      _ -> {:error, Error.new(:not_found, "several plans in `#{path}` could be meant", "name the plan file")}
    end
  end

  # The newest run that did not come to its end.
  defp unfinished(plan, opts) do
    case History.runs(plan, Keyword.take(opts, [:history])) do
      {:ok, runs} -> {:ok, runs |> Enum.reverse() |> Enum.find_value(&if(not &1["closed"], do: &1["run_id"]))}
      {:error, %Error{code: code}} when code in [:no_history, :not_found] -> {:ok, nil}
      error -> error
    end
  end

  @doc "Waits for the end of a run."
  @spec await(id, timeout) :: {:ok, result} | {:error, Error.t()}
  def await(run, timeout \\ :infinity), do: ask(run, :await, timeout)

  @doc "The same, or raises."
  @spec await!(id, timeout) :: result
  def await!(run, timeout \\ :infinity), do: Error.bang(await(run, timeout))

  @doc "How a run stands."
  @spec status(id) :: {:ok, status} | {:error, Error.t()}
  def status(run), do: ask(run, :status, 5_000)

  @doc "The same, or raises."
  @spec status!(id) :: status
  def status!(run), do: Error.bang(status(run))

  @doc "How one task of a run stands, at the cost of one."
  @spec task(id, String.t()) :: {:ok, map} | {:error, Error.t()}
  def task(run, task), do: ask(run, {:task, task}, 5_000)

  @doc "Ends a run. Workers are stopped; headlines of tasks that did not finish stay as they are."
  @spec cancel(id) :: :ok | {:error, Error.t()}
  def cancel(run), do: ask(run, :cancel, :infinity)

  # A run whose process crashed is there again in a moment, so the question is asked again.
  defp ask(run, question, timeout) do
    GenServer.call(Supervisor.name(:server, run), question, timeout)
  catch
    :exit, {:timeout, _} ->
      {:error,
       Error.new(:timeout, "run `#{run}` has not answered in #{timeout} ms", "wait longer, or ask its status")}

    :exit, _ ->
      if Supervisor.whereis(:family, run) do
        Process.sleep(5)
        ask(run, question, timeout)
      else
        {:error, Error.new(:unknown_run, "there is no run `#{run}`", "see Workbooks.Run.list/0")}
      end
  end

  @doc """
  Makes the calling process hear a run's events, until it dies or calls `unsubscribe/1`.

  With `after:` it first gets the events after that number, and misses none and hears none twice. The last thousand events
  of a run are kept, of at most a MiB; if some of those asked for are not, the error is `:events_lost` and nothing is
  subscribed: read `status/1`, and subscribe after its `seq`.
  """
  @spec subscribe(id, after: non_neg_integer) :: :ok | {:error, Error.t()}
  def subscribe(run, opts \\ []) do
    case Keyword.validate!(opts, after: nil)[:after] do
      nil -> Supervisor.subscribe(run)
      seq -> with :ok <- ask(run, {:follow, self(), seq}, 5_000), do: Supervisor.subscribe(run)
    end
  end

  @doc "The same, or raises."
  @spec subscribe!(id, after: non_neg_integer) :: :ok
  def subscribe!(run, opts \\ []), do: Error.bang(subscribe(run, opts))

  @doc "Makes the calling process hear the events of every run of a plan: those at work, and those that start later."
  @spec subscribe_plan(Path.t()) :: :ok | {:error, Error.t()}
  def subscribe_plan(plan) do
    with {:ok, plan} <- Workdir.real(plan), do: Supervisor.subscribe({:plan, plan})
  end

  @doc "The same, or raises."
  @spec subscribe_plan!(Path.t()) :: :ok
  def subscribe_plan!(plan), do: Error.bang(subscribe_plan(plan))

  @doc "Makes the calling process hear the events of all runs of this VM. A run that starts is heard of by `:run_started`."
  @spec subscribe_all() :: :ok
  def subscribe_all, do: Supervisor.subscribe(:all)

  @doc "Ends `subscribe/2`."
  @spec unsubscribe(id) :: :ok
  def unsubscribe(run), do: Supervisor.unsubscribe(run)

  @doc "Ends `subscribe_plan/1`."
  @spec unsubscribe_plan(Path.t()) :: :ok | {:error, Error.t()}
  def unsubscribe_plan(plan) do
    with {:ok, plan} <- Workdir.real(plan), do: Supervisor.unsubscribe({:plan, plan})
  end

  @doc "The same, or raises."
  @spec unsubscribe_plan!(Path.t()) :: :ok
  def unsubscribe_plan!(plan), do: Error.bang(unsubscribe_plan(plan))

  @doc "Ends `subscribe_all/0`."
  @spec unsubscribe_all() :: :ok
  def unsubscribe_all, do: Supervisor.unsubscribe(:all)

  @doc "The runs of this VM, those at work and those that ended in the last minutes: their status without the tasks."
  @spec list() :: {:ok, [map]}
  def list,
    do: {:ok, for(run <- Supervisor.run_ids(), {:ok, summary} <- [ask(run, :summary, 5_000)], do: summary)}

  @doc "The same list alone."
  @spec list!() :: [map]
  def list!, do: Error.bang(list())

  # Its processes, for whoever wants to know when they are gone.
  @doc false
  @spec monitor(id) :: reference
  def monitor(run) do
    case Supervisor.whereis(:family, run) do
      nil ->
        gone = make_ref()
        send(self(), {:DOWN, gone, :process, nil, :noproc})
        gone

      family ->
        Process.monitor(family)
    end
  end

  @doc """
  Says that no reports come any more, after `reports` of them. The run is cancelled as soon as nothing is at work but tasks
  that wait for one.
  """
  @spec end_reports(id, non_neg_integer) :: :ok | {:error, Error.t()}
  def end_reports(run, reports) do
    case ask(run, :at_work, 5_000) do
      {:ok, :over} ->
        :ok

      {:ok, at_work} ->
        if at_work.reports >= reports and all_wait?(run, at_work) do
          cancel(run)
        else
          Process.sleep(20)
          end_reports(run, reports)
        end

      error ->
        error
    end
  end

  # A report that is under way counts as soon as its task waits.
  defp all_wait?(run, %{jobs: jobs, recording: 0}) when jobs > 0 do
    waiting = WaitingWorker.waiting(run)
    length(waiting) == jobs and not Enum.any?(WaitingWorker.reporting(run), &(&1 in waiting))
  end

  defp all_wait?(_run, _at_work), do: false

  @doc """
  The same as `report/3` for a report that may be there before its task is: it waits until the task does, or will not.
  """
  @spec report_when_waiting(id, String.t(), {:ok, String.t()} | {:error, term}) :: :ok | {:error, Error.t()}
  def report_when_waiting(run, task, report) do
    WaitingWorker.reporting(run, task, fn ->
      with {:ok, _} <- ask(run, :reporting, 5_000), do: try_report(run, task, report)
    end)
  end

  defp try_report(run, task, report) do
    with {:error, %Error{code: :not_waiting}} = error <- report(run, task, report) do
      case task(run, task) do
        {:ok, %{state: state}} when state in [:waiting, :running] ->
          Process.sleep(20)
          try_report(run, task, report)

        _ ->
          error
      end
    end
  end

  @doc "Reports what became of a task that waits for it, see `Workbooks.Workflow.WaitingWorker`."
  @spec report(id, String.t(), {:ok, String.t()} | {:error, term}) :: :ok | {:error, Error.t()}
  def report(run, task, report), do: WaitingWorker.report(run, task, report)

  @doc """
  The claims of a plan that nobody saw being earned: headlines that say DONE where the history has no passing record.

  Each is `%{id, idx, title, line, state, reason}`. An empty list says that every DONE was earned. The sealed logs are asked in
  the history directory `history:`, or the user's; databases and copies prove nothing.
  """
  @spec audit(Path.t(), history: Path.t()) :: {:ok, [map]} | {:error, Error.t()}
  def audit(plan, opts \\ []) when is_binary(plan) do
    [history: history] = Keyword.validate!(opts, history: nil)
    Claims.audit(Path.expand(plan), history && Path.expand(history))
  end

  @doc "The same, or raises."
  @spec audit!(Path.t(), history: Path.t()) :: [map]
  def audit!(plan, opts \\ []), do: Error.bang(audit(plan, opts))

  @doc """
  What a run of the plan would find amended now: tasks that were still to be earned and are gone, lost their keyword, were
  re-titled, moved or cancelled, or have another check; and that nobody has accepted.
  """
  @spec amendments(Path.t(), history: Path.t()) :: {:ok, [History.amendment()]} | {:error, Error.t()}
  def amendments(plan, opts \\ []) when is_binary(plan), do: History.amendments(plan, opts)

  @doc """
  A person accepts amendments of a plan that is not being run. It is recorded in the plan's history, with who. Gives the
  amendments that are left.

  ## Options

    * `:by` - who it is; by default git's user, or the user of the system
    * `:history` - the history directory; by default the user's
  """
  @spec accept(Path.t(), [String.t()], keyword) :: {:ok, [History.amendment()]} | {:error, Error.t()}
  def accept(plan, ids, opts \\ []) when is_binary(plan) and is_list(ids) do
    with {:ok, by} <- Author.named(opts[:by]) do
      defaults = [ts: System.os_time(:millisecond)]
      History.accept(plan, ids, Keyword.merge(defaults, Keyword.put(opts, :by, by)))
    end
  end

  @doc "The same, or raises."
  @spec accept!(Path.t(), [String.t()], keyword) :: [History.amendment()]
  def accept!(plan, ids, opts \\ []), do: Error.bang(accept(plan, ids, opts))

  use Workbooks.Bang,
    resume: 1,
    resume: 2,
    task: 2,
    cancel: 1,
    report: 3,
    report_when_waiting: 3,
    end_reports: 2,
    amendments: 1,
    amendments: 2
end
