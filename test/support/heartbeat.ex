defmodule Workbooks.Heartbeat do
  @moduledoc "Does a scheduler keep its time while something else is at work?"

  @doc "Does `work` beside a 1 ms timer. Gives the worst delay of a tick in microseconds, and what `work` gave."
  def slip(work) do
    parent = self()
    ticker = spawn_link(fn -> tick(now(), 0, parent) end)
    Process.sleep(20)
    result = work.()
    send(ticker, :stop)

    receive do
      {:slip, slip} -> {slip, result}
    end
  end

  defp tick(last, worst, parent) do
    receive do
      :stop -> send(parent, {:slip, worst})
    after
      1 ->
        time = now()
        tick(time, max(worst, time - last - 1_000), parent)
    end
  end

  defp now, do: System.monotonic_time(:microsecond)
end
