defmodule Workbooks.LifecycleTest do
  use ExUnit.Case, async: true

  import Workbooks.Eventually
  alias Workbooks.{Config, Error, Guests, Instance, OtherVM, VFS}
  alias Workbooks.Lifecycle.{Keeper, Record, State}

  @moduletag :tmp_dir

  setup %{tmp_dir: dir} do
    config =
      Config.new!(data_dir: Path.join(dir, "data"), cold_dir: Path.join(dir, "cold"), freeze_after: 24 * 3600)

    clock = start_supervised!({Agent, fn -> 1_000_000 end})
    :ok = Record.create(config, State.new("w", 1_000_000))
    %{config: config, clock: clock, keeper: keep(config, clock)}
  end

  defp keep(config, clock) do
    time = fn -> Agent.get(clock, & &1) end
    start_supervised!(%{id: make_ref(), start: {Keeper, :start_link, [config, "w", time]}})
  end

  defp travel(clock, keeper, seconds) do
    Agent.update(clock, &(&1 + seconds))
    send(keeper, :idle)
    Keeper.settled(keeper)
  end

  defp active!(keeper) do
    {:ok, :active} = Keeper.move(keeper, :activate)
    {:ok, disk} = Keeper.disk(keeper)
    for volume <- [:workspace, :memory, :tmp], do: VFS.write!(disk, "file", "in #{volume}", volume)
    disk
  end

  test "a new workbook has no disk until it is active", %{keeper: keeper} do
    assert Keeper.state(keeper) == {:ok, :created}
    assert {:error, %Error{code: :illegal_move, message: message}} = Keeper.disk(keeper)
    assert message == "workbook `w` is created and has no open disk"
  end

  test "an illegal move is an error and changes nothing", %{keeper: keeper} do
    assert {:error, %Error{code: :illegal_move}} = Keeper.move(keeper, :resume)
    assert Keeper.state(keeper) == {:ok, :created}
  end

  test "suspending closes the disk; resuming clears tmp and only tmp", %{keeper: keeper} do
    disk = active!(keeper)
    assert Keeper.move(keeper, :suspend) == {:ok, :suspended}
    assert {:error, %Error{code: :closed}} = VFS.read(disk, "file")
    assert Keeper.move(keeper, :resume) == {:ok, :active}
    {:ok, disk} = Keeper.disk(keeper)
    assert VFS.read!(disk, "file") == "in workspace"
    assert VFS.read!(disk, "file", :memory) == "in memory"
    assert VFS.list!(disk, :tmp) == []
  end

  test "freezing moves the disk to cold storage; resuming brings it back without tmp", context do
    %{keeper: keeper, config: config} = context
    active!(keeper)
    assert Keeper.move(keeper, :freeze) == {:ok, :frozen}
    assert File.ls!(Path.join(config.data_dir, "w")) == ["state.json"]
    assert File.ls!(config.cold_dir) == ["w.sqlite"]

    assert Keeper.move(keeper, :resume) == {:ok, :active}
    {:ok, disk} = Keeper.disk(keeper)
    assert VFS.read!(disk, "file") == "in workspace"
    assert VFS.read!(disk, "file", :memory) == "in memory"
    assert VFS.list!(disk, :tmp) == []
  end

  test "freezing a live disk loses no write that was acknowledged", %{keeper: keeper} do
    disk = active!(keeper)
    test = self()

    writers =
      for w <- 1..4 do
        Task.async(fn ->
          Enum.reduce_while(Stream.iterate(1, &(&1 + 1)), 0, fn n, done ->
            case VFS.write(disk, "w#{w}/#{n}", "#{n}") do
              :ok -> send(test, {:wrote, w}) && {:cont, done + 1}
              {:error, %Error{code: :closed}} -> {:halt, done}
            end
          end)
        end)
      end

    for w <- 1..4, _ <- 1..5, do: assert_receive({:wrote, ^w})
    assert Keeper.move(keeper, :freeze) == {:ok, :frozen}
    written = Task.await_many(writers)
    assert Enum.sum(written) > 0

    {:ok, :active} = Keeper.move(keeper, :resume)
    {:ok, disk} = Keeper.disk(keeper)

    for {count, w} <- Enum.zip(written, 1..4), n <- 1..count//1 do
      assert VFS.read!(disk, "w#{w}/#{n}") == "#{n}"
    end
  end

  test "freezing waits for a guest that uses the disk", %{keeper: keeper} do
    disk = active!(keeper)
    guest = Task.async(fn -> Instance.run(Guests.path("sleep"), "300", vfs: disk, profile: :minimal) end)
    calling(guest.pid)
    assert Keeper.move(keeper, :freeze) == {:ok, :frozen}
    # It was given all of its time, and the disk to the end of it.
    assert Task.await(guest) == {:ok, "slept 300 ms"}
  end

  test "many who wake a workbook at once all get its disk", %{keeper: keeper} do
    for sleep <- [nil, :suspend, :freeze, :suspend] do
      if sleep, do: {:ok, _} = Keeper.move(keeper, sleep)
      disks = 1..20 |> Enum.map(fn _ -> Task.async(fn -> Keeper.wake(keeper) end) end) |> Task.await_many()
      for {:ok, disk} <- disks, do: assert(:ok = VFS.write(disk, "a", "b"))
      assert length(Enum.filter(disks, &match?({:ok, _}, &1))) == 20
    end
  end

  for state <- [:suspended, :active] do
    test "a workbook that was #{state} and whose disk is gone is not given an empty one", context do
      %{keeper: keeper, config: config, clock: clock} = context
      active!(keeper)
      {:ok, :frozen} = Keeper.move(keeper, :freeze)
      cold = Path.join(config.cold_dir, "w.sqlite")
      copy = File.read!(cold)
      {:ok, :active} = Keeper.move(keeper, :resume)
      {:ok, :suspended} = Keeper.move(keeper, :suspend)
      for file <- Path.wildcard(Path.join(config.data_dir, "w/disk*")), do: File.rm!(file)
      :ok = Record.write(config, %State{id: "w", state: unquote(state), since: 1, used: 1_000_000})

      keeper = keep(config, clock)
      assert {:error, %Error{code: :corrupt, message: message}} = Keeper.wake(keeper)
      assert message =~ "the disk of workbook `w` is gone"
      assert {:error, %Error{code: :corrupt}} = Keeper.move(keeper, :freeze)
      assert {:error, %Error{code: :corrupt}} = Keeper.move(keeper, :archive)
      assert Keeper.state(keeper) == {:ok, unquote(state)}
      assert File.read!(cold) == copy
      refute File.exists?(Path.join(config.data_dir, "w/disk.sqlite"))
    end
  end

  test "a cold copy that is damaged is refused, and the workbook stays frozen", context do
    %{keeper: keeper, config: config} = context
    active!(keeper)
    {:ok, :frozen} = Keeper.move(keeper, :freeze)
    cold = Path.join(config.cold_dir, "w.sqlite")
    good = File.read!(cold)
    File.write!(cold, String.duplicate("broken", 100))
    assert {:error, %Error{code: :not_a_disk}} = Keeper.move(keeper, :resume)
    assert Keeper.state(keeper) == {:ok, :frozen}

    File.write!(cold, good)
    assert Keeper.move(keeper, :resume) == {:ok, :active}
  end

  test "when cold storage cannot be written the workbook stays active, with its disk open", context do
    %{keeper: keeper, config: config} = context
    active!(keeper)
    File.write!(config.cold_dir, "a file where a directory should be")
    assert {:error, %Error{code: :io}} = Keeper.move(keeper, :freeze)
    assert Keeper.state(keeper) == {:ok, :active}
    {:ok, disk} = Keeper.disk(keeper)
    assert VFS.read!(disk, "file") == "in workspace"
  end

  test "archiving keeps the disk in cold storage; deleting removes it everywhere", context do
    %{keeper: keeper, config: config} = context
    active!(keeper)
    assert Keeper.move(keeper, :archive) == {:ok, :archived}
    assert {:error, %Error{code: :illegal_move}} = Keeper.move(keeper, :resume)
    assert File.ls!(config.cold_dir) == ["w.sqlite"]
    assert Keeper.move(keeper, :delete) == {:ok, :deleted}
    assert File.ls!(config.cold_dir) == []
    assert File.ls!(Path.join(config.data_dir, "w")) == ["state.json"]
  end

  test "15 idle minutes suspend it, 24 idle hours freeze it", %{keeper: keeper, clock: clock} do
    active!(keeper)
    assert travel(clock, keeper, 15 * 60 - 1) == {:ok, :active}
    assert travel(clock, keeper, 1) == {:ok, :suspended}
    assert travel(clock, keeper, 23 * 3600) == {:ok, :suspended}
    assert travel(clock, keeper, 3600) == {:ok, :frozen}
    assert travel(clock, keeper, 365 * 24 * 3600) == {:ok, :frozen}
  end

  test "use puts idleness off", %{keeper: keeper, clock: clock} do
    active!(keeper)
    assert travel(clock, keeper, 14 * 60) == {:ok, :active}
    {:ok, _} = Keeper.disk(keeper)
    assert travel(clock, keeper, 14 * 60) == {:ok, :active}
    assert travel(clock, keeper, 60) == {:ok, :suspended}
  end

  test "the timer is a real one", %{config: config, clock: clock} do
    config = %{config | suspend_after: 1}
    keeper = keep(config, clock)
    active!(keeper)
    Agent.update(clock, &(&1 + 1))
    assert eventually(fn -> Keeper.state(keeper) == {:ok, :suspended} end)
  end

  for {state, moves} <- [
        created: [],
        active: [:activate],
        suspended: [:activate, :suspend],
        frozen: [:activate, :freeze],
        archived: [:archive],
        deleted: [:delete]
      ] do
    test "a new process finds a workbook #{state} where the old one left it", context do
      %{keeper: keeper, config: config, clock: clock} = context
      for move <- unquote(moves), do: {:ok, _} = Keeper.move(keeper, move)
      Process.unlink(keeper)
      Process.exit(keeper, :kill)
      assert Keeper.state(keep(config, clock)) == {:ok, unquote(state)}
    end
  end

  test "what a crash left half done is settled at the next start", %{
    config: config,
    clock: clock,
    keeper: keeper
  } do
    active!(keeper)
    {:ok, :frozen} = Keeper.move(keeper, :freeze)
    # A crash between the record and the removal leaves the live disk behind.
    live = Path.join([config.data_dir, "w", "disk.sqlite"])
    File.write!(live, "left over")
    keeper = keep(config, clock)
    assert Keeper.settled(keeper) == {:ok, :frozen}
    refute File.exists?(live)
    assert Keeper.move(keeper, :resume) == {:ok, :active}
  end

  describe "a record" do
    test "of another version, and one that is damaged, is an error", %{config: config} do
      path = Path.join([config.data_dir, "w", "state.json"])
      File.write!(path, ~s({"version":2,"state":"active","since":1,"used":1}))
      assert {:error, %Error{code: :unknown_version}} = Record.read(config, "w")
      File.write!(path, ~s({"version":1,"state":"flying","since":1,"used":1}))
      assert {:error, %Error{code: :corrupt}} = Record.read(config, "w")
      File.write!(path, ~s({"version":1,"sta))
      assert {:error, %Error{code: :not_json}} = Record.read(config, "w")
    end

    test "is made once", %{config: config} do
      assert {:error, %Error{code: :exists}} = Record.create(config, State.new("w", 5))
      assert {:ok, %State{since: 1_000_000}} = Record.read(config, "w")
    end

    test "leaves nothing beside it", %{config: config} do
      :ok = Record.write(config, State.new("w", 5))
      assert File.ls!(Path.join(config.data_dir, "w")) == ["state.json"]
    end
  end

  @script ~S"""
  alias Workbooks.{Lifecycle, VFS}
  Application.load(:workbooks)
  Application.put_env(:workbooks, :data_dir, "DIR")
  {:ok, _} = Application.ensure_all_started(:workbooks)
  """

  test "the public functions carry a workbook through a restart of the VM", %{tmp_dir: dir} do
    script = String.replace(@script, "DIR", Path.join(dir, "vm"))

    first = """
    {:ok, :created} = Lifecycle.create("report-1")
    {:error, %{code: :exists}} = Lifecycle.create("report-1")
    {:ok, :active} = Lifecycle.activate("report-1")
    {:ok, disk} = Lifecycle.disk("report-1")
    :ok = VFS.write(disk, "a", "kept")
    {:ok, :created} = Lifecycle.create("report-2")
    {:ok, :active} = Lifecycle.activate("report-2")
    {:ok, :frozen} = Lifecycle.freeze("report-2")
    System.halt(0)
    """

    second = """
    {:ok, :active} = Lifecycle.state("report-1")
    {:ok, disk} = Lifecycle.disk("report-1")
    {:ok, "kept"} = VFS.read(disk, "a")
    {:ok, :suspended} = Lifecycle.suspend("report-1")
    {:ok, :active} = Lifecycle.resume("report-1")
    {:ok, :archived} = Lifecycle.archive("report-1")
    {:ok, :frozen} = Lifecycle.state("report-2")
    {:ok, :deleted} = Lifecycle.delete("report-2")
    {:error, %{code: :unknown_workbook}} = Lifecycle.state("report-3")
    {:error, %{code: :bad_option}} = Lifecycle.create("../report")
    IO.puts("all of it")
    """

    assert OtherVM.run(script <> first) == {"", 0}
    assert OtherVM.run(script <> second) == {"all of it\n", 0}
  end

  test "after a restart the idle time of those awake runs on", %{tmp_dir: dir} do
    script = String.replace(@script, "DIR", Path.join(dir, "vm"))
    idle = "Application.put_env(:workbooks, :suspend_after, 1)\n"
    [head, start] = String.split(script, ~r/(?={:ok, _} = Application)/)

    first = ~s({:ok, _} = Lifecycle.create("w"\); {:ok, _} = Lifecycle.activate("w"\); System.halt(0\))

    second = ~S"""
    config = Workbooks.Lifecycle.Supervisor.config()
    state = fn -> {:ok, %{state: state}} = Workbooks.Lifecycle.Record.read(config, "w"); state end
    Workbooks.Eventually.eventually(fn -> state.() == :suspended end)
    IO.inspect(state.())
    """

    assert OtherVM.run(script <> first) == {"", 0}
    assert OtherVM.run(head <> idle <> start <> second) == {":suspended\n", 0}
  end
end
