defmodule Workbooks.Lifecycle.BusyTest do
  # A move may take long: it waits for the guests that use the disk. The Dock's handler is everybody's, so not async.
  use ExUnit.Case

  alias Workbooks.{Config, Dock, Error, Guests, Instance, VFS}
  alias Workbooks.Lifecycle.{Keeper, Record, State}

  @moduletag :tmp_dir

  setup %{tmp_dir: dir} do
    handlers = Application.get_env(:workbooks, :dock, [])
    on_exit(fn -> Application.put_env(:workbooks, :dock, handlers) end)
    config = Config.new!(data_dir: dir)
    :ok = Record.create(config, State.new("w", 1_000_000))

    {:ok, keeper} = Keeper.start_link(config, "w", fn -> 1_000_000 end)
    %{keeper: keeper, config: config}
  end

  # A guest that is in the middle of a call on the disk until it is told to go on.
  defp guest(disk) do
    test = self()

    Dock.put_handler(:llm, fn _prompt, _session ->
      send(test, {:asked, self()})
      receive(do: (:go -> {:ok, "gone"}))
    end)

    guest =
      Task.async(fn ->
        Instance.run(Guests.path("dock_all"), "llm-complete hi", vfs: disk, profile: :posix)
      end)

    assert_receive {:asked, handler}, 60_000
    {guest, handler}
  end

  test "the state can be asked while a freeze waits; whoever wants the disk waits, and gets it", %{
    keeper: keeper
  } do
    {:ok, disk} = Keeper.wake(keeper)
    :ok = VFS.write(disk, "file", "kept")
    {guest, handler} = guest(disk)

    freeze = Task.async(fn -> Keeper.move(keeper, :freeze) end)
    wait_until_closed(disk)
    assert Task.yield(freeze, 0) == nil
    assert Keeper.state(keeper) == {:ok, :active}
    wakers = for _ <- 1..3, do: Task.async(fn -> Keeper.wake(keeper) end)
    assert Keeper.state(keeper) == {:ok, :active}

    send(handler, :go)
    assert Task.await(guest) == {:ok, "gone"}
    assert Task.await(freeze) == {:ok, :frozen}

    for answer <- Task.await_many(wakers) do
      assert {:ok, disk} = answer
      assert VFS.read!(disk, "file") == "kept"
    end

    assert Keeper.settled(keeper) == {:ok, :active}
  end

  test "who ends a keeper in the middle of a move waits for the move", %{keeper: keeper, config: config} do
    {:ok, disk} = Keeper.wake(keeper)
    {guest, handler} = guest(disk)
    Process.unlink(keeper)
    spawn(fn -> Keeper.move(keeper, :freeze) end)
    wait_until_closed(disk)

    down = Process.monitor(keeper)
    Process.exit(keeper, :shutdown)
    send(handler, :go)
    assert Task.await(guest) == {:ok, "gone"}
    assert_receive {:DOWN, ^down, :process, ^keeper, :shutdown}, 60_000
    assert {:ok, %State{state: :frozen}} = Record.read(config, "w")
    assert File.regular?(Path.join(config.cold_dir, "w.sqlite"))
  end

  defp wait_until_closed(disk) do
    case VFS.stat(disk, "file") do
      {:error, %Error{code: :closed}} -> :ok
      _ -> wait_until_closed(disk)
    end
  end
end
