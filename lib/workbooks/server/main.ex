defmodule Workbooks.Server.Main do
  @moduledoc false
  # An engine that `wbx serve` starts: the whole life of a VM whose work is to answer. In the foreground it ends when its
  # standard input does, because then the `wbx` that started it is gone; in the background it ends by SIGTERM, as `wbx
  # deploy stop` sends it. Either way everything is drained.

  alias Workbooks.{Error, JSON}

  @doc "`main(\"foreground\" | \"background\", bind, port)`, with the words of the command line."
  @spec main([String.t()]) :: no_return
  def main([mode, bind, port]) do
    Application.put_env(:logger, :console, device: :standard_error)
    :io.setopts(:standard_io, encoding: :latin1)
    Application.load(:workbooks)
    Application.put_env(:workbooks, :server, port: String.to_integer(port), bind: bind, announce: true)
    Application.put_env(:workbooks, :schedules, true)
    serve(Application.ensure_all_started(:workbooks), mode)
  end

  defp serve({:ok, _started}, "foreground") do
    IO.binread(:stdio, :line)
    System.stop(0)
    Process.sleep(:infinity)
  end

  defp serve({:ok, _started}, "background"), do: Process.sleep(:infinity)

  # What keeps it from starting is said in a frame, as `Workbooks.Operations.Stdio` does.
  defp serve({:error, reason}, _mode) do
    with %Error{} = error <- error(reason),
         {:ok, json} <- JSON.encode(%{id: 0, error: Error.to_frame(error)}) do
      IO.binwrite(:stdio, [json, ?\n])
    else
      _unknown -> IO.puts(:stderr, "the engine cannot start: #{inspect(reason)}")
    end

    System.halt(1)
  end

  # Somewhere in the words of the supervisor.
  defp error(%Error{} = error), do: error
  defp error(reason) when is_tuple(reason), do: reason |> Tuple.to_list() |> Enum.find_value(&error/1)
  defp error(reason) when is_list(reason), do: Enum.find_value(reason, &error/1)
  defp error(_reason), do: nil
end
