defmodule Workbooks.RandomPlan do
  @moduledoc """
  Plans made by a seed, and the model that says how each task must end.

  The model is a definition, not a schedule: it asks of each task who stands above it, whom it waits for and what its
  script says, in no order at all.
  """

  alias Workbooks.Run.Outline

  @doc "A plan of about `count` tasks, as Org text."
  def org(seed, count) do
    random = :rand.seed_s(:exsss, {seed, 7, 11})
    {lines, _} = Enum.map_reduce(1..count, {random, 0, []}, &headline/2)
    IO.iodata_to_binary(lines)
  end

  # A task waits only for earlier ones that do not stand above it, so most plans have no cycle.
  defp headline(n, {random, depth, above}) do
    {step, random} = :rand.uniform_s(10, random)
    depth = if step > 6, do: max(1, depth - rem(step, 3)), else: min(depth + rem(step, 2), 5)
    depth = max(depth, 1)
    above = Enum.drop_while(above, fn {_, level} -> level >= depth end)
    {word, random} = pick(["TODO ", "TODO ", "TODO ", "TODO ", "FAILED ", "DONE ", "CANCELLED ", ""], random)
    {order, random} = :rand.uniform_s(6, random)
    {wait, random} = :rand.uniform_s(8, random)
    {other, random} = :rand.uniform_s(max(n - 1, 1), random)
    ancestors = Enum.map(above, &elem(&1, 0))

    text = [
      [String.duplicate("*", depth), " ", word, "t#{n}\n"],
      if(order == 1, do: ":ORDERED: t\n", else: []),
      if(wait == 1 and n > 1 and other not in ancestors, do: ":BLOCKER: t#{other}\n", else: [])
    ]

    {text, {random, depth, [{n, depth} | above]}}
  end

  defp pick(list, random) do
    {n, random} = :rand.uniform_s(length(list), random)
    {Enum.at(list, n - 1), random}
  end

  @doc "How each task of an outline must end, by id. `script` says what becomes of a leaf that runs: `:done | :failed`."
  def model(%Outline{} = outline, script) do
    {ends, _} = Enum.map_reduce(outline.tasks, %{}, &outcome(&1, &2, outline, script))
    outline.tasks |> Enum.map(&outline.items[&1].task.id) |> Enum.zip(ends) |> Map.new()
  end

  defp outcome(key, memo, _outline, _script) when is_map_key(memo, key), do: {memo[key], memo}

  defp outcome(key, memo, outline, script) do
    item = outline.items[key]
    {blocked?, memo} = blocked?(key, memo, outline, script)

    {outcome, memo} =
      cond do
        item.kind == :leaf and item.claim == :done -> {:done, memo}
        cancelled?(key, outline) -> {:cancelled, memo}
        blocked? -> {:blocked, memo}
        item.kind == :leaf -> {script.(item.task.id), memo}
        true -> children(item, memo, outline, script)
      end

    {outcome, Map.put(memo, key, outcome)}
  end

  defp cancelled?(:root, _outline), do: false

  defp cancelled?(key, outline),
    do: outline.items[key].claim == :cancelled or cancelled?(outline.items[key].parent, outline)

  defp blocked?(:root, memo, _outline, _script), do: {false, memo}

  defp blocked?(key, memo, outline, script) do
    item = outline.items[key]
    {above?, memo} = blocked?(item.parent, memo, outline, script)
    awaited = if item.before, do: [item.before | item.blockers], else: item.blockers

    Enum.reduce(awaited, {above?, memo}, fn awaited, {blocked?, memo} ->
      {outcome, memo} = outcome(awaited, memo, outline, script)
      {blocked? or outcome not in [:done, :cancelled], memo}
    end)
  end

  defp children(item, memo, outline, script) do
    {outcomes, memo} = Enum.map_reduce(item.children, memo, &outcome(&1, &2, outline, script))
    {if(Enum.all?(outcomes, &(&1 in [:done, :cancelled])), do: :done, else: :partial), memo}
  end
end
