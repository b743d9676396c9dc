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

  @typedoc "Whose events: a run's, those of every run of a plan by its true path, or all."
  @type topic :: String.t() | {:plan, Path.t()} | :all

  @doc "Makes the calling process hear of events."
  @spec subscribe(topic) :: :ok
  def subscribe(topic) do
    if topic not in Registry.keys(@subscribers, self()),
      do: {:ok, _} = Registry.register(@subscribers, topic, nil)

    :ok
  end

  @spec unsubscribe(topic) :: :ok
  def unsubscribe(topic), do: Registry.unregister(@subscribers, topic)

  @doc "The processes that hear of one of these, each once."
  @spec subscribers([topic]) :: [pid]
  def subscribers(topics) do
    topics |> Enum.flat_map(&Registry.lookup(@subscribers, &1)) |> Enum.map(&elem(&1, 0)) |> Enum.uniq()
  end
end
