defmodule Workbooks.Run.Amendments do
  @moduledoc false
  # What a verdict means for a plan that somebody changed while the run was at work.
  #
  # A task is found by its id. Ids made from titles can move: when one of two tasks of one title goes, the other takes its
  # id. So the task at that id must also have the titles above it and the check that were judged. A composite cannot be
  # DONE while the text has an open task below it that was not there before.

  alias Workbooks.Run.Outline

  @doc "Adds to each entry its `:place` in the text: `:same`, `:gone` or `:changed`; and says less where it must."
  @spec amend([map], Workbooks.OQL.org()) :: [map]
  def amend(entries, text) do
    case Outline.parse(text) do
      {:ok, outline} -> Enum.map(entries, &amended(&1, outline, done(entries)))
      # No plan any more; writing to it will say why.
      {:error, _} -> Enum.map(entries, &Map.put(&1, :place, :same))
    end
  end

  defp done(entries),
    do: for(%{verdict: %{state: :done}, item: item} <- entries, into: MapSet.new(), do: item.task.id)

  defp amended(entry, outline, done) do
    case outline.items[outline.keys[entry.item.task.id]] do
      nil ->
        Map.put(entry, :place, :gone)

      item ->
        if same?(item, entry.item),
          do: entry |> Map.put(:place, :same) |> lessen(item, outline, done),
          else: Map.put(entry, :place, :changed)
    end
  end

  defp same?(now, then), do: now.task.path == then.task.path and now.check == then.check

  defp lessen(%{verdict: %{state: :done} = verdict} = entry, %{children: [_ | _] = children}, outline, done) do
    case Enum.find_value(children, &open(&1, outline, done)) do
      nil -> entry
      id -> %{entry | verdict: %{verdict | state: :partial, reason: "`#{id}` below it is not done"}}
    end
  end

  defp lessen(entry, _item, _outline, _done), do: entry

  # The id of a task in this subtree that is neither done nor about to be.
  defp open(key, outline, done) do
    item = outline.items[key]

    cond do
      item.cancelled or item.claim == :done or item.task.id in done ->
        nil

      item.kind == :leaf ->
        item.task.id

      true ->
        Enum.find_value(item.children, &open(&1, outline, done)) ||
          if(item.kind == :composite, do: item.task.id)
    end
  end
end
