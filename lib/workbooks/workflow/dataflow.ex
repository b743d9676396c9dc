defmodule Workbooks.Workflow.Dataflow do
  @moduledoc false
  # Runs a graph wave by wave, and says what became of it. A component's process is supervised, and its crash is its
  # failure alone; when the process that called is gone, so is everything that it started.

  alias Workbooks.Workflow.{Build, Graph, Step, Tasks, Value}

  @typedoc "A component that failed, and one that never ran because another had failed."
  @type outcome :: {:ok, Value.t()} | {:error, String.t()} | {:blocked, String.t()}

  @doc "Runs it."
  @spec run(Graph.t(), %{[String.t()] => Build.artifact()}, String.t(), Step.context(), pos_integer) ::
          %{Graph.id() => outcome}
  def run(graph, artifacts, input, context, width) do
    Enum.reduce(graph.waves, %{}, fn wave, outcomes ->
      Map.merge(outcomes, wave(wave, outcomes, {graph, artifacts, input, context, width}))
    end)
  end

  defp wave(ids, outcomes, {graph, artifacts, input, context, width}) do
    {ready, failed} =
      ids
      |> Enum.map(&{&1, gather(graph, &1, outcomes, input)})
      |> Enum.split_with(&match?({_, {:ok, _}}, &1))

    work = fn {id, {:ok, text}} ->
      node = graph.nodes[id]

      with {:ok, output} <- Step.run(node, Map.fetch!(artifacts, node.key), text, context),
           do: Value.read(output, node.component["out"])
    end

    ran = ready |> Enum.map(&elem(&1, 0)) |> Enum.zip(Tasks.map(ready, work, width))
    Map.new(failed ++ ran)
  end

  # What a component gets, or why it gets nothing.
  defp gather(graph, id, outcomes, input) do
    case Enum.uniq(graph.nodes[id].component["in"]) do
      [] -> {:ok, input}
      values -> values |> Enum.map(&{&1, Graph.producer(graph, id, &1)}) |> joined(graph, outcomes)
    end
  end

  defp joined(sources, graph, outcomes) do
    case Enum.find(sources, fn {_, id} -> not match?({:ok, _}, outcomes[id]) end) do
      nil -> Value.joined(for {value, id} <- sources, {:ok, made} = outcomes[id], do: {value, made})
      {_value, id} -> {:blocked, blocked(graph.nodes[id].name, outcomes[id])}
    end
  end

  # The one that failed first is named, however long the way from it.
  defp blocked(_name, {:blocked, why}), do: why
  defp blocked(name, {:error, why}), do: "`#{name}` failed: #{why}"

  @doc "What a run gives: exports and outputs of a workflow, and the same of those nested in it."
  @spec result(Graph.t(), %{Graph.id() => outcome}) :: map
  def result(graph, outcomes), do: result(graph.world, graph, outcomes)

  defp result(world, graph, outcomes) do
    %{
      workflow: world.name,
      exports: exports(world, graph, outcomes),
      tasks: Map.new(world.ids, &{graph.nodes[&1].name, output(outcomes[&1])}),
      workflows: Enum.map(world.worlds, &result(&1, graph, outcomes))
    }
  end

  defp output({:ok, value}), do: value.term
  defp output({_failed, why}), do: {:error, why}

  defp exports(world, graph, outcomes) do
    inside = MapSet.new(inside(world))

    values =
      for value <- world.exports,
          id = graph.producers[value] |> Enum.filter(&(&1 in inside)) |> outermost(graph),
          {:ok, made} <- [outcomes[id]],
          do: {value, made}

    Value.keyed(values)
  end

  defp inside(world), do: world.ids ++ Enum.flat_map(world.worlds, &inside/1)

  defp outermost(ids, graph), do: Enum.max_by(ids, &{-length(graph.nodes[&1].scope), &1})
end
