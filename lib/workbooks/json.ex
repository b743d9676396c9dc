defmodule Workbooks.JSON do
  @moduledoc """
  JSON. Objects are maps with string keys; `null` is `nil`.

      iex> Workbooks.JSON.decode(~s({"state": "DONE", "tasks": [1, 2.5, null]}))
      {:ok, %{"state" => "DONE", "tasks" => [1, 2.5, nil]}}

      iex> Workbooks.JSON.encode(%{done: true, tags: ["a", :b]})
      {:ok, ~s({"done":true,"tags":["a","b"]})}

      iex> {:error, error} = Workbooks.JSON.decode("[1,")
      iex> error.code
      :not_json
  """

  alias Workbooks.{Error, Kernel, Native}

  @doc "The term that a JSON text stands for. The native side reads it, off the scheduler."
  @spec decode(binary) :: {:ok, term} | {:error, Error.t()}
  def decode(json) when is_binary(json) do
    with {:ok, runtime} <- Kernel.runtime(), do: Native.decode_json(runtime, json)
  end

  @doc "The JSON text of a term made of maps, lists, strings, numbers and atoms."
  @spec encode(term) :: {:ok, String.t()} | {:error, Error.t()}
  def encode(term) do
    {:ok, IO.iodata_to_binary(value(term))}
  catch
    {:no_json, term} ->
      text = "no JSON for #{inspect(term, limit: 5, printable_limit: 50)}"
      {:error, Error.new(:not_json, text, "use maps, lists, strings, numbers and atoms")}
  end

  defp value(nil), do: "null"
  defp value(term) when is_boolean(term), do: Atom.to_string(term)
  defp value(term) when is_atom(term), do: string(Atom.to_string(term))
  defp value(term) when is_integer(term), do: Integer.to_string(term)
  defp value(term) when is_float(term), do: Float.to_string(term)
  defp value(term) when is_binary(term), do: string(term)
  defp value(list) when is_list(list), do: [?[, separated(list, &value/1), ?]]

  defp value(term) when is_map(term) and not is_struct(term),
    do: [?{, separated(Map.to_list(term), fn {key, value} -> [key(key), ?:, value(value)] end), ?}]

  defp value(term), do: throw({:no_json, term})

  defp separated([], _encode), do: []
  defp separated([last], encode), do: [encode.(last)]
  defp separated([item | rest], encode) when is_list(rest), do: [encode.(item), ?, | separated(rest, encode)]
  defp separated(improper, _encode), do: throw({:no_json, improper})

  defp key(key) when is_atom(key), do: string(Atom.to_string(key))
  defp key(key) when is_binary(key), do: string(key)
  defp key(key), do: throw({:no_json, key})

  defp string(text) do
    if String.valid?(text), do: [?", escape(text, text, 0, 0), ?"], else: throw({:no_json, text})
  end

  # Runs of bytes that need no escape are taken whole.
  defp escape(<<byte, rest::binary>>, text, start, length) when byte < 0x20 or byte in [?", ?\\] do
    [binary_part(text, start, length), escaped(byte) | escape(rest, text, start + length + 1, 0)]
  end

  defp escape(<<_, rest::binary>>, text, start, length), do: escape(rest, text, start, length + 1)
  defp escape(<<>>, text, start, length), do: [binary_part(text, start, length)]

  defp escaped(?"), do: ~S(\")
  defp escaped(?\\), do: ~S(\\)
  defp escaped(?\n), do: ~S(\n)
  defp escaped(byte), do: ["\\u00", Base.encode16(<<byte>>, case: :lower)]

  use Workbooks.Bang, decode: 1, encode: 1
end
