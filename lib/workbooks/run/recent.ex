defmodule Workbooks.Run.Recent do
  @moduledoc false
  # The numbers of a run's events, and the last of the events themselves, for whoever was away for a moment. They are
  # bounded in number and in size: whoever was away for longer reads the run's status anew. Pure.

  @enforce_keys [:seq, :count, :bytes]
  defstruct [:seq, :count, :bytes, kept: :queue.new(), size: 0, length: 0]

  @type event :: {atom, map}
  @type t :: %__MODULE__{}

  @count 1_000
  @bytes 1024 * 1024

  @doc "No events yet. The first gets the number after `seq`."
  @spec new(non_neg_integer, count: pos_integer, bytes: pos_integer) :: t
  def new(seq, limits \\ []) do
    %__MODULE__{
      seq: seq,
      count: Keyword.get(limits, :count, @count),
      bytes: Keyword.get(limits, :bytes, @bytes)
    }
  end

  @doc "Numbers an event and keeps it."
  @spec put(t, event) :: {event, t}
  def put(%__MODULE__{seq: seq} = recent, {name, data}) do
    event = {name, Map.put(data, :seq, seq + 1)}
    size = :erlang.external_size(event)
    kept = :queue.in({size, event}, recent.kept)
    recent = %{recent | seq: seq + 1, kept: kept, size: recent.size + size, length: recent.length + 1}
    {event, shed(recent)}
  end

  defp shed(%{length: length, size: size} = recent) when length > recent.count or size > recent.bytes do
    {{:value, {size, _event}}, kept} = :queue.out(recent.kept)
    shed(%{recent | kept: kept, size: recent.size - size, length: length - 1})
  end

  defp shed(recent), do: recent

  @doc "The events after number `seq`, or `:gone` if they are not all kept, or were never given such a number."
  @spec since(t, non_neg_integer) :: {:ok, [event]} | :gone
  def since(%__MODULE__{seq: last, length: length} = recent, seq) when seq >= last - length and seq <= last do
    {_known, missed} = :queue.split(length - (last - seq), recent.kept)
    {:ok, for({_size, event} <- :queue.to_list(missed), do: event)}
  end

  def since(_recent, _seq), do: :gone
end
