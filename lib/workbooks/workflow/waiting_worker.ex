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
    {:ok, _} = Registry.register(@registry, {:waiting, context.run_id, task.id}, nil)

    receive do
      {__MODULE__, :report, report} -> report
    end
  end

  @doc false
  @spec report(String.t(), String.t(), {:ok, String.t()} | {:error, term}) :: :ok | {:error, Error.t()}
  def report(run_id, task_id, report) do
    case Registry.lookup(@registry, {:waiting, run_id, task_id}) do
      [{worker, _}] ->
        send(worker, {__MODULE__, :report, report})
        :ok

      [] ->
        text = "task `#{task_id}` of run `#{run_id}` waits for no report"
        {:error, Error.new(:not_waiting, text, "see which tasks are running: Workbooks.Run.status/1")}
    end
  end
end
