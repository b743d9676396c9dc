defmodule Workbooks.Run do
  @moduledoc """
  A plan being run, as a supervised process.

      {:ok, run} = Workbooks.Run.start("plan.org", run: fn task -> {:ok, MyApp.work(task)} end)
      %{state: :done, tasks: tasks} = Workbooks.Run.await(run)

  A run has an id, a string. Its leaf tasks are done by a worker, its checks decide, and each verdict is in the history
  and in the plan's headline before anybody hears of it. See the guide `docs/runs.md`.

  ## What may happen to a run

  | | |
  |---|---|
  | a worker or a check crashes | its task is FAILED, the run goes on |
  | the run's process crashes | it starts again and resumes from the plan; after the fourth time in a minute it gives up |
  | the VM or the machine dies | `resume/2` goes on where the plan says |
  | somebody edits the plan | the edit stays; verdicts are applied to the text as it is then |
  | a second run of the plan starts | it is refused: `{:error, {:already_running, run_id}}`, also from another OS process |

  ## Events

  A subscriber gets `{:workbooks, run_id, {name, data}}`. All data are maps with `:ts` (milliseconds since 1970); those of
  tasks have `:task` (the id), `:idx` and `:title` as well.

  | name | data |
  |---|---|
  | `:run_started` | `:plan`, `:workdir`, `:tasks` (`:id, :idx, :title, :state, :level, :kind` of each), `:resumed` after a crash, `:warnings` |
  | `:task_started` | |
  | `:task_output` | `:text`, `:stream` (`:stdout`, `:stderr`, or `:worker` for what a worker emits) |
  | `:check_started` | `:claimed`: the task said DONE and nobody saw it pass |
  | `:task_finished` | `:state`, `:reason`, `:how`, `:output`, `:warnings` |
  | `:run_finished` | `:state`, `:counts` by state, `:warnings` |

  A task that was done before the run has no events. One that is blocked has only `:task_finished`.

  ## States

  A task ends `:done`, `:failed`, `:partial`, `:blocked` (what it waits for is not done: its headline stays as it is) or
  `:cancelled` (the plan says CANCELLED). Until then it is `:waiting` or `:running`. A run ends `:done` when every task is
  done or cancelled, else `:partial`; or `:cancelled`.
  """

  alias Workbooks.{Error, History}
  alias Workbooks.Run.{Claims, Options, Supervisor}
  alias Workbooks.Workflow.WaitingWorker

  @type id :: String.t()
  @type task :: %{
          id: String.t(),
          idx: non_neg_integer,
          title: String.t(),
          state: :done | :failed | :partial | :blocked | :cancelled | :waiting | :running,
          output: String.t(),
          reason: String.t() | nil
        }
  @type result :: %{
          id: id,
          state: :done | :partial | :cancelled,
          tasks: [task],
          org: String.t() | nil,
          warnings: [String.t()]
        }
  @type refusal :: {:error, {:already_running, id} | Error.t()}

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
    * `:subscribe` - `true` makes the caller hear all events, from the first
    * `:linger` - how long a run that is over can still be asked for its result: milliseconds, five minutes by default
    * `:clock` - a function that gives the time in milliseconds since 1970

  Refuses a plan whose tasks wait for each other (`:cycle`), one that is being run already, and one that cannot be read.
  """
  @spec start(Path.t(), keyword) :: {:ok, id} | refusal
  def start(plan, opts \\ []) when is_binary(plan) and is_list(opts) do
    with {:ok, options} <- Options.new(plan, opts) do
      if options.subscribe, do: Supervisor.subscribe(options.run_id)
      begin(options)
    end
  end

  defp begin(%{run_id: run_id} = options) do
    with {:ok, _family} <- Supervisor.start_run(options),
         :ok <- ask(run_id, :begun, :infinity) do
      {:ok, run_id}
    else
      {:error, {:already_started, _}} -> {:error, {:already_running, run_id}}
      {:error, reason} -> unsubscribe(run_id) && {:error, reason}
    end
  end

  @doc """
  Goes on with a plan whose run was ended from outside: `path` is the plan, or the directory it is in.

  The unfinished run goes on under its id. Done tasks are skipped; a DONE with a check that no record supports is checked
  again first. Takes the options of `start/2`: a worker cannot be remembered.
  """
  @spec resume(Path.t(), keyword) :: {:ok, id} | refusal
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

  # Only the last verdicts are asked of the truth alone; the runs of a plan without a history would be those of a copy.
  defp unfinished(plan, opts) do
    opts = Keyword.take(opts, [:history])

    with {:ok, _} <- History.last_verdicts(plan, opts), {:ok, runs} <- History.runs(plan, opts) do
      {:ok, runs |> Enum.reverse() |> Enum.find_value(&if(not &1["closed"], do: &1["run_id"]))}
    else
      {:error, %Error{code: :no_history}} -> {:ok, nil}
      error -> error
    end
  end

  @doc "Waits for the end of a run."
  @spec await(id, timeout) :: result | {:error, Error.t()}
  def await(run, timeout \\ :infinity), do: ask(run, :await, timeout)

  @doc "How a run stands: `:id, :plan, :state, :started, :counts, :tasks`."
  @spec status(id) :: map | {:error, Error.t()}
  def status(run), do: ask(run, :status, 5_000)

  @doc "Ends a run. Workers are stopped; headlines of tasks that did not finish stay as they are."
  @spec cancel(id) :: :ok | {:error, Error.t()}
  def cancel(run), do: ask(run, :cancel, :infinity)

  # A run that crashed is back in a moment.
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

  @doc "Makes the calling process hear a run's events, until it dies or calls `unsubscribe/1`."
  @spec subscribe(id) :: :ok
  def subscribe(run), do: Supervisor.subscribe(run)

  @spec unsubscribe(id) :: :ok
  def unsubscribe(run), do: Supervisor.unsubscribe(run)

  @doc "The runs of this VM: those at work, and those that ended in the last minutes."
  @spec list() :: [map]
  def list do
    for run <- Supervisor.run_ids(), %{} = status <- [status(run)], do: Map.drop(status, [:tasks])
  end

  @doc "Reports what became of a task that waits for it, see `Workbooks.Workflow.WaitingWorker`."
  @spec report(id, String.t(), {:ok, String.t()} | {:error, term}) :: :ok | {:error, Error.t()}
  def report(run, task, report), do: WaitingWorker.report(run, task, report)

  @doc """
  The claims of a plan that nobody saw being earned: headlines that say DONE where the history has no passing record.

  Each is `%{id, idx, title, line, state, reason}`. An empty list says that every DONE was earned. The history asked is the
  one in `history:`, or the user's; copies beside the plan prove nothing.
  """
  @spec audit(Path.t(), history: Path.t()) :: [map] | {:error, Error.t()}
  def audit(plan, opts \\ []) when is_binary(plan), do: Claims.audit(Path.expand(plan), opts[:history])
end
