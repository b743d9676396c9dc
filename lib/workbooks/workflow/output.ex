defmodule Workbooks.Workflow.Output do
  @moduledoc false
  # What workers print is any bytes and any length; what is kept is text, the end of it.

  @limit 64 * 1024

  @doc "The bytes as text, not UTF-8 replaced, with no more than the last 64 KiB."
  @spec text(binary) :: String.t()
  def text(bytes) when byte_size(bytes) > @limit,
    do: "[..]" <> valid(binary_part(bytes, byte_size(bytes) - @limit, @limit))

  def text(bytes), do: valid(bytes)

  defp valid(bytes) do
    if String.valid?(bytes), do: bytes, else: bytes |> replaced([]) |> IO.iodata_to_binary()
  end

  defp replaced(bytes, done) do
    case :unicode.characters_to_binary(bytes) do
      text when is_binary(text) -> [done, text]
      {_, text, <<_, rest::binary>>} -> replaced(rest, [done, text, "\uFFFD"])
    end
  end
end
