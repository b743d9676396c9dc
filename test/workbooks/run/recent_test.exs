defmodule Workbooks.Run.RecentTest do
  use ExUnit.Case, async: true

  alias Workbooks.Run.Recent

  defp told(recent, count),
    do: Enum.reduce(1..count, recent, fn _, recent -> recent |> Recent.put({:tick, %{}}) |> elem(1) end)

  defp since(recent, seq) do
    with {:ok, events} <- Recent.since(recent, seq), do: Enum.map(events, fn {:tick, data} -> data.seq end)
  end

  test "events are numbered from the one after the last" do
    assert {{:tick, %{seq: 1}}, _} = Recent.put(Recent.new(0), {:tick, %{}})
    assert {{:tick, %{seq: 8}}, _} = Recent.put(Recent.new(7), {:tick, %{}})
  end

  test "whoever says what they know gets the rest, or is told that it is not there" do
    recent = Recent.new(0, count: 3) |> told(5)

    for {seq, rest} <- [{5, []}, {4, [5]}, {2, [3, 4, 5]}, {1, :gone}, {0, :gone}, {6, :gone}],
        do: assert({seq, since(recent, seq)} == {seq, rest})
  end

  test "what is kept is bounded in bytes as well, and the numbers go on" do
    recent = Recent.new(0, bytes: 1_000) |> told(3)
    {_, recent} = Recent.put(recent, {:tick, %{text: String.duplicate("x", 2_000)}})
    assert {recent.seq, recent.length, recent.size} == {4, 0, 0}
    assert since(recent, 4) == []
    assert since(recent, 3) == :gone
    assert since(told(recent, 2), 4) == [5, 6]
  end
end
