defmodule Workbooks.Workflow.Graph do
  @moduledoc false
  # A workflow as a dataflow: which component waits for which values, and who runs together. Pure.
  #
  # There is one graph for a workflow and everything nested in it. A nested workflow is no node of its own: its
  # components run where their edges place them, so that a value may go in and another come out of it in turn.
  #
  # The kernel says who can run together (`waves`) and who waits for each other (`cycles`): a component waits for every
  # producer of each of its values. When there are several, the value is that of the nearest: see `producer/3`.

  alias Workbooks.Error

  @enforce_keys [:nodes, :world, :producers, :waves]
  defstruct [:nodes, :world, :producers, :waves]

  @type id :: non_neg_integer
  @type node_ :: %{
          id: id,
          key: [String.t()],
          name: String.t(),
          scope: [non_neg_integer],
          component: map
        }
  @type world :: %{name: String.t(), ids: [id], exports: [String.t()], worlds: [world]}
  @type t :: %__MODULE__{
          nodes: %{id => node_},
          world: world,
          producers: %{String.t() => [id]},
          waves: [[id]]
        }

  # Names shown of a cycle before the rest is only counted, as the kernel does.
  @shown 16

  @doc "The graph of a world of `Workbooks.OQL.tangle/1`. Refuses one whose components wait for each other."
  @spec new(map) :: {:ok, t} | {:error, Error.t()}
  def new(world) do
    {numbered, nodes} = number(world, [], [], %{})
    ids = Map.new(nodes, fn {id, node} -> {node.component["key"], id} end)

    case world["cycles"] do
      [] ->
        producers = nodes |> Map.values() |> Enum.sort_by(& &1.id) |> by_output()
        waves = for wave <- world["waves"], do: wave |> Enum.map(&ids[&1]) |> Enum.sort()
        {:ok, %__MODULE__{nodes: nodes, world: numbered, producers: producers, waves: waves}}

      [knot | _] ->
        {:error, cycle(for(key <- knot, do: nodes[ids[key]].name))}
    end
  end

  @doc "The nodes in the order of their numbers."
  @spec nodes(t) :: [node_]
  def nodes(%__MODULE__{nodes: nodes}), do: nodes |> Map.values() |> Enum.sort_by(& &1.id)

  @doc """
  Whose value an input is, when several make it: the producer that shares the most enclosing workflows with the consumer,
  of those the one in the outermost workflow, of those the last.
  """
  @spec producer(t, id, String.t()) :: id | nil
  def producer(%__MODULE__{nodes: nodes, producers: producers}, consumer, value) do
    here = nodes[consumer].scope

    producers
    |> Map.get(value, [])
    |> Enum.max_by(fn id -> {shared(nodes[id].scope, here), -length(nodes[id].scope), id} end, fn -> nil end)
  end

  defp shared([same | a], [same | b]), do: 1 + shared(a, b)
  defp shared(_, _), do: 0

  # A title that stands twice in one workflow is told apart by a counter, as task ids are.
  defp number(world, above, scope, nodes) do
    names = world["components"] |> Enum.map(& &1["name"]) |> unique()
    key = above ++ [world["key"] || world["name"]]

    {ids, nodes} =
      world["components"]
      |> Enum.zip(names)
      |> Enum.map_reduce(nodes, fn {component, name}, nodes ->
        id = map_size(nodes)
        node = %{id: id, key: key ++ [name], name: name, scope: scope, component: component}
        {id, Map.put(nodes, id, node)}
      end)

    {worlds, nodes} =
      world["workflows"]
      |> with_keys()
      |> Enum.with_index()
      |> Enum.map_reduce(nodes, fn {nested, index}, nodes ->
        number(nested, key, scope ++ [index], nodes)
      end)

    {%{name: world["name"], ids: ids, exports: exports(ids, worlds, nodes), worlds: worlds}, nodes}
  end

  @doc "Worlds that stand side by side, each with a `key`: its title, told apart where two have the same."
  @spec with_keys([map]) :: [map]
  def with_keys(worlds) do
    keys = worlds |> Enum.map(& &1["name"]) |> unique()
    for {world, key} <- Enum.zip(worlds, keys), do: Map.put(world, "key", key)
  end

  defp unique(names) do
    {names, _} =
      Enum.map_reduce(names, %{}, fn name, seen ->
        count = Map.get(seen, name, 0) + 1
        {if(count == 1, do: name, else: "#{name}-#{count}"), Map.put(seen, name, count)}
      end)

    names
  end

  # What nothing directly in the workflow consumes, and of what is nested in it what nothing in the whole consumes: so
  # everything that the upgrade gate counts as promised is there.
  defp exports(ids, worlds, nodes) do
    inside = Enum.flat_map(worlds, &inside/1)
    direct = unconsumed(ids, ids, nodes)
    nested = unconsumed(inside, ids ++ inside, nodes)
    Enum.uniq(Enum.sort(direct ++ nested))
  end

  defp inside(world), do: world.ids ++ Enum.flat_map(world.worlds, &inside/1)

  defp unconsumed(makers, consumers, nodes) do
    consumed =
      for id <- consumers, value <- nodes[id].component["in"], reduce: %{} do
        seen -> Map.update(seen, value, [id], &[id | &1])
      end

    for id <- makers,
        value = nodes[id].component["out"],
        Enum.all?(Map.get(consumed, value, []), &(&1 == id)),
        do: value
  end

  defp by_output(nodes) do
    for %{id: id, component: %{"out" => out}} <- Enum.reverse(nodes), out != nil, reduce: %{} do
      producers -> Map.update(producers, out, [id], &[id | &1])
    end
  end

  defp cycle([first | _] = names) do
    quoted = Enum.map(names, &"`#{&1}`")

    shown =
      if length(names) > @shown,
        do: Enum.take(quoted, @shown) ++ ["#{length(names) - @shown} more"],
        else: quoted

    text = "the data edges form a cycle: #{Enum.join(shown ++ ["`#{first}`"], " -> ")}"
    error = Error.new(:cycle, text, "break it: one of these must not need what the others make")
    %{error | details: %{components: names}}
  end
end
