defmodule Workbooks.Pipe do
  @moduledoc false
  # An engine for another program, as `wbx` starts it. The first line of standard input says what is wanted; answers are
  # lines of JSON on standard output. When the input ends the other program is gone.
  #
  #     {"do": "run" | "deploy", "order": {..}}
  #     {"event": .., ..}
  #     {"result": {..}} | {"error": {"code": .., "message": .., "hint": ..}}

  alias Workbooks.{Error, JSON}

  @servants %{"run" => Workbooks.Run.Pipe, "deploy" => Workbooks.Deploy.Pipe}

  @doc "Takes an order, and says what becomes of it."
  @callback serve(order :: map) :: :ok | {:error, Error.t() | map}

  @doc "The whole life of the process."
  @spec main() :: no_return
  def main do
    # Standard output is the pipe; what the log says is for people.
    Application.put_env(:logger, :console, device: :standard_error)
    :io.setopts(:standard_io, encoding: :latin1)
    {:ok, _} = Application.ensure_all_started(:workbooks)

    with line when is_binary(line) <- IO.binread(:stdio, :line),
         {:ok, %{"do" => name, "order" => order}} <- JSON.decode(line),
         {:error, reason} <- Map.fetch!(@servants, name).serve(order),
         do: say(%{error: error(reason)})

    System.halt(0)
  end

  @doc "Says something. Nothing that is said is without JSON: text is valid, everything else is ours."
  @spec say(map) :: :ok
  def say(data) do
    {:ok, json} = JSON.encode(data)
    IO.binwrite(:stdio, [json, ?\n])
  end

  defp error(%Error{} = error), do: Map.take(error, [:code, :message, :hint])
  defp error(%{} = error), do: error
end
