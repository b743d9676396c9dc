defmodule Workbooks.Lifecycle.Checkpoint do
  @moduledoc false
  # Before a version is swapped out, each of its `:persist` components is asked for what it wants to be found again.

  alias Workbooks.{Deploy, VFS}
  alias Workbooks.Lifecycle.Memory
  alias Workbooks.Workflow.{Graph, Step, Tasks}

  @doc "Asks them all, then keeps the answers. Gives those that did not answer, each with its reason."
  @spec take(Deploy.Version.t() | nil, VFS.t()) ::
          {:ok, [%{component: String.t(), why: String.t()}]} | {:error, Workbooks.Error.t()}
  def take(nil, _disk), do: {:ok, []}

  def take(version, disk) do
    context = %{
      profile: version.profile,
      vfs: disk,
      session: %{id: version.id},
      version: version.version,
      timeout: nil
    }

    nodes =
      for graph <- version.graphs, %{component: %{"persist" => true}} = node <- Graph.nodes(graph), do: node

    ask = fn node -> Step.checkpoint(node, Map.fetch!(version.artifacts, node.key), context) end
    answers = Enum.zip(nodes, Tasks.map(nodes, ask, 1))

    kept = for {node, {:ok, text}} <- answers, do: {node.key, text}
    failed = for {node, {:error, why}} <- answers, do: %{component: node.name, why: why}
    with :ok <- Memory.keep(disk, version.version, kept), do: {:ok, failed}
  end
end
