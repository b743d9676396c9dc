defmodule Workbooks.Run.Edits do
  @moduledoc false
  # What a verdict means for a plan that somebody edited while the run was at work.
  #
  # A task is found by its id. Ids made from titles can move: when one of two tasks with one title is deleted, the other
  # takes its id. So the task at that id must also have the titles above it and the check that were judged. A composite
  # cannot be DONE while the text has an open task below it that was not there when the run began.

  alias Workbooks.Run.Outline

  @doc """
  Adds to each entry its `:place` in the edited plan: `:same`, `:gone` or `:changed`. A composite's DONE becomes PARTIAL if an
  open task appeared below it. `done` has the ids of the tasks that are DONE by this run, whatever the outline says.
  """
  @spec place([map], Outline.t(), MapSet.t()) :: [map]
  def place(entries, outline, done), do: Enum.map(entries, &place_one(&1, outline, done))

  defp place_one(entry, outline, done) do
    case outline.items[outline.keys[entry.item.task.id]] do
      nil ->
        Map.put(entry, :place, :gone)

      item ->
        if same?(item, entry.item),
          do: entry |> Map.put(:place, :same) |> reconsider(item, outline, done),
          else: Map.put(entry, :place, :changed)
    end
  end

  defp same?(now, then), do: now.task.path == then.task.path and now.check == then.check

  defp reconsider(
         %{verdict: %{state: :done} = verdict} = entry,
         %{children: [_ | _] = children},
         outline,
         done
       ) do
    case Enum.find_value(children, &open(&1, outline, done)) do
      nil -> entry
      id -> %{entry | verdict: %{verdict | state: :partial, reason: "`#{id}` below it is not done"}}
    end
  end

  defp reconsider(entry, _item, _outline, _done), do: entry

  # The id of a task in this subtree that is not done.
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
