defmodule Workbooks.Lifecycle.Keeper do
  @moduledoc false
  # The process of one workbook. It orders moves, one at a time; a process of its own makes each (see
  # `Workbooks.Lifecycle.Move`), so that the state can be asked while a move waits for a guest or copies a disk. Whoever
  # asks for more than the state waits until the move is over.
  #
  # States: `:ready`, and `{:busy, tag, then}` while a move is made. `then` says who is told what.

  @behaviour :gen_statem
  require Logger

  alias Workbooks.{Config, Error, VFS}
  alias Workbooks.Lifecycle.{Move, Record, State}

  @type clock :: (() -> integer)

  # When falling asleep fails, it is tried again.
  @again :timer.minutes(1)

  # How long the end of the application waits for a move; its supervisor waits a little longer.
  @patience 8_000

  @doc "Starts the keeper of a workbook that has a record; without one there is nothing to keep."
  @spec start_link(Config.t(), String.t(), clock, [:gen_statem.start_opt()] | {:via, module, term}) ::
          :gen_statem.start_ret()
  def start_link(config, id, clock, name \\ [])
  def start_link(config, id, clock, []), do: :gen_statem.start_link(__MODULE__, {config, id, clock}, [])

  def start_link(config, id, clock, name),
    do: :gen_statem.start_link(name, __MODULE__, {config, id, clock}, [])

  @doc "Makes a move, and gives the state after it."
  @spec move(pid, State.move()) :: {:ok, State.name()} | {:error, Error.t()}
  def move(keeper, move), do: :gen_statem.call(keeper, {:move, move})

  @doc "The state. It does not wait for a move under way: until that is over, the workbook is where it was."
  @spec state(pid) :: {:ok, State.name()}
  def state(keeper), do: :gen_statem.call(keeper, :state)

  @doc "The state when the move under way is over."
  @spec settled(pid) :: {:ok, State.name()}
  def settled(keeper), do: :gen_statem.call(keeper, :settled)

  @doc "The disk of an active workbook; asking for it is a use."
  @spec disk(pid) :: {:ok, VFS.t()} | {:error, Error.t()}
  def disk(keeper), do: :gen_statem.call(keeper, :disk)

  @doc """
  The disk of a workbook, which is made active if it has to be. Nobody comes between: two who wake the same workbook at
  once both get its disk, and it does not fall asleep before they have it.
  """
  @spec wake(pid) :: {:ok, VFS.t()} | {:error, Error.t()}
  def wake(keeper), do: :gen_statem.call(keeper, :wake)

  @impl true
  def callback_mode, do: :handle_event_function

  # Opening a disk may take its time, and whoever starts keepers starts them one after the other.
  @impl true
  def init({config, id, clock}) do
    Process.flag(:trap_exit, true)

    case Record.read(config, id) do
      {:ok, life} ->
        keeper = %{config: config, clock: clock, life: life, disk: nil, timer: nil}
        settle = &Move.settle(config, &1, &2)
        {:ok, {:busy, begin(keeper, settle), :found}, keeper}

      {:error, error} ->
        Logger.error("workbooks: workbook `#{id}` cannot be kept: #{error.message}")
        :ignore
    end
  end

  @impl true
  def handle_event({:call, from}, :state, _state, keeper),
    do: {:keep_state_and_data, {:reply, from, {:ok, keeper.life.state}}}

  def handle_event({:call, _from}, _question, {:busy, _tag, _then}, _keeper),
    do: {:keep_state_and_data, :postpone}

  def handle_event({:call, from}, :settled, :ready, keeper),
    do: {:keep_state_and_data, {:reply, from, {:ok, keeper.life.state}}}

  def handle_event({:call, from}, {:move, move}, :ready, keeper), do: advance(keeper, move, {:state, from})
  def handle_event({:call, from}, :disk, :ready, %{disk: nil} = keeper), do: without_disk(from, keeper)

  def handle_event({:call, from}, question, :ready, %{disk: disk} = keeper)
      when question in [:disk, :wake] and disk != nil,
      do: {:keep_state, used(keeper), {:reply, from, {:ok, disk}}}

  def handle_event({:call, from}, :wake, :ready, %{life: %{state: :active}} = keeper),
    do: without_disk(from, keeper)

  def handle_event({:call, from}, :wake, :ready, %{life: %{state: :created}} = keeper),
    do: advance(keeper, :activate, {:disk, from})

  def handle_event({:call, from}, :wake, :ready, keeper), do: advance(keeper, :resume, {:disk, from})

  # A move is over.
  def handle_event(:info, {tag, {answer, life, disk}}, {:busy, tag, then}, keeper) do
    keeper = %{keeper | life: life, disk: disk}
    {keeper, actions} = tell(then, answer, keeper)
    {:next_state, :ready, keeper, actions}
  end

  # The timer was set for the last move; uses since then put the time off. A move under way sets it anew.
  def handle_event(:info, :idle, :ready, keeper) do
    with {move, time} <- State.idle(keeper.life, keeper.config),
         true <- time <= keeper.clock.() do
      advance(keeper, move, :idle)
    else
      _not_yet -> {:keep_state, schedule(keeper)}
    end
  end

  # The process that makes a move ends by itself. When it crashes nobody knows how far it came, so this one starts again.
  def handle_event(:info, {:EXIT, _pid, :normal}, _state, _keeper), do: :keep_state_and_data
  def handle_event(:info, {:EXIT, _pid, reason}, _state, _keeper), do: {:stop, reason}
  def handle_event(:info, _stray, _state, _keeper), do: :keep_state_and_data

  # Another engine may soon own the files. So a move under way is made to its end, and whoever still has the disk can do
  # nothing more with it.
  @impl true
  def terminate(_reason, {:busy, tag, _then}, keeper) do
    receive do
      {^tag, {_answer, _life, disk}} -> shut(disk)
    after
      @patience -> shut(keeper.disk)
    end
  end

  def terminate(_reason, :ready, keeper), do: shut(keeper.disk)

  defp shut(nil), do: :ok
  defp shut(disk), do: VFS.close(disk)

  defp advance(keeper, move, then) do
    now = keeper.clock.()
    tag = begin(keeper, &Move.perform(keeper.config, &1, &2, move, now))
    {:next_state, {:busy, tag, then}, keeper}
  end

  # A record says active, and its disk could not be opened when it was found: perhaps it can by now.
  defp without_disk(from, %{life: %{state: :active}} = keeper) do
    tag = begin(keeper, &Move.settle(keeper.config, &1, &2))
    {:next_state, {:busy, tag, {:disk, from}}, keeper}
  end

  defp without_disk(from, %{life: life}) do
    text = "workbook `#{life.id}` is #{life.state} and has no open disk"
    {:keep_state_and_data, {:reply, from, {:error, Error.new(:illegal_move, text, "make it active first")}}}
  end

  defp begin(%{life: life, disk: disk}, work) do
    {keeper, tag} = {self(), make_ref()}
    spawn_link(fn -> send(keeper, {tag, work.(life, disk)}) end)
    tag
  end

  # Nobody knows how long an active workbook was unused when the VM ended, so its idle time begins anew.
  defp tell(:found, {:ok, :active}, keeper), do: {schedule(used(keeper)), []}
  defp tell(:found, {:ok, _asleep}, keeper), do: {schedule(keeper), []}

  defp tell(:found, {:error, error}, keeper) do
    Logger.error("workbooks: the disk of workbook `#{keeper.life.id}` cannot be opened: #{error.message}")
    {keeper, []}
  end

  defp tell(:idle, {:ok, _state}, keeper), do: {schedule(keeper), []}

  defp tell(:idle, {:error, error}, keeper) do
    Logger.error("workbooks: workbook `#{keeper.life.id}` does not fall asleep: #{error.message}")
    {set_timer(keeper, @again), []}
  end

  defp tell({:state, from}, answer, keeper), do: {schedule(keeper), [{:reply, from, answer}]}

  defp tell({:disk, from}, {:ok, _active}, keeper),
    do: {schedule(used(keeper)), [{:reply, from, {:ok, keeper.disk}}]}

  defp tell({:disk, from}, error, keeper), do: {schedule(keeper), [{:reply, from, error}]}

  defp used(keeper), do: %{keeper | life: State.touch(keeper.life, keeper.clock.())}

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
