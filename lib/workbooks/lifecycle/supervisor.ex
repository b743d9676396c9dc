defmodule Workbooks.Lifecycle.Supervisor do
  @moduledoc false
  # The keepers of all workbooks. After a restart those that were awake are kept again, so that their idle time runs on.

  use Supervisor

  alias Workbooks.{Config, Error}
  alias Workbooks.Lifecycle.{Keeper, Record}

  @registry Workbooks.Lifecycle.Registry
  @keepers Workbooks.Lifecycle.Keepers

  def start_link(config), do: Supervisor.start_link(__MODULE__, config, name: __MODULE__)

  @doc "The keeper of a workbook, started when it is not there."
  @spec keeper(String.t()) :: {:ok, pid} | {:error, Error.t()}
  def keeper(id) do
    with {:ok, config} <- fetch_config() do
      case Registry.lookup(@registry, id) do
        [{pid, _}] -> {:ok, pid}
        [] -> start(config, id)
      end
    end
  end

  @doc "The configuration that the keepers work with. Without keepers, why there are none."
  @spec fetch_config() :: {:ok, Config.t()} | {:error, Error.t()}
  def fetch_config do
    with nil <- Process.whereis(@registry),
         {:ok, _dir} <- Config.dir(Config.current(), :data_dir) do
      {:error, Error.new(:kernel_unavailable, "the :workbooks application is not running", "start it first")}
    else
      {:error, error} -> {:error, error}
      _registry -> Registry.meta(@registry, :config)
    end
  end

  @doc "The same, raised where there is none."
  @spec config() :: Config.t()
  def config do
    case fetch_config() do
      {:ok, config} -> config
      {:error, error} -> raise error
    end
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

  defp start(config, id) do
    clock = fn -> System.os_time(:second) end
    name = {:via, Registry, {@registry, id}}
    start = {Keeper, :start_link, [config, id, clock, name]}
    # Its disk is closed when it ends, which waits for guests that use it.
    spec = %{id: id, start: start, restart: :transient, shutdown: 10_000}

    with {:ok, _life} <- Record.read(config, id) do
      case DynamicSupervisor.start_child(@keepers, spec) do
        {:ok, pid} -> {:ok, pid}
        {:error, {:already_started, pid}} -> {:ok, pid}
        :ignore -> {:error, Error.new(:io, "workbook `#{id}` cannot be opened", "see the log")}
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
