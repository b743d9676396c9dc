defmodule Workbooks.Demos.Stage do
  @moduledoc false
  # How a demo speaks: a title, a sentence, a call with its answer.

  @spec title(String.t()) :: :ok
  def title(text), do: IO.puts("\n#{text}\n#{String.duplicate("=", String.length(text))}")

  @spec say(String.t()) :: :ok
  def say(text), do: IO.puts(text)

  @doc "Shows a call of the library with its answer, and gives the answer."
  @spec answer(String.t(), answer) :: answer when answer: term
  def answer(call, answer) do
    IO.puts("\niex> Workbooks.#{call}\n#{inspect(answer, pretty: true, width: 110)}")
    answer
  end
end
