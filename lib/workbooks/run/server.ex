defmodule Workbooks.Run.Server do
  @moduledoc false
  # Orders a run's events and performs its effects. What follows from an event is decided in `Workbooks.Run.State`; writing
  # down is done by `Workbooks.Run.Scribe`.

  use GenServer, restart: :transient
  require Logger

  alias Workbooks.{Error, History}
  alias Workbooks.Run.{Claims, Options, Outline, PlanFile, Recent, Scribe, State, Supervisor, Work, Workdir}
  alias Workbooks.Workflow.Output

  @enforce_keys [:options, :counters, :attempt, :recent]
  defstruct [
    :options,
    :counters,
    :attempt,
    # The last events.
    :recent,
    :scribe,
    # The plan's true path.
    :plan,
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
    # Whoever asked for what they missed, until they are subscribers: process and monitor.
    followers: %{},
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
  def start_link(options, counters),
    do: GenServer.start_link(__MODULE__, {options, counters}, name: Supervisor.name(:server, options.run_id))

  @impl true
  def init({options, counters}) do
    :counters.add(counters, 1, 1)

    state = %__MODULE__{
      options: options,
      counters: counters,
      attempt: :counters.get(counters, 1),
      recent: Recent.new(:counters.get(counters, 2)),
      started: options.clock.()
    }

    {:ok, state, {:continue, :judge}}
  end

  # Whoever started the run hears whether it may begin as soon as the plan is read and its lock is ours. The first records
  # wait for the disk, and nobody else has to. Accepting an amendment is an answer that is waited for.
  @impl true
  def handle_continue(:judge, %{options: options} = state) do
    {:ok, scribe} = Scribe.start_link(options)
    state = %{state | scribe: scribe}

    with {:ok, org} <- PlanFile.read(options.plan),
         {:ok, outline} <- Outline.read(org),
         {:ok, history} <- History.directory(options.history),
         {:ok, workdir} <- Workdir.open(options.workdir, history),
         {:ok, plan} <- claim(scribe, state.attempt, 50) do
      if options.accept == [], do: tell_starter(state, :ok)
      {:noreply, %{state | workdir: workdir, plan: plan}, {:continue, {:open, org, outline}}}
    else
      {:error, reason} -> refuse(state, reason)
    end
  end

  def handle_continue({:open, org, outline}, %{options: options} = state) do
    with {:ok, opened} <- Scribe.open(state.scribe),
         # What was sealed is what is run.
         {:ok, outline} <- if(opened.org == org, do: {:ok, outline}, else: Outline.read(opened.org)),
         {:ok, proven} <- Claims.proven(options.plan, options.history) do
      tell_starter(state, :ok)
      run = State.new(outline, options.width, proven, opened.amendments)
      {run, []} = State.apply_event(run, {:plan, opened.cookies})
      state = %{state | run: run, amendments: opened.amendments, warnings: opened.warnings}
      {:noreply, state |> number(opened.step) |> begin()}
    else
      {:error, reason} -> refuse(state, reason)
    end
  end

  # After a crash the lock of the process before may take a moment to go.
  defp claim(scribe, attempt, tries) do
    case Scribe.claim(scribe) do
      {:error, %Error{code: :already_running}} when attempt > 1 and tries > 0 ->
        Process.sleep(20)
        claim(scribe, attempt, tries - 1)

      claimed ->
        claimed
    end
  end

  # A run that another VM began has told events whose numbers nobody here knows. The clock is ahead of them all.
  defp number(%{recent: %{seq: 0}} = state, step) when step > 0,
    do: %{state | recent: Recent.new(state.options.clock.())}

  defp number(state, _step), do: state

  # Only the first word is heard.
  defp tell_starter(%{options: %{starter: starter}}, word), do: :erlang.send(starter, {starter, word})

  # A refusal is an answer, not a crash. Whoever heard already that the run may begin awaits it, or listens.
  defp refuse(%{attempt: attempt, options: options} = state, %Error{} = reason) do
    if attempt > 1,
      do: Logger.error("workbooks: run #{options.run_id} cannot resume: #{Work.reason(reason)}")

    tell_starter(state, {:error, reason})
    GenServer.stop(state.scribe)

    if state.plan == nil or options.accept != [] do
      {:stop, :normal, state}
    else
      {:noreply,
       state
       |> publish(:run_refused, %{code: reason.code, reason: Work.reason(reason)})
       |> leave({:error, reason})}
    end
  end

  # The run is over. Its result can be asked for a while.
  defp leave(state, result) do
    answer = with %{} <- result, do: {:ok, result}
    Enum.each(state.awaiting, &GenServer.reply(&1, answer))
    Process.send_after(self(), :leave, state.options.linger)
    %{state | result: result, run: nil, scribe: nil, awaiting: []}
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
  def handle_call({:follow, pid, seq}, _from, state) do
    case Recent.since(state.recent, seq) do
      {:ok, missed} ->
        Enum.each(missed, &send(pid, {:workbooks, state.options.run_id, &1}))
        {:reply, :ok, follow(state, pid)}

      :gone ->
        text = "the events of run `#{state.options.run_id}` after number #{seq} are not kept any more"
        hint = "read the run's status anew, and subscribe after its `seq`"
        {:reply, {:error, Error.new(:events_lost, text, hint, %{seq: state.recent.seq})}, state}
    end
  end

  def handle_call(_question, _from, %{result: {:error, _} = refusal} = state), do: {:reply, refusal, state}
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

  def handle_info({:DOWN, _ref, :process, pid, _reason}, state) when is_map_key(state.followers, pid),
    do: {:noreply, %{state | followers: Map.delete(state.followers, pid)}}

  def handle_info(_late, %{result: result} = state) when result != nil, do: {:noreply, state}

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
     Enum.reduce(outcomes, state, fn {key, outcome, reason, warnings, changed}, state ->
       state = %{state | warnings: Enum.uniq(state.warnings ++ warnings)}
       apply_event(state, {:recorded, key, outcome, reason, warnings, changed})
     end)}
  end

  def handle_info({{:wrote, key}, paths}, state), do: {:noreply, put_in(state.wrote[key], paths)}
  def handle_info({:written, changed}, state), do: {:noreply, apply_event(state, {:plan, changed})}
  def handle_info(:edited, state), do: {:noreply, publish(state, :plan_edited, %{})}

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
    counts = state.run |> State.tasks() |> Enum.frequencies_by(& &1.state)
    Scribe.step(state.scribe, %{tool: "run", event: "finished", state: outcome, counts: counts})
    {org, warnings, changed} = Scribe.close(state.scribe)
    state = heard_from_scribe(state)
    state = if changed == [], do: state, else: apply_event(state, {:plan, changed})

    result = %{
      id: state.options.run_id,
      state: outcome,
      tasks: State.tasks(state.run),
      org: org,
      amendments: state.amendments,
      warnings: Enum.uniq(state.warnings ++ warnings)
    }

    finished = %{state: outcome, counts: counts, amendments: state.amendments, warnings: result.warnings}
    state |> publish(:run_finished, finished) |> leave(result)
  end

  # What the scribe said before it closed is in the mailbox, and after the end of the run nobody would hear it.
  defp heard_from_scribe(state) do
    receive do
      {:written, changed} -> state |> apply_event({:plan, changed}) |> heard_from_scribe()
      {:warnings, warnings} -> heard_from_scribe(%{state | warnings: Enum.uniq(state.warnings ++ warnings)})
      :edited -> state |> publish(:plan_edited, %{}) |> heard_from_scribe()
    after
      0 -> state
    end
  end

  defp job(state, what, key, time, fun) do
    task = Task.Supervisor.async_nolink(Supervisor.name(:tasks, state.options.run_id), fun)
    timer = if is_integer(time), do: Process.send_after(self(), {:overdue, task.ref}, time)
    put_in(state.jobs[task.ref], %{what: what, key: key, pid: task.pid, timer: timer})
  end

  defp task(state, key), do: state.run.outline.items[key].task

  defp publish(%{options: %{run_id: run_id, clock: clock}} = state, name, data) do
    {event, recent} = Recent.put(state.recent, {name, Map.merge(data, %{run: run_id, ts: clock.()})})
    :counters.put(state.counters, 2, recent.seq)
    state = unfollow(state)
    subscribers = Supervisor.subscribers([run_id, {:plan, state.plan}, :all])
    for pid <- Enum.uniq(Map.keys(state.followers) ++ subscribers), do: send(pid, {:workbooks, run_id, event})
    %{state | recent: recent}
  end

  # Whoever asked for what they missed hears everything from then on, also before they are subscribers.
  defp follow(state, pid),
    do: %{state | followers: Map.put_new_lazy(state.followers, pid, fn -> Process.monitor(pid) end)}

  defp unfollow(%{followers: followers} = state) when followers == %{}, do: state

  defp unfollow(%{followers: followers} = state) do
    {subscribed, left} = Map.split(followers, Supervisor.subscribers([state.options.run_id]))
    for {_pid, monitor} <- subscribed, do: Process.demonitor(monitor, [:flush])
    %{state | followers: left}
  end

  defp status(%{result: %{state: outcome, tasks: tasks}} = state), do: about(state, outcome, tasks)
  defp status(state), do: about(state, :running, State.tasks(state.run))

  defp about(state, outcome, tasks) do
    %{
      id: state.options.run_id,
      plan: state.options.plan,
      state: outcome,
      started: state.started,
      seq: state.recent.seq,
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
