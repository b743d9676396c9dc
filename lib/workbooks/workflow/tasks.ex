defmodule Workbooks.Workflow.Tasks do
  @moduledoc false
  # Work in processes of its own, under a supervisor. A crash is the failure of that piece of work alone; when the process
  # that wanted it is gone, the work is stopped.

  @doc false
  def child_spec(_), do: Task.Supervisor.child_spec(name: __MODULE__)

  @doc "Does `work` with each item, so many at once, and gives the answers in their order. A crash is `{:error, why}`."
  @spec map([item], (item -> answer), pos_integer) :: [answer | {:error, String.t()}]
        when item: term, answer: term
  def map(items, work, width) do
    caller = self()

    __MODULE__
    |> Task.Supervisor.async_stream_nolink(
      items,
      fn item ->
        stop_with(caller)
        work.(item)
      end,
      max_concurrency: width,
      timeout: :infinity
    )
    |> Enum.map(fn
      {:ok, answer} -> answer
      {:exit, reason} -> {:error, "it crashed: #{inspect(reason, limit: 5)}"}
    end)
  end

  # A task that is not linked to its caller would outlive it.
  defp stop_with(caller) do
    task = self()

    spawn(fn ->
      over = Process.monitor(task)
      gone = Process.monitor(caller)

      receive do
        {:DOWN, ^over, _, _, _} -> :ok
        {:DOWN, ^gone, _, _, _} -> Process.exit(task, :kill)
      end
    end)
  end
end
