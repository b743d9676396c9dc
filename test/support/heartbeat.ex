defmodule Workbooks.Heartbeat do
  @moduledoc """
  Does a scheduler keep its time while something else is at work?

  A ticker is late on a busy machine whatever this VM does. So a second VM with one scheduler keeps the same time in the
  same moment, beside native processes that spin, and the two are compared: no figure here is a number of milliseconds.
  """

  # How many times as long as the control's gap ours may be. A scheduler that is blocked misses by hundreds.
  @times 4

  @doc "Starts the VM to compare with. It ends with the caller."
  def control! do
    paths = for app <- [:elixir, :workbooks], flag <- [~c"-pa", :code.lib_dir(app, :ebin)], do: flag
    {:ok, peer, _} = :peer.start_link(%{connection: :standard_io, args: [~c"+S", ~c"1:1" | paths]})
    peer
  end

  @doc """
  Does `work` beside a 1 ms timer, here and in the other VM, which has `spinners` native processes beside it as well.

  Gives the longest gap between two ticks here and there, in microseconds, and what `work` gave.
  """
  def gaps(control, spinners, work) do
    :peer.call(control, __MODULE__, :start, [spinners], :infinity)
    start(0)
    result = work.()
    gap = stop()
    {gap, :peer.call(control, __MODULE__, :stop, [], :infinity), result}
  end

  @doc "Whether the best of our rounds is as good as a middling one of the control."
  def kept_time?(ours, controls), do: Enum.min(ours) <= @times * median(controls)

  @doc "The middle one."
  def median(values), do: values |> Enum.sort() |> Enum.at(div(length(values), 2))

  @doc "Begins to tick, beside this many native spinners."
  def start(spinners) do
    caller = self()

    ticker =
      spawn(fn ->
        Process.register(self(), __MODULE__)
        for _ <- 1..spinners//1, do: spinner()
        send(caller, {:ticking, self()})
        tick(now(), 0)
      end)

    receive do
      {:ticking, ^ticker} -> :ok
    end
  end

  @doc "The longest gap since the beginning, in microseconds."
  def stop do
    ticker = Process.whereis(__MODULE__)
    watch = Process.monitor(ticker)
    send(ticker, {:stop, self()})

    gap =
      receive do
        {:gap, gap} -> gap
      end

    receive do
      {:DOWN, ^watch, _, _, _} -> gap
    end
  end

  @doc "How long a native process takes that spins and is to be ended after `milliseconds`, in microseconds."
  def native_deadline(milliseconds) do
    args = ["#{milliseconds / 1000}", "sh", "-c", "while :; do :; done"]
    {took, _} = :timer.tc(System, :cmd, ["timeout", args])
    took
  end

  # It ends when its input does: with the ticker, or with the VM.
  defp spinner do
    script = "while :; do :; done & read _; kill $!"
    Port.open({:spawn_executable, System.find_executable("sh")}, args: ["-c", script])
  end

  defp tick(last, longest) do
    receive do
      {:stop, caller} -> send(caller, {:gap, max(longest, now() - last)})
    after
      1 ->
        time = now()
        tick(time, max(longest, time - last))
    end
  end

  defp now, do: System.monotonic_time(:microsecond)
end
