defmodule Workbooks.Operations.Stdio do
  @moduledoc false
  # An engine for another program, as `wbx` starts it: frames on standard input, answers on descriptor 4, a line of JSON
  # each. Standard output is not for frames: the VM and its log print there, also before this module is loaded.
  #
  #     {"id": 1, "op": "run.start", "params": {..}}
  #     {"id": 1, "event": {..}}
  #     {"id": 1, "ok": {..}} | {"id": 1, "error": {"code": .., "message": .., "hint": .., "retryable": ..}}
  #
  # A line that is no frame is answered with an error whose id is 0. When the input ends the other program is gone: its
  # runs are cancelled, and can be resumed.

  alias Workbooks.{Error, JSON, Kernel, Native, Operations, Run}

  @frames 4

  @doc "The whole life of the process."
  @spec main() :: no_return
  def main do
    :persistent_term.put(__MODULE__, Port.open({:fd, @frames, @frames}, [:out, :binary]))
    :io.setopts(:standard_io, encoding: :latin1)
    serve(Application.ensure_all_started(:workbooks))
    System.halt(0)
  end

  defp serve({:ok, _started}) do
    listen()
    with {:ok, runs} <- Run.list(), do: Enum.each(runs, &Run.cancel(&1.id))
  end

  # An engine that was refused its data directory says so, without the NIF's help: nothing is started. Whatever else
  # keeps it from starting is in the log.
  defp serve({:error, {_application, {%Error{} = error, _start}}}) do
    say(%{id: 0, error: Error.to_frame(error)})
  end

  defp listen do
    with line when is_binary(line) <- IO.binread(:stdio, :line) do
      case frame(line) do
        {:ok, {id, name, params}} -> spawn(fn -> answer(id, name, params) end)
        {:error, error} -> say(%{id: 0, error: Error.to_frame(error)})
      end

      listen()
    end
  end

  defp frame(line) do
    with {:ok, runtime} <- Kernel.runtime(), do: Native.read_frame(runtime, line)
  end

  defp answer(id, name, params) do
    hearer = self()

    caller =
      spawn_link(fn -> send(hearer, {:answer, Operations.call(name, params || %{}, stream: {hearer, id})}) end)

    hear(id, caller)
  end

  defp hear(id, caller) do
    receive do
      {^id, :event, event} ->
        say(%{id: id, event: event})
        hear(id, caller)

      {:answer, {:ok, answer}} ->
        say(%{id: id, ok: answer})

      {:answer, {:error, error}} ->
        say(%{id: id, error: Error.to_frame(error)})
    end
  end

  defp say(data) do
    {:ok, json} = JSON.encode(data)
    Port.command(:persistent_term.get(__MODULE__), [json, ?\n])
  end
end
