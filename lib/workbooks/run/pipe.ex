defmodule Workbooks.Run.Pipe do
  @moduledoc false
  # A run for another program, as `wbx run` starts it, see `Workbooks.Pipe`. Further lines of input report on tasks that
  # wait. When the input ends the other program is gone, and so is the run: it can be resumed.
  #
  #     {"plan": "/plan.org", "workdir": "/", "width": 8, "worker": "shell" | "wait", "history": null}
  #     {"event": "task_started", "task": "a", ..}
  #     {"result": {..}} | {"error": {"code": .., "message": .., "hint": .., "run_id": ..}}

  @behaviour Workbooks.Pipe

  import Workbooks.Pipe, only: [say: 1]

  alias Workbooks.{Error, JSON, Run}
  alias Workbooks.Workflow.{ShellWorker, WaitingWorker}

  @workers %{"shell" => ShellWorker, "wait" => WaitingWorker}

  @impl true
  def serve(order) do
    case Run.start(order["plan"], [subscribe: true] ++ options(order)) do
      {:ok, run} ->
        pipe = self()
        spawn_link(fn -> listen(pipe) end)
        follow(run)
        :ok

      {:error, {:already_running, run_id}} ->
        {:error, already_running(run_id)}

      error ->
        error
    end
  end

  defp options(order) do
    given = for key <- [:workdir, :width, :history], value = order[Atom.to_string(key)], do: {key, value}
    [worker: Map.fetch!(@workers, order["worker"])] ++ given
  end

  defp follow(run) do
    receive do
      {:workbooks, ^run, {:run_finished, data}} ->
        say(Map.put(data, :event, :run_finished))
        say(%{result: Map.drop(Run.await(run), [:org])})

      {:workbooks, ^run, {name, data}} ->
        say(Map.put(data, :event, name))
        follow(run)

      {:report, report} ->
        report(run, report)
        follow(run)

      :closed ->
        Run.cancel(run)
    end
  end

  defp listen(pipe) do
    case IO.binread(:stdio, :line) do
      line when is_binary(line) ->
        with {:ok, %{} = report} <- JSON.decode(line), do: send(pipe, {:report, report})
        listen(pipe)

      _closed ->
        send(pipe, :closed)
    end
  end

  # A report may be there before its task is.
  defp report(run, %{"task" => task} = report) do
    with {:ok, word} <- word(report),
         {:error, %Error{code: :not_waiting} = error} <- Run.report(run, task, word) do
      if expected?(run, task),
        do: Process.send_after(self(), {:report, report}, 20),
        else: refuse(task, error)
    else
      :ok -> :ok
      {:error, error} -> refuse(task, error)
    end
  end

  defp report(_run, _report), do: refuse(nil, Error.new(:bad_option, "a report names its `task`", ""))

  defp word(%{"ok" => text}) when is_binary(text), do: {:ok, {:ok, text}}
  defp word(%{"error" => text}) when is_binary(text), do: {:ok, {:error, text}}
  defp word(_report), do: {:error, Error.new(:bad_option, "a report has `ok` or `error`, a text", "")}

  defp expected?(run, task) do
    %{tasks: tasks} = Run.status(run)
    Enum.any?(tasks, &(&1.id == task and &1.state in [:waiting, :running]))
  end

  defp refuse(task, error), do: say(%{event: :refused, task: task, reason: error.message})

  defp already_running(run_id) do
    %{
      code: :already_running,
      message: "the plan is being run already, by run `#{run_id}`",
      hint: "wait for it, or look at it with `wbx status`",
      run_id: run_id
    }
  end
end
