defmodule Workbooks.Lifecycle.Keeper do
  @moduledoc false
  # The process of one workbook. It orders moves, performs their effects, and records them: effects first, so that a
  # record never promises what is not on the disk.

  use GenServer, restart: :transient
  require Logger

  alias Workbooks.{Config, Error, VFS}
  alias Workbooks.Lifecycle.{Files, Record, State}

  @type clock :: (() -> integer)

  # When falling asleep fails, it is tried again.
  @again :timer.minutes(1)

  @doc "Starts the keeper of a workbook that has a record; without one there is nothing to keep."
  @spec start_link(Config.t(), String.t(), clock, [GenServer.option()]) :: GenServer.on_start()
  def start_link(config, id, clock, opts \\ []),
    do: GenServer.start_link(__MODULE__, {config, id, clock}, opts)

  @spec move(pid, State.move()) :: {:ok, State.name()} | {:error, Error.t()}
  def move(keeper, move), do: GenServer.call(keeper, {:move, move}, :infinity)

  @spec state(pid) :: {:ok, State.name()}
  def state(keeper), do: GenServer.call(keeper, :state, :infinity)

  @doc "The disk of an active workbook; asking for it is a use."
  @spec disk(pid) :: {:ok, VFS.t()} | {:error, Error.t()}
  def disk(keeper), do: GenServer.call(keeper, :disk, :infinity)

  @impl true
  def init({config, id, clock}) do
    with {:ok, life} <- Record.read(config, id),
         {:ok, disk} <- Files.perform(State.settle(life), config, id, nil) do
      # Nobody knows how long an active workbook was unused when the VM ended.
      life = if life.state == :active, do: State.touch(life, clock.()), else: life
      {:ok, schedule(%{config: config, clock: clock, life: life, disk: disk, timer: nil})}
    else
      failure ->
        Logger.error("workbooks: workbook `#{id}` cannot be kept: #{elem(failure, 1).message}")
        :ignore
    end
  end

  @impl true
  def handle_call({:move, move}, _from, keeper) do
    {answer, keeper} = advance(keeper, move)
    {:reply, answer, keeper}
  end

  def handle_call(:state, _from, keeper), do: {:reply, {:ok, keeper.life.state}, keeper}

  def handle_call(:disk, _from, %{disk: nil, life: life} = keeper) do
    text = "workbook `#{life.id}` is #{life.state} and has no open disk"
    {:reply, {:error, Error.new(:illegal_move, text, "make it active first")}, keeper}
  end

  def handle_call(:disk, _from, keeper) do
    {:reply, {:ok, keeper.disk}, %{keeper | life: State.touch(keeper.life, keeper.clock.())}}
  end

  # The timer was set for the last move; uses since then put the time off.
  @impl true
  def handle_info(:idle, keeper) do
    with {move, time} <- State.idle(keeper.life, keeper.config),
         true <- time <= keeper.clock.(),
         {{:error, error}, keeper} <- advance(keeper, move) do
      Logger.error("workbooks: workbook `#{keeper.life.id}` does not #{move}: #{error.message}")
      {:noreply, set_timer(keeper, @again)}
    else
      {{:ok, _state}, keeper} -> {:noreply, keeper}
      _not_yet -> {:noreply, schedule(keeper)}
    end
  end

  def handle_info(_stray, keeper), do: {:noreply, keeper}

  defp advance(%{config: config, life: life} = keeper, move) do
    with {:ok, next, before, later} <- State.move(life, move, keeper.clock.()),
         {:ok, disk} <- Files.perform(before, config, life.id, keeper.disk),
         {:recorded, :ok, _disk} <- {:recorded, Record.write(config, next), disk} do
      # These remove files and cannot fail; what a crash leaves behind goes at the next start.
      {:ok, disk} = Files.perform(later, config, life.id, disk)
      {{:ok, next.state}, schedule(%{keeper | life: next, disk: disk})}
    else
      {:error, error} -> {{:error, error}, keeper}
      {:error, error, disk} -> {{:error, error}, back(keeper, disk)}
      {:recorded, {:error, error}, disk} -> {{:error, error}, back(keeper, disk)}
    end
  end

  # The move did not happen, so the disk is open again if it was, and closed if it was not.
  defp back(%{life: life, config: config} = keeper, disk) do
    effects = if life.state == :active, do: [:open], else: [:close]

    case Files.perform(effects, config, life.id, disk) do
      {:ok, disk} -> %{keeper | disk: disk}
      {:error, _error, disk} -> %{keeper | disk: disk}
    end
  end

  defp schedule(keeper) do
    case State.idle(keeper.life, keeper.config) do
      nil -> set_timer(keeper, nil)
      {_move, time} -> set_timer(keeper, max(time - keeper.clock.(), 0) * 1_000)
    end
  end

  defp set_timer(keeper, time) do
    if keeper.timer, do: Process.cancel_timer(keeper.timer)
    %{keeper | timer: time && Process.send_after(self(), :idle, time)}
  end
end
