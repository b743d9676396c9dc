defmodule Workbooks.Run.Supervisor do
  @moduledoc false
  # All runs of this VM. Each has a small supervisor of its own, so that a run which crashes again and again ends alone.

  use Supervisor

  alias Workbooks.Run.{Family, Options}

  @registry Workbooks.Run.Registry
  @subscribers Workbooks.Run.Subscribers
  @families Workbooks.Run.Families

  @spec start_link(term) :: Supervisor.on_start()
  def start_link(_), do: Supervisor.start_link(__MODULE__, nil, name: __MODULE__)

  @impl true
  def init(nil) do
    children = [
      {Registry, keys: :unique, name: @registry},
      # A subscriber that dies is forgotten by the registry.
      {Registry, keys: :duplicate, name: @subscribers},
      {DynamicSupervisor, name: @families}
    ]

    Supervisor.init(children, strategy: :one_for_all)
  end

  @doc "Starts the processes of a run."
  @spec start_run(Options.t()) :: DynamicSupervisor.on_start_child()
  def start_run(%Options{} = options) do
    spec = %{
      id: options.run_id,
      start: {Family, :start_link, [options]},
      restart: :temporary,
      type: :supervisor
    }

    DynamicSupervisor.start_child(@families, spec)
  end

  @doc "The name of one of a run's processes: `:server`, `:tasks` or `:family`."
  @spec name(atom, String.t()) :: {:via, Registry, {atom, term}}
  def name(role, run_id), do: {:via, Registry, {@registry, {role, run_id}}}

  @doc "That process, if it is there."
  @spec whereis(atom, String.t()) :: pid | nil
  def whereis(role, run_id), do: GenServer.whereis(name(role, run_id))

  @doc "The ids of the runs whose server is there."
  @spec run_ids() :: [String.t()]
  def run_ids, do: @registry |> Registry.select([{{{:server, :"$1"}, :_, :_}, [], [:"$1"]}]) |> Enum.sort()

  @doc "Makes the calling process hear of a run's events."
  @spec subscribe(String.t()) :: :ok
  def subscribe(run_id) do
    if run_id not in Registry.keys(@subscribers, self()),
      do: {:ok, _} = Registry.register(@subscribers, run_id, nil)

    :ok
  end

  @spec unsubscribe(String.t()) :: :ok
  def unsubscribe(run_id), do: Registry.unregister(@subscribers, run_id)

  @spec publish(String.t(), term) :: :ok
  def publish(run_id, event) do
    Registry.dispatch(@subscribers, run_id, fn subscribers ->
      for {pid, _} <- subscribers, do: send(pid, {:workbooks, run_id, event})
    end)
  end
end
