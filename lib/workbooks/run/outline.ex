defmodule Workbooks.Run.Outline do
  @moduledoc false
  # A plan as the runner walks it: a tree of nodes with a root above, and who waits for whom. Pure.
  #
  # A task with tasks below it is a composite, one without is a leaf: notes under a task do not take its work away. A
  # headline without keyword is structure. What stands inside a leaf is part of it.

  alias Workbooks.{Error, OQL}
  alias Workbooks.Workflow.Check

  @type key :: non_neg_integer | :root
  @type kind :: :leaf | :composite | :structure

  @type item :: %{
          key: key,
          kind: kind,
          parent: key | nil,
          children: [key],
          before: key | nil,
          blockers: [key],
          claim: :open | :done | :cancelled,
          cancelled: boolean,
          check: Check.t(),
          task: map
        }

  @enforce_keys [:items, :order, :tasks, :keys]
  defstruct [:items, :order, :tasks, :keys, :dangling]

  @typedoc """
  `order` is that of the document, `tasks` are its leaves and composites, `keys` finds a key by task id. `dangling` is the
  first task that waits for nobody known.
  """
  @type t :: %__MODULE__{
          items: %{key => item},
          order: [key],
          tasks: [key],
          keys: %{String.t() => key},
          dangling: {map, String.t()} | nil
        }

  @cancelled ["CANCELLED", "CANCELED"]

  @doc "Reads a plan. Refuses one whose tasks would wait forever."
  @spec read(OQL.org()) :: {:ok, t} | {:error, Error.t()}
  def read(org) do
    with {:ok, outline} <- parse(org), :ok <- known(outline), :ok <- acyclic(outline), do: {:ok, outline}
  end

  @doc "Reads a plan, whether it can be run or not."
  @spec parse(OQL.org()) :: {:ok, t} | {:error, Error.t()}
  def parse(org) do
    with rows when is_list(rows) <- OQL.tasks(org),
         done when is_list(done) <- OQL.query(org, "(done)"),
         do: {:ok, build(rows, MapSet.new(done, & &1["line"]))}
  end

  @doc "The task maps of a plan, as workers get them."
  @spec tasks(OQL.org()) :: [map] | {:error, Error.t()}
  def tasks(org) do
    with rows when is_list(rows) <- OQL.tasks(org),
         do:
           rows
           |> Enum.filter(& &1["state"])
           |> Enum.with_index()
           |> Enum.map(fn {row, idx} -> task(row, idx) end)
  end

  defp build(rows, done) do
    rows = Enum.with_index(rows)
    keys = Map.new(rows, fn {row, key} -> {row["id"], key} end)
    parents = Map.new(rows, fn {row, key} -> {key, Map.get(keys, row["parent"], :root)} end)
    kinds = kinds(rows, parents)
    leaf = leaves(rows, parents, kinds)
    rows = Enum.reject(rows, fn {_, key} -> Map.get(leaf, key, key) != key end)
    named = for {row, key} <- rows, into: %{}, do: {key, names(row)}
    order = Enum.map(rows, &elem(&1, 1))

    %__MODULE__{
      items: items(rows, parents, kinds, blockers(named, keys, leaf), done),
      order: order,
      tasks: Enum.filter(order, &(kinds[&1] != :structure)),
      keys: keys,
      dangling:
        Enum.find_value(rows, fn {row, key} ->
          with(name when name != nil <- Enum.find(named[key], &(not is_map_key(keys, &1))), do: {row, name})
        end)
    }
  end

  # From the last to the first: whoever stands above a task is no leaf.
  defp kinds(rows, parents) do
    {kinds, _above} =
      rows
      |> Enum.reverse()
      |> Enum.reduce({%{}, MapSet.new()}, fn {row, key}, {kinds, above} ->
        task? = row["state"] != nil
        above? = MapSet.member?(above, key)
        kind = if task?, do: if(above?, do: :composite, else: :leaf), else: :structure
        above = if task? or above?, do: MapSet.put(above, parents[key]), else: above
        {Map.put(kinds, key, kind), above}
      end)

    kinds
  end

  # Which leaf a headline belongs to, if any.
  defp leaves(rows, parents, kinds) do
    Enum.reduce(rows, %{}, fn {_, key}, leaf ->
      case {kinds[key], leaf[parents[key]]} do
        {:leaf, nil} -> Map.put(leaf, key, key)
        {_, nil} -> leaf
        {_, owner} -> Map.put(leaf, key, owner)
      end
    end)
  end

  defp names(row),
    do:
      Enum.flat_map(
        ["BLOCKER", "DEPENDS"],
        &String.split(row["props"][&1] || "", [",", " ", "\t"], trim: true)
      )

  # Waiting for what stands inside a leaf is waiting for the leaf.
  defp blockers(named, keys, leaf) do
    Map.new(named, fn {key, names} ->
      {key, for(name <- names, found = keys[name], uniq: true, do: leaf[found] || found)}
    end)
  end

  defp known(%{dangling: nil}), do: :ok

  defp known(%{dangling: {row, name}}) do
    text = "line #{row["line"]}: `#{row["id"]}` waits for `#{name}`, and no task has that id"
    {:error, Error.new(:unknown_task, text, "see the ids with `wbx tasks`")}
  end

  defp items(rows, parents, kinds, blockers, done) do
    children = Enum.group_by(rows, fn {_, key} -> parents[key] end, fn {_, key} -> key end)
    ordered = for {%{"ordered" => true}, key} <- rows, into: MapSet.new(), do: key
    before = for {parent, keys} <- children, parent in ordered, pair <- pairs(keys), into: %{}, do: pair

    idx =
      rows
      |> Enum.filter(fn {row, _} -> row["state"] end)
      |> Enum.with_index()
      |> Map.new(fn {{_, k}, i} -> {k, i} end)

    root = %{
      key: :root,
      kind: :structure,
      parent: nil,
      children: Map.get(children, :root, []),
      before: nil,
      blockers: [],
      claim: :open,
      cancelled: false,
      check: nil,
      task: nil
    }

    Enum.reduce(rows, %{root: root}, fn {row, key}, items ->
      task = task(row, idx[key])
      claim = claim(row, done)

      Map.put(items, key, %{
        key: key,
        kind: kinds[key],
        parent: parents[key],
        children: Map.get(children, key, []),
        before: before[key],
        blockers: blockers[key],
        claim: claim,
        cancelled: claim == :cancelled or items[parents[key]].cancelled,
        check: if(kinds[key] != :structure, do: Check.of(task)),
        task: task
      })
    end)
  end

  defp pairs([first | rest]), do: Enum.zip(rest, [first | rest])

  defp claim(%{"state" => state}, _done) when state in @cancelled, do: :cancelled
  defp claim(%{"line" => line}, done), do: if(line in done, do: :done, else: :open)

  defp task(row, idx) do
    check = with %{"lang" => lang, "body" => body} <- row["check"], do: %{lang: lang, body: body}

    %{
      id: row["id"],
      idx: idx,
      title: title(row["title"]),
      state: row["state"],
      path: Enum.map(row["path"], &title/1),
      level: row["level"],
      parent: row["parent"],
      ordered: row["ordered"],
      done_when: row["done_when"],
      check: check,
      body: row["body"],
      props: row["props"],
      line: row["line"]
    }
  end

  # A statistics cookie moves as the run goes on, and is no part of a name.
  defp title(text), do: Regex.replace(~r/\s*\[\d*(?:\/\d*|%)\]/, text, "")

  # A task begins after its parent began and after everybody it waits for ended; it ends after it began and after its
  # children ended. A cycle in that is a wait without end.
  defp acyclic(outline) do
    Enum.reduce_while(outline.items, {:ok, %{}}, fn {key, _}, {:ok, seen} ->
      case visit({:end, key}, [], seen, outline.items) do
        {:ok, seen} -> {:cont, {:ok, seen}}
        {:cycle, path} -> {:halt, {:cycle, path}}
      end
    end)
    |> case do
      {:ok, _} -> :ok
      {:cycle, path} -> {:error, waits_forever(path, outline.items)}
    end
  end

  defp visit(vertex, path, seen, items) do
    case seen do
      %{^vertex => :left} ->
        {:ok, seen}

      %{^vertex => :entered} ->
        {:cycle, [vertex | Enum.take_while(path, &(&1 != vertex))] ++ [vertex]}

      _ ->
        vertex
        |> needs(items)
        |> Enum.reduce_while({:ok, Map.put(seen, vertex, :entered)}, fn next, {:ok, seen} ->
          case visit(next, [vertex | path], seen, items) do
            {:ok, seen} -> {:cont, {:ok, seen}}
            cycle -> {:halt, cycle}
          end
        end)
        |> case do
          {:ok, seen} -> {:ok, Map.put(seen, vertex, :left)}
          cycle -> cycle
        end
    end
  end

  defp needs({:end, key}, items), do: [{:begin, key} | Enum.map(items[key].children, &{:end, &1})]
  defp needs({:begin, :root}, _items), do: []

  defp needs({:begin, key}, items) do
    item = items[key]
    awaited = if item.before, do: [item.before | item.blockers], else: item.blockers
    [{:begin, item.parent} | Enum.map(awaited, &{:end, &1})]
  end

  # The path runs from whoever is waited for to whoever waits; a task that begins and ends in it is one stop.
  defp waits_forever(path, items) do
    [first | _] = stops = path |> tl() |> Enum.reverse() |> Enum.map(&elem(&1, 1)) |> Enum.dedup()
    stops = if length(stops) > 1 and List.last(stops) == first, do: stops, else: stops ++ [first]
    names = Enum.map_join(stops, " -> ", &items[&1].task.id)
    hint = "take one of the `:BLOCKER:` lines away; a task cannot wait for one that it is part of"
    Error.new(:cycle, "these tasks wait for each other: #{names}", hint)
  end
end
