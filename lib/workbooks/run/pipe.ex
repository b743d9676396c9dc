defmodule Workbooks.Run.Pipe do
  @moduledoc false
  # A run for another program, as `wbx run` starts it: the order is the first line of standard input, events and the
  # result are lines of JSON on standard output. Further lines of input report on tasks that wait. When the input ends the
  # other program is gone, and so is the run: it can be resumed.
  #
  #     {"plan": "/plan.org", "workdir": "/", "width": 8, "worker": "shell" | "wait", "history": null}
  #     {"event": "task_started", "task": "a", ..}
  #     {"result": {..}} | {"error": {"code": .., "message": .., "hint": .., "run_id": ..}}

  alias Workbooks.{Error, JSON, Run}
  alias Workbooks.Workflow.{ShellWorker, WaitingWorker}

  @workers %{"shell" => ShellWorker, "wait" => WaitingWorker}

  @doc "The whole life of the process."
  @spec main() :: no_return
  def main do
    # Standard output is the pipe; what the log says is for people.
    Application.put_env(:logger, :console, device: :standard_error)
    :io.setopts(:standard_io, encoding: :latin1)
    {:ok, _} = Application.ensure_all_started(:workbooks)

    with line when is_binary(line) <- IO.binread(:stdio, :line),
         {:ok, order} <- JSON.decode(line),
         {:ok, run} <- Run.start(order["plan"], [subscribe: true] ++ options(order)) do
      pipe = self()
      spawn_link(fn -> listen(pipe) end)
      follow(run)
    else
      {:error, reason} -> say(%{error: error(reason)})
      _closed -> :ok
    end

    System.halt(0)
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

  defp error({:already_running, run_id}) do
    %{
      code: :already_running,
      message: "the plan is being run already, by run `#{run_id}`",
      hint: "wait for it, or look at it with `wbx status`",
      run_id: run_id
    }
  end

  defp error(%Error{} = error), do: Map.take(error, [:code, :message, :hint])

  # Nothing in an event is without JSON: text is valid, everything else is ours.
  defp say(data) do
    {:ok, json} = JSON.encode(data)
    IO.binwrite(:stdio, [json, ?\n])
  end
end
