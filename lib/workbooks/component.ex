defmodule Workbooks.Component do
  @moduledoc false
  # A component is named by its path or given as its bytes. Both are binaries: what cannot be a path is bytes.

  @longest_path 4_096

  @spec source(binary) :: Workbooks.Native.component()
  def source(<<0, "asm", _::binary>> = wasm), do: {:bytes, wasm}
  def source(binary) when byte_size(binary) not in 1..@longest_path, do: {:bytes, binary}

  def source(binary) when is_binary(binary) do
    if String.valid?(binary) and not String.contains?(binary, <<0>>),
      do: {:file, absolute(binary)},
      else: {:bytes, binary}
  end

  # Expanding asks the file server for the working directory, which costs more than the call of a guest.
  defp absolute("/" <> _ = path), do: path
  defp absolute(path), do: Path.expand(path)
end
