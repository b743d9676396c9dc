defmodule Workbooks.OwnerTest do
  # One engine owns a data directory. What two of them do to each other is tried with two.
  use ExUnit.Case, async: true

  alias Workbooks.{Config, Error, JSON, Native, OtherVM, Owner, RunningVM}

  @moduletag :tmp_dir

  @start "Application.ensure_all_started(:workbooks) |> elem(0)"
  @refusal "{:error, {:workbooks, {error, _}}} = Application.ensure_all_started(:workbooks); {error.code, error.details.pid, error.message}"

  describe "two VMs on one directory" do
    test "the second is refused, and nothing that the first has is lost", %{tmp_dir: dir} do
      data = Path.join(dir, "data")
      first = RunningVM.start!(data_dir: data)
      assert RunningVM.ask(first, @start) == ":ok"
      pid = first |> RunningVM.ask("System.pid()") |> String.trim("\"")

      RunningVM.ask(
        first,
        ~S|{:ok, disk} = Workbooks.Lifecycle.wake("w"); Workbooks.VFS.write(disk, "a", "kept")|
      )

      assert RunningVM.ask(first, ~S|Workbooks.Lifecycle.suspend("w")|) == "{:ok, :suspended}"

      # It would freeze everything that sleeps: the first must not resume onto an empty disk, nor put that into cold storage.
      second = RunningVM.start!(data_dir: data, suspend_after: 1, freeze_after: 1, schedules: true)
      refusal = RunningVM.ask(second, @refusal)
      assert refusal =~ "{:data_in_use, #{pid}, "
      assert refusal =~ "process #{pid} has it since 20"
      assert RunningVM.ask(second, ~S|Workbooks.Lifecycle.freeze("w") \|> elem(0)|) == ":error"
      assert RunningVM.ask(second, ~S|Workbooks.Lifecycle.wake("w") \|> elem(0)|) == ":error"
      assert RunningVM.ask(second, ~S|Workbooks.Deploy.deploy("w", {:org, "* A"}) \|> elem(0)|) == ":error"

      assert RunningVM.ask(first, ~S|Workbooks.Lifecycle.state("w")|) == "{:ok, :suspended}"
      read = ~S|{:ok, disk} = Workbooks.Lifecycle.wake("w"); Workbooks.VFS.read(disk, "a")|
      assert RunningVM.ask(first, read) == ~S|{:ok, "kept"}|
      assert RunningVM.ask(first, ~S|Workbooks.Lifecycle.freeze("w")|) == "{:ok, :frozen}"
      assert RunningVM.ask(first, read) == ~S|{:ok, "kept"}|
    end

    test "a VM that was killed has it no longer", %{tmp_dir: dir} do
      first = RunningVM.start!(data_dir: dir)
      second = RunningVM.start!(data_dir: dir)
      assert RunningVM.ask(first, @start) == ":ok"

      RunningVM.ask(
        first,
        ~S|{:ok, disk} = Workbooks.Lifecycle.wake("w"); Workbooks.VFS.write(disk, "a", "kept")|
      )

      assert RunningVM.ask(second, @start) == ":error"

      RunningVM.kill!(first)
      assert RunningVM.ask(second, @start) == ":ok"
      read = ~S|{:ok, disk} = Workbooks.Lifecycle.wake("w"); Workbooks.VFS.read(disk, "a")|
      assert RunningVM.ask(second, read) == ~S|{:ok, "kept"}|
    end

    test "of many that start at once, one gets it", %{tmp_dir: dir} do
      vms = for _ <- 1..3, do: RunningVM.start!(data_dir: dir)
      for vm <- vms, do: Port.command(vm, @start <> "\n")
      answers = for vm <- vms, do: receive(do: ({^vm, {:data, {:eol, "=> " <> answer}}} -> answer))
      assert Enum.sort(answers) == [":error", ":error", ":ok"]
    end

    test "an engine without a data directory starts beside the owner", %{tmp_dir: dir} do
      first = RunningVM.start!(data_dir: dir)
      assert RunningVM.ask(first, @start) == ":ok"
      second = RunningVM.start!(data_dir: nil)
      assert RunningVM.ask(second, @start) == ":ok"
      assert RunningVM.ask(second, ~S|Workbooks.OQL.validate("* A")|) == "[]"
    end
  end

  test "whoever else is in the VM is refused as well", %{tmp_dir: dir} do
    config = Config.new!(data_dir: dir)
    {:ok, owner} = Owner.take(config)

    assert {:error, %Error{code: :data_in_use, details: %{pid: pid, since: since}} = error} =
             Owner.take(config)

    assert Integer.to_string(pid) == System.pid()
    assert_in_delta since, System.os_time(:millisecond), 60_000
    assert error.message =~ dir
    assert error.hint =~ "data_dir:"
    :ok = Owner.release(owner)
    {:ok, again} = Owner.take(config)
    :ok = Owner.release(again)
    # Twice is no harm.
    :ok = Owner.release(again)
  end

  test "the lock is let go with the last reference to it", %{tmp_dir: dir} do
    holder = spawn(fn -> {:ok, _owner} = Native.take_data(dir) && Process.sleep(:infinity) end)
    wait_until(fn -> match?({:error, %Error{code: :data_in_use}}, Native.take_data(dir)) end)
    Process.exit(holder, :kill)
    wait_until(fn -> match?({:ok, _}, Native.take_data(dir)) end)
  end

  test "an application that stops and starts again finds its directory free", %{tmp_dir: dir} do
    vm = RunningVM.start!(data_dir: dir)

    again =
      "for(_ <- 1..10, do: {Application.ensure_all_started(:workbooks) |> elem(0), Application.stop(:workbooks)}) |> Enum.uniq()"

    assert RunningVM.ask(vm, again) == "[ok: :ok]"
  end

  test "who is asked when the application has stopped can do nothing more to a disk", %{tmp_dir: dir} do
    vm = RunningVM.start!(data_dir: dir)
    assert RunningVM.ask(vm, @start) == ":ok"
    kept = ~S|{:ok, disk} = Workbooks.Lifecycle.wake("w"); :persistent_term.put(:disk, disk)|
    assert RunningVM.ask(vm, kept) == ":ok"
    assert RunningVM.ask(vm, "Application.stop(:workbooks)") == ":ok"
    write = ~S|{:error, error} = Workbooks.VFS.write(:persistent_term.get(:disk), "a", "late"); error.code|
    assert RunningVM.ask(vm, write) == ":closed"
  end

  test "the lock says who has it, to the user alone", %{tmp_dir: dir} do
    data = Path.join(dir, "not/there/yet")
    {:ok, owner} = Native.take_data(data)
    lock = Path.join(data, "owner.lock")
    assert {:ok, holder} = JSON.decode(File.read!(lock))
    assert %{"format" => 1, "pid" => pid, "started" => _, "address" => nil, "version" => "0.1.0"} = holder
    assert Integer.to_string(pid) == System.pid()
    assert Bitwise.band(File.stat!(lock).mode, 0o777) == 0o600
    assert Bitwise.band(File.stat!(data).mode, 0o777) == 0o700
    Native.data_release(owner)
  end

  test "what a dead process left in the lock keeps nobody out", %{tmp_dir: dir} do
    stale = ~s({"format":1,"pid":999999,"started":1,"address":null,"version":"0.0.1"})

    for text <- [stale, "", "not JSON"] do
      File.write!(Path.join(dir, "owner.lock"), text)
      assert {:ok, owner} = Native.take_data(dir)
      Native.data_release(owner)
    end
  end

  test "a directory that cannot be written is refused, by name", %{tmp_dir: dir} do
    file = Path.join(dir, "file")
    File.write!(file, "")

    for data <- [file, Path.join(file, "below"), "/proc/workbooks"] do
      assert {:error, %Error{code: :io, message: message, hint: hint}} = Native.take_data(data)
      assert message =~ data
      assert hint =~ "data_dir:"
    end
  end

  test "without a data directory nothing is written, and what needs one says so", %{tmp_dir: dir} do
    script = """
    System.put_env("XDG_DATA_HOME", "#{dir}")
    Application.load(:workbooks)
    Application.put_env(:workbooks, :data_dir, nil)
    {:ok, _} = Application.ensure_all_started(:workbooks)

    for answer <- [
          Workbooks.Lifecycle.create("w"),
          Workbooks.Lifecycle.state("w"),
          Workbooks.Lifecycle.wake("w"),
          Workbooks.Lifecycle.freeze("w"),
          Workbooks.Deploy.deploy("w", {:org, "* A :workflow:"}),
          Workbooks.Deploy.rollback("w"),
          Workbooks.Deploy.history("w"),
          Workbooks.Deploy.live("w"),
          Workbooks.Deploy.run("w", "input")
        ] do
      {:error, %Workbooks.Error{code: :no_data_dir, hint: hint}} = answer
      true = hint =~ "data_dir:"
    end

    IO.puts("all of it")
    """

    assert OtherVM.run(script) == {"all of it\n", 0}
    assert File.ls!(dir) == []
  end

  test "cold storage that lies elsewhere has one owner too", %{tmp_dir: dir} do
    config = fn name -> Config.new!(data_dir: Path.join(dir, name), cold_dir: Path.join(dir, "cold")) end
    {:ok, owner} = Owner.take(config.("a"))
    assert {:error, %Error{code: :data_in_use, message: message}} = Owner.take(config.("b"))
    assert message =~ Path.join(dir, "cold")
    # What was refused keeps nothing.
    assert {:ok, free} = Native.take_data(Path.join(dir, "b"))
    Native.data_release(free)
    :ok = Owner.release(owner)
    {:ok, owner} = Owner.take(config.("b"))
    :ok = Owner.release(owner)
  end

  test "schedules without a data directory are refused", %{tmp_dir: _dir} do
    vm = RunningVM.start!(data_dir: nil, schedules: true)
    refusal = "{:error, {:workbooks, {error, _}}} = Application.ensure_all_started(:workbooks); error.code"
    assert RunningVM.ask(vm, refusal) == ":no_data_dir"
  end

  defp wait_until(done, tries \\ 1_000) do
    unless done.() do
      assert tries > 0
      Process.sleep(5)
      wait_until(done, tries - 1)
    end
  end
end
