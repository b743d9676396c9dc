defmodule Workbooks.Lifecycle.Supervisor do
  @moduledoc false
  # The keepers of all workbooks. After a restart those that were awake are kept again, so that their idle time runs on.

  use Supervisor

  alias Workbooks.Lifecycle.{Keeper, Record}

  @registry Workbooks.Lifecycle.Registry
  @keepers Workbooks.Lifecycle.Keepers

  def start_link(config), do: Supervisor.start_link(__MODULE__, config, name: __MODULE__)

  @doc "The keeper of a workbook, started when it is not there."
  @spec keeper(String.t()) :: {:ok, pid} | {:error, Workbooks.Error.t()}
  def keeper(id) do
    case Registry.lookup(@registry, id) do
      [{pid, _}] -> {:ok, pid}
      [] -> start(id)
    end
  end

  @doc "The configuration that the keepers work with."
  @spec config() :: Workbooks.Config.t()
  def config do
    {:ok, config} = Registry.meta(@registry, :config)
    config
  end

  @impl true
  def init(config) do
    children = [
      {Registry, keys: :unique, name: @registry, meta: [config: config]},
      {DynamicSupervisor, name: @keepers},
      %{id: :wake, start: {Task, :start_link, [fn -> wake(config) end]}, restart: :temporary}
    ]

    Supervisor.init(children, strategy: :one_for_all)
  end

  defp start(id) do
    config = config()
    clock = fn -> System.os_time(:second) end
    name = [name: {:via, Registry, {@registry, id}}]
    spec = %{id: id, start: {Keeper, :start_link, [config, id, clock, name]}, restart: :transient}

    with {:ok, _life} <- Record.read(config, id) do
      case DynamicSupervisor.start_child(@keepers, spec) do
        {:ok, pid} -> {:ok, pid}
        {:error, {:already_started, pid}} -> {:ok, pid}
        :ignore -> {:error, Workbooks.Error.new(:io, "workbook `#{id}` cannot be opened", "see the log")}
      end
    end
  end

  defp wake(config) do
    for id <- Record.ids(config),
        {:ok, life} <- [Record.read(config, id)],
        life.state in [:active, :suspended] do
      keeper(id)
    end
  end
end
