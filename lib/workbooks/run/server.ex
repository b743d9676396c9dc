defmodule Workbooks.Run.Server do
  @moduledoc false
  # Orders a run's events and performs its effects. What follows from an event is decided in `Workbooks.Run.State`; writing
  # down is done by `Workbooks.Run.Scribe`.

  use GenServer, restart: :transient
  require Logger

  alias Workbooks.{Error, History}
  alias Workbooks.Run.{Claims, Options, Outline, PlanFile, Scribe, State, Supervisor, Work, Workdir}
  alias Workbooks.Workflow.Output

  @enforce_keys [:options, :attempt]
  defstruct [
    :options,
    :attempt,
    :scribe,
    :run,
    :workdir,
    :result,
    :started,
    # By reference: what it does (`:work` or `:check`), for which task, in which process, and its timer.
    jobs: %{},
    # What the last check of a task showed, for the record of its verdict.
    evidence: %{},
    # The files that the worker of a task says it wrote, for its check.
    wrote: %{},
    awaiting: [],
    # How many reports about waiting tasks came.
    reports: 0,
    amendments: [],
    warnings: []
  ]

  @grace 1_000
  # What of a check's measurements goes into the record of the verdict.
  @evidence [:exit_code, :commands, :files_read, :changed, :warnings]

  @doc false
  @spec start_link(Options.t(), :counters.counters_ref()) :: GenServer.on_start()
  def start_link(options, attempts),
    do: GenServer.start_link(__MODULE__, {options, attempts}, name: Supervisor.name(:server, options.run_id))

  @impl true
  def init({options, attempts}) do
    :counters.add(attempts, 1, 1)
    state = %__MODULE__{options: options, attempt: :counters.get(attempts, 1), started: options.clock.()}
    {:ok, state, {:continue, :open}}
  end

  # Nothing is decided about the plan before its lock is ours. A refusal is an answer, not a crash.
  @impl true
  def handle_continue(:open, %{options: options} = state) do
    {:ok, scribe} = Scribe.start_link(options)

    with {:ok, org} <- PlanFile.read(options.plan),
         {:ok, outline} <- Outline.read(org),
         {:ok, history} <- History.directory(options.history),
         {:ok, workdir} <- Workdir.open(options.workdir, history),
         {:ok, opened} <- open(scribe, state.attempt, 50),
         # What was sealed is what is run.
         {:ok, outline} <- if(opened.org == org, do: {:ok, outline}, else: Outline.read(opened.org)),
         {:ok, proven} <- Claims.proven(options.plan, options.history) do
      run = State.new(outline, options.width, proven, opened.amendments)

      state = %{
        state
        | scribe: scribe,
          workdir: workdir,
          run: run,
          amendments: opened.amendments,
          warnings: opened.warnings
      }

      {:noreply, begin(state)}
    else
      {:error, reason} -> refuse(%{state | scribe: scribe}, reason)
    end
  end

  # After a crash the lock of the process before may take a moment to go.
  defp open(scribe, attempt, tries) do
    case Scribe.open(scribe) do
      {:error, %Error{code: :already_running}} when attempt > 1 and tries > 0 ->
        Process.sleep(20)
        open(scribe, attempt, tries - 1)

      opened ->
        opened
    end
  end

  # Whoever started the run asks next, and hears why. A run that had begun before says it in the log.
  defp refuse(%{attempt: 1} = state, reason), do: {:noreply, %{state | result: {:error, reason}}, 5_000}

  defp refuse(state, reason) do
    Logger.error("workbooks: run #{state.options.run_id} cannot resume: #{Work.reason(reason)}")
    {:stop, :normal, state}
  end

  # The first event shows the tasks as they begin: what is done already is done.
  defp begin(%{options: options} = state) do
    {run, effects} = State.apply_event(state.run, :begin)
    state = %{state | run: run}
    Scribe.step(state.scribe, %{tool: "run", event: "started", plan: options.plan, attempt: state.attempt})

    publish(state, :run_started, %{
      plan: options.plan,
      workdir: state.workdir.path,
      resumed: state.attempt > 1,
      tasks: Enum.map(state.run.outline.tasks, &State.about_task(state.run, &1)),
      amendments: state.amendments,
      warnings: state.warnings
    })
    |> perform_all(effects)
  end

  @impl true
  def handle_call(:begun, _from, %{result: {:error, _} = refusal} = state),
    do: {:stop, :normal, refusal, state}

  def handle_call(:begun, _from, state), do: {:reply, :ok, state}
  def handle_call(:status, _from, state), do: {:reply, {:ok, status(state)}, state}
  def handle_call(:summary, _from, state), do: {:reply, {:ok, state |> status() |> Map.delete(:tasks)}, state}

  def handle_call(:at_work, _from, %{run: nil} = state), do: {:reply, {:ok, :over}, state}

  def handle_call(:at_work, _from, %{run: run} = state) do
    {:reply, {:ok, %{jobs: map_size(state.jobs), recording: run.recording, reports: state.reports}}, state}
  end

  # A report is under way.
  def handle_call(:reporting, _from, state),
    do: {:reply, {:ok, :noted}, %{state | reports: state.reports + 1}}

  def handle_call({:task, id}, _from, state), do: {:reply, task_status(state, id), state}
  def handle_call(:await, _from, %{result: %{} = result} = state), do: {:reply, {:ok, result}, state}
  def handle_call(:await, from, state), do: {:noreply, %{state | awaiting: [from | state.awaiting]}}

  def handle_call(:cancel, _from, %{result: nil} = state) do
    for {ref, job} <- state.jobs do
      Process.demonitor(ref, [:flush])
      Process.exit(job.pid, :kill)
    end

    {:reply, :ok, apply_event(%{state | jobs: %{}}, :cancel)}
  end

  def handle_call(:cancel, _from, state), do: {:reply, :ok, state}

  @impl true
  def handle_info(:leave, state), do: {:stop, :normal, state}
  def handle_info(:timeout, %{result: {:error, _}} = state), do: {:stop, :normal, state}
  def handle_info(_late, %{result: %{}} = state), do: {:noreply, state}

  # A task's process answers, or is gone, or is too slow.
  def handle_info({ref, {result, measurements}}, state) when is_map_key(state.jobs, ref) do
    Process.demonitor(ref, [:flush])
    {job, state} = pop_job(state, ref)
    {:noreply, finished(state, job, result, measurements)}
  end

  def handle_info({:DOWN, ref, :process, _pid, reason}, state) when is_map_key(state.jobs, ref) do
    {job, state} = pop_job(state, ref)
    {:noreply, lost(state, job, Work.crash(reason))}
  end

  def handle_info({:overdue, ref}, state) when is_map_key(state.jobs, ref) do
    Process.demonitor(ref, [:flush])
    {job, state} = pop_job(state, ref)
    Process.exit(job.pid, :kill)
    time = if job.what == :work, do: state.options.work_timeout, else: state.options.check_timeout
    {:noreply, lost(state, job, "the worker took longer than #{time} ms")}
  end

  def handle_info({{:output, key}, stream, bytes}, state) when is_binary(bytes) do
    about = State.about_task(state.run, key)
    {:noreply, publish(state, :task_output, Map.merge(about, %{stream: stream, text: Output.text(bytes)}))}
  end

  def handle_info({:recorded, outcomes}, state) do
    {:noreply,
     Enum.reduce(outcomes, state, fn {key, outcome, reason, warnings}, state ->
       state = %{state | warnings: Enum.uniq(state.warnings ++ warnings)}
       apply_event(state, {:recorded, key, outcome, reason, warnings})
     end)}
  end

  def handle_info({{:wrote, key}, paths}, state), do: {:noreply, put_in(state.wrote[key], paths)}

  def handle_info({:warnings, warnings}, state),
    do: {:noreply, %{state | warnings: Enum.uniq(state.warnings ++ warnings)}}

  def handle_info(_late, state), do: {:noreply, state}

  defp lost(state, %{what: what} = job, reason) do
    result =
      if what == :work, do: {:error, reason}, else: {:fail, String.replace(reason, "the worker", "the check")}

    finished(state, job, result, %{dur_ms: nil, exit_code: nil, error: reason})
  end

  defp finished(state, %{what: what, key: key}, result, measurements) do
    tool = if what == :work, do: "worker", else: "check"
    step = Map.merge(measurements, %{tool: tool, task_id: task(state, key).id})
    Scribe.step(state.scribe, step)
    # Only a check is evidence; the worker's word is not.
    state = if what == :check, do: put_in(state.evidence[key], Map.take(measurements, @evidence)), else: state
    apply_event(state, {if(what == :work, do: :worked, else: :checked), key, result})
  end

  defp pop_job(state, ref) do
    {job, jobs} = Map.pop(state.jobs, ref)
    if job.timer, do: Process.cancel_timer(job.timer)
    {job, %{state | jobs: jobs}}
  end

  defp apply_event(state, event) do
    {run, effects} = State.apply_event(state.run, event)
    perform_all(%{state | run: run}, effects)
  end

  defp perform_all(state, effects), do: Enum.reduce(effects, state, &perform(&2, &1))

  defp perform(state, {:publish, {name, data}}), do: publish(state, name, data)

  defp perform(%{options: options} = state, {:work, key}) do
    task = task(state, key)
    server = self()

    context = %{
      run_id: options.run_id,
      workdir: state.workdir.path,
      emit: fn bytes -> send(server, {{:output, key}, :worker, IO.iodata_to_binary(bytes)}) && :ok end,
      stream: {server, {:output, key}},
      wrote: fn paths -> send(server, {{:wrote, key}, paths}) && :ok end,
      options: []
    }

    job(state, :work, key, options.work_timeout, fn -> Work.work(options, task, context) end)
  end

  defp perform(%{options: options, workdir: workdir} = state, {:check, key}) do
    %{check: check, task: task} = state.run.outline.items[key]
    {wrote, rest} = Map.pop(state.wrote, key, [])
    done = %{script: task.script, wrote: wrote}
    # The shell keeps the time. Should it not, we do.
    time = options.check_timeout + @grace
    job(%{state | wrote: rest}, :check, key, time, fn -> Work.check(options, check, workdir, done) end)
  end

  defp perform(state, {:record, key, verdict}) do
    {evidence, rest} = Map.pop(state.evidence, key, %{})
    entry = %{key: key, item: state.run.outline.items[key], verdict: verdict, evidence: evidence}
    Scribe.verdict(state.scribe, entry)
    %{state | evidence: rest}
  end

  defp perform(state, {:finish, outcome}) do
    tasks = State.tasks(state.run)
    counts = Enum.frequencies_by(tasks, & &1.state)
    Scribe.step(state.scribe, %{tool: "run", event: "finished", state: outcome, counts: counts})
    {org, warnings} = Scribe.close(state.scribe)

    result = %{
      id: state.options.run_id,
      state: outcome,
      tasks: tasks,
      org: org,
      amendments: state.amendments,
      warnings: Enum.uniq(state.warnings ++ warnings)
    }

    state =
      publish(state, :run_finished, %{
        state: outcome,
        counts: counts,
        amendments: state.amendments,
        warnings: result.warnings
      })

    Enum.each(state.awaiting, &GenServer.reply(&1, {:ok, result}))
    Process.send_after(self(), :leave, state.options.linger)
    %{state | result: result, run: nil, scribe: nil, awaiting: []}
  end

  defp job(state, what, key, time, fun) do
    task = Task.Supervisor.async_nolink(Supervisor.name(:tasks, state.options.run_id), fun)
    timer = if is_integer(time), do: Process.send_after(self(), {:overdue, task.ref}, time)
    put_in(state.jobs[task.ref], %{what: what, key: key, pid: task.pid, timer: timer})
  end

  defp task(state, key), do: state.run.outline.items[key].task

  defp publish(state, name, data) do
    Supervisor.publish(state.options.run_id, {name, Map.put(data, :ts, state.options.clock.())})
    state
  end

  defp status(%{result: %{state: outcome, tasks: tasks}} = state), do: about(state, outcome, tasks)
  defp status(state), do: about(state, :running, State.tasks(state.run))

  defp about(state, outcome, tasks) do
    %{
      id: state.options.run_id,
      plan: state.options.plan,
      state: outcome,
      started: state.started,
      counts: Enum.frequencies_by(tasks, & &1.state),
      amendments: state.amendments,
      tasks: tasks
    }
  end

  # One task, at the cost of one.
  defp task_status(%{run: %{outline: outline} = run}, id) do
    case outline.keys[id] do
      key when is_map_key(run.nodes, key) -> {:ok, State.about_task(run, key)}
      _ -> {:error, Error.new(:unknown_task, "no task has the id `#{id}`", "see the ids with `wbx tasks`")}
    end
  end

  defp task_status(%{result: %{tasks: tasks}}, id) do
    case Enum.find(tasks, &(&1.id == id)) do
      nil -> {:error, Error.new(:unknown_task, "no task has the id `#{id}`", "see the ids with `wbx tasks`")}
      task -> {:ok, Map.drop(task, [:output, :reason, :how])}
    end
  end
end
