defmodule Workbooks.Run.Server do
  @moduledoc false
  # Orders a run's events and performs its effects. What follows from an event is decided in `Workbooks.Run.State`; what is
  # written down is `Workbooks.Run.Scribe`'s.

  use GenServer, restart: :transient
  require Logger

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
    jobs: %{},
    awaiting: [],
    warnings: []
  ]

  @grace 1_000

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
         {:ok, _runnable} <- Outline.read(org),
         {:ok, history} <- Claims.history(options.history),
         {:ok, workdir} <- Workdir.open(options.workdir, history),
         {:ok, org, found} <- open(scribe, state.attempt, 50),
         {:ok, outline} <- Outline.read(org),
         {:ok, proven} <- Claims.proven(options.plan, options.history) do
      run = State.new(outline, options.width, proven)
      state = %{state | scribe: scribe, workdir: workdir, run: run, warnings: found}
      {:noreply, state |> begin() |> apply_event(:begin)}
    else
      {:error, reason} -> refuse(%{state | scribe: scribe}, reason)
    end
  end

  # After a crash the lock of the process before may take a moment to go.
  defp open(scribe, attempt, tries) do
    case Scribe.open(scribe) do
      {:error, {:already_running, _}} when attempt > 1 and tries > 0 ->
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

  defp begin(%{options: options} = state) do
    Scribe.step(state.scribe, %{tool: "run", event: "started", plan: options.plan, attempt: state.attempt})

    tasks =
      for key <- state.run.outline.tasks, %{task: task, kind: kind} = state.run.outline.items[key] do
        task |> Map.take([:id, :idx, :title, :state, :level]) |> Map.put(:kind, kind)
      end

    publish(state, :run_started, %{
      plan: options.plan,
      workdir: state.workdir.path,
      resumed: state.attempt > 1,
      tasks: tasks,
      warnings: state.warnings
    })
  end

  @impl true
  def handle_call(:begun, _from, %{result: {:error, _} = refusal} = state),
    do: {:stop, :normal, refusal, state}

  def handle_call(:begun, _from, state), do: {:reply, :ok, state}
  def handle_call(:status, _from, state), do: {:reply, status(state), state}
  def handle_call(:await, _from, %{result: %{} = result} = state), do: {:reply, result, state}
  def handle_call(:await, from, state), do: {:noreply, %{state | awaiting: [from | state.awaiting]}}

  def handle_call(:cancel, _from, %{result: nil} = state) do
    for {ref, {_, _, pid}} <- state.jobs do
      Process.demonitor(ref, [:flush])
      Process.exit(pid, :kill)
    end

    {:reply, :ok, apply_event(%{state | jobs: %{}}, :cancel)}
  end

  def handle_call(:cancel, _from, state), do: {:reply, :ok, state}

  @impl true
  def handle_info(:leave, state), do: {:stop, :normal, state}
  def handle_info(:timeout, %{result: {:error, _}} = state), do: {:stop, :normal, state}
  def handle_info(_late, %{result: %{}} = state), do: {:noreply, state}

  # A task's process answers, or is gone, or is too slow.
  def handle_info({ref, {result, told}}, state) when is_map_key(state.jobs, ref) do
    Process.demonitor(ref, [:flush])
    {{what, key, _pid}, jobs} = Map.pop(state.jobs, ref)
    {:noreply, finished(%{state | jobs: jobs}, what, key, result, told)}
  end

  def handle_info({:DOWN, ref, :process, _pid, reason}, state) when is_map_key(state.jobs, ref) do
    {{what, key, _pid}, jobs} = Map.pop(state.jobs, ref)
    {:noreply, lost(%{state | jobs: jobs}, what, key, Work.crash(reason))}
  end

  def handle_info({:overdue, ref}, state) when is_map_key(state.jobs, ref) do
    Process.demonitor(ref, [:flush])
    {{what, key, pid}, jobs} = Map.pop(state.jobs, ref)
    Process.exit(pid, :kill)
    time = if what == :work, do: state.options.work_timeout, else: state.options.check_timeout
    {:noreply, lost(%{state | jobs: jobs}, what, key, "the worker took longer than #{time} ms")}
  end

  def handle_info({{:output, key}, stream, bytes}, state) when is_binary(bytes) do
    %{id: id, idx: idx, title: title} = task(state, key)

    {:noreply,
     publish(state, :task_output, %{
       task: id,
       idx: idx,
       title: title,
       stream: stream,
       text: Output.text(bytes)
     })}
  end

  def handle_info({:recorded, outcomes}, state) do
    {:noreply,
     Enum.reduce(outcomes, state, fn {key, outcome, reason, warnings}, state ->
       state = %{state | warnings: Enum.uniq(state.warnings ++ warnings)}
       apply_event(state, {:recorded, key, outcome, reason, warnings})
     end)}
  end

  def handle_info(_late, state), do: {:noreply, state}

  defp lost(state, what, key, reason) do
    result =
      if what == :work, do: {:error, reason}, else: {:fail, String.replace(reason, "the worker", "the check")}

    finished(state, what, key, result, %{dur_ms: nil, exit_code: nil, error: reason})
  end

  defp finished(state, what, key, result, told) do
    tool = if what == :work, do: "worker", else: "check"
    Scribe.step(state.scribe, Map.merge(told, %{tool: tool, task_id: task(state, key).id}))
    apply_event(state, {if(what == :work, do: :worked, else: :checked), key, result})
  end

  defp apply_event(state, event) do
    {run, effects} = State.apply_event(state.run, event)
    Enum.reduce(effects, %{state | run: run}, &perform(&2, &1))
  end

  defp perform(state, {:publish, {name, data}}), do: publish(state, name, data)

  defp perform(%{options: options} = state, {:work, key}) do
    task = task(state, key)
    server = self()

    context = %{
      run_id: options.run_id,
      workdir: state.workdir.path,
      emit: fn bytes -> send(server, {{:output, key}, :worker, IO.iodata_to_binary(bytes)}) && :ok end,
      stream: {server, {:output, key}},
      options: []
    }

    job(state, :work, key, options.work_timeout, fn -> Work.work(options, task, context) end)
  end

  defp perform(%{options: options, workdir: workdir} = state, {:check, key}) do
    check = state.run.outline.items[key].check
    # The shell keeps the time. Should it not, we do.
    job(state, :check, key, options.check_timeout + @grace, fn -> Work.check(options, check, workdir) end)
  end

  defp perform(state, {:record, key, verdict}) do
    Scribe.verdict(state.scribe, %{key: key, item: state.run.outline.items[key], verdict: verdict})
    state
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
      warnings: Enum.uniq(state.warnings ++ warnings)
    }

    state = publish(state, :run_finished, %{state: outcome, counts: counts, warnings: result.warnings})
    Enum.each(state.awaiting, &GenServer.reply(&1, result))
    Process.send_after(self(), :leave, state.options.linger)
    %{state | result: result, run: nil, scribe: nil, awaiting: []}
  end

  defp job(state, what, key, time, fun) do
    task = Task.Supervisor.async_nolink(Supervisor.name(:tasks, state.options.run_id), fun)
    if is_integer(time), do: Process.send_after(self(), {:overdue, task.ref}, time)
    put_in(state.jobs[task.ref], {what, key, task.pid})
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
      tasks: tasks
    }
  end
end
