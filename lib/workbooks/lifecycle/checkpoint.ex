defmodule Workbooks.Lifecycle.Checkpoint do
  @moduledoc false
  # Before a version is swapped out, each of its `:persist` components is asked for what it wants to be found again.

  alias Workbooks.{Deploy, VFS}
  alias Workbooks.Lifecycle.Memory
  alias Workbooks.Workflow.{Graph, Step}

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

    answers =
      for graph <- version.graphs,
          %{component: %{"persist" => true}} = node <- Graph.nodes(graph),
          do: {node, ask(node, version, context)}

    kept = for {node, {:ok, text}} <- answers, do: {node.key, text}
    failed = for {node, {:error, why}} <- answers, do: %{component: node.name, why: why}
    with :ok <- Memory.keep(disk, version.version, kept), do: {:ok, failed}
  end

  # In a process of its own: whatever becomes of it, the deploy goes on to say so.
  defp ask(node, version, context) do
    work = fn -> Step.checkpoint(node, Map.fetch!(version.artifacts, node.key), context) end
    task = Task.Supervisor.async_nolink(Workbooks.Workflow.Tasks, work)

    case Task.yield(task, :infinity) do
      {:ok, answer} -> answer
      {:exit, reason} -> {:error, "it crashed: #{inspect(reason, limit: 5)}"}
    end
  end
end
