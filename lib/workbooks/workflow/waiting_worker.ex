defmodule Workbooks.Workflow.WaitingWorker do
  @moduledoc """
  Leaves the work to a person or an agent outside, who reports when it is over.

      {:ok, run} = Workbooks.Run.start("plan.org", worker: Workbooks.Workflow.WaitingWorker)
      :ok = Workbooks.Run.report(run, "gather-the-pages", {:ok, "three pages"})

  The report is a worker's word like any other: a check decides, if there is one. Each waiting task takes one of the
  run's places (`width:`), so give the run as many as should be open at once.
  """
  @behaviour Workbooks.Workflow.Worker

  alias Workbooks.Error

  @registry Workbooks.Run.Registry

  @impl true
  def perform(task, context) do
    key = {:waiting, context.run_id, task.id}
    {:ok, _} = Registry.register(@registry, key, nil)

    receive do
      {__MODULE__, :report, from, report} ->
        # Whoever reported hears of it when this task waits no more.
        Registry.unregister(@registry, key)
        send(from, {__MODULE__, :taken, self()})
        report
    end
  end

  @doc false
  # The tasks of a run that wait for a report.
  @spec waiting(String.t()) :: [String.t()]
  def waiting(run_id), do: Registry.select(@registry, [{{{:waiting, run_id, :"$1"}, :_, :_}, [], [:"$1"]}])

  @doc false
  # The tasks of a run about which a report is under way.
  @spec reporting(String.t()) :: [String.t()]
  def reporting(run_id),
    do: Registry.select(@registry, [{{{:reporting, run_id, :"$1", :_}, :_, :_}, [], [:"$1"]}])

  @doc false
  # While `fun` runs, a report about the task is under way.
  @spec reporting(String.t(), String.t(), (() -> result)) :: result when result: term
  def reporting(run_id, task_id, fun) do
    key = {:reporting, run_id, task_id, self()}
    {:ok, _} = Registry.register(@registry, key, nil)
    fun.()
  after
    Registry.unregister(@registry, {:reporting, run_id, task_id, self()})
  end

  @doc false
  @spec report(String.t(), String.t(), {:ok, String.t()} | {:error, term}) :: :ok | {:error, Error.t()}
  def report(run_id, task_id, report) do
    case Registry.lookup(@registry, {:waiting, run_id, task_id}) do
      [{worker, _}] -> hand_over(worker, report)
      [] -> nil
    end || {:error, not_waiting(run_id, task_id)}
  end

  defp hand_over(worker, report) do
    ref = Process.monitor(worker)
    send(worker, {__MODULE__, :report, self(), report})

    receive do
      {__MODULE__, :taken, ^worker} -> Process.demonitor(ref, [:flush]) && :ok
      {:DOWN, ^ref, :process, ^worker, _reason} -> nil
    end
  end

  defp not_waiting(run_id, task_id) do
    text = "task `#{task_id}` of run `#{run_id}` waits for no report"
    Error.new(:not_waiting, text, "see which tasks are running: Workbooks.Run.status/1")
  end
end
