defmodule Workbooks.Run.Outline do
  @moduledoc false
  # A plan as the runner walks it: a tree of nodes with a root above, and who waits for whom. Pure.
  #
  # The kernel says what each headline is (`Workbooks.OQL.tasks/1`): a task with tasks below it is a composite, one
  # without is a leaf, a headline without keyword is structure, and what stands inside a leaf is part of it.

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
    with rows when is_list(rows) <- OQL.tasks(org), do: {:ok, build(rows)}
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

  @kinds %{"leaf" => :leaf, "composite" => :composite, "structure" => :structure}

  defp build(rows) do
    rows = Enum.with_index(rows)
    keys = Map.new(rows, fn {row, key} -> {row["id"], key} end)
    rows = Enum.reject(rows, fn {row, _} -> row["kind"] == "part" end)
    order = Enum.map(rows, &elem(&1, 1))
    items = items(rows, keys)

    %__MODULE__{
      items: items,
      order: order,
      tasks: Enum.filter(order, &(items[&1].kind != :structure)),
      keys: keys,
      dangling:
        Enum.find_value(rows, fn {row, _} ->
          with(
            name when name != nil <- Enum.find(row["blockers"], &(not is_map_key(keys, &1))),
            do: {row, name}
          )
        end)
    }
  end

  defp known(%{dangling: nil}), do: :ok

  defp known(%{dangling: {row, name}}) do
    text = "line #{row["line"]}: `#{row["id"]}` waits for `#{name}`, and no task has that id"
    {:error, Error.new(:unknown_task, text, "see the ids with `wbx tasks`")}
  end

  defp items(rows, keys) do
    parents = Map.new(rows, fn {row, key} -> {key, Map.get(keys, row["parent"], :root)} end)
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
      kind = @kinds[row["kind"]]
      claim = claim(row)

      Map.put(items, key, %{
        key: key,
        kind: kind,
        parent: parents[key],
        children: Map.get(children, key, []),
        before: before[key],
        blockers: for(id <- row["blockers"], blocker = keys[id], do: blocker),
        claim: claim,
        cancelled: claim == :cancelled or items[parents[key]].cancelled,
        check: if(kind != :structure, do: Check.of(task)),
        task: task
      })
    end)
  end

  defp pairs([first | rest]), do: Enum.zip(rest, [first | rest])

  defp claim(%{"state" => state}) when state in @cancelled, do: :cancelled
  defp claim(%{"done" => done}), do: if(done, do: :done, else: :open)

  defp task(row, idx) do
    check = with %{"lang" => lang, "body" => body} <- row["check"], do: %{lang: lang, body: body}

    %{
      id: row["id"],
      idx: idx,
      title: row["title"],
      state: row["state"],
      done: row["done"],
      kind: @kinds[row["kind"]],
      path: row["path"],
      level: row["level"],
      parent: row["parent"],
      ordered: row["ordered"],
      blockers: row["blockers"],
      done_when: row["done_when"],
      check: check,
      check_error: row["check_error"],
      script: row["script"],
      body: row["body"],
      props: row["props"],
      line: row["line"]
    }
  end

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
