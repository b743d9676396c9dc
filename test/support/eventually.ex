defmodule Workbooks.Eventually do
  @moduledoc "Waiting for a state that nobody announces. How long is for the time limit of the test to say."

  @doc "Asks until the answer is neither `nil` nor `false`, and gives it."
  def eventually(ask), do: ask.() || (Process.sleep(5) && eventually(ask))

  @doc "Waits until a process that was just started waits for somebody's answer: its call is made."
  def calling(pid) do
    eventually(fn -> Process.info(pid, [:status, :reductions]) |> waits?(pid) end)
    pid
  end

  # Twice the same: it did not stop on the way, at a lock or a message of its own start.
  defp waits?([{:status, :waiting}, {:reductions, before}], pid) do
    Process.sleep(5)
    Process.info(pid, [:status, :reductions]) == [status: :waiting, reductions: before]
  end

  defp waits?(_, _pid), do: false
end
