defmodule Workbooks.VFSTest do
  use ExUnit.Case, async: true

  alias Workbooks.{Error, OtherVM, VFS}

  @moduletag :tmp_dir

  setup %{tmp_dir: dir} do
    path = Path.join(dir, "disk.sqlite")
    %{path: path, disk: VFS.open!(path, clock: fn -> 1_700_000_000 end)}
  end

  test "a file is what was written last, with what was appended since", %{disk: disk} do
    :ok = VFS.write(disk, "a", "old")
    :ok = VFS.write(disk, "a", <<0, 255>>)
    :ok = VFS.append(disk, "a", "!")
    assert VFS.read(disk, "a") == {:ok, <<0, 255, ?!>>}
    assert VFS.stat(disk, "a") == {:ok, %{size: 3, mtime: 1_700_000_000}}
  end

  test "volumes do not see each other", %{disk: disk} do
    for volume <- [:workspace, :memory, :tmp], do: :ok = VFS.write(disk, "a", "#{volume}", volume)
    for volume <- [:workspace, :memory, :tmp], do: assert(VFS.read!(disk, "a", volume) == "#{volume}")
    assert VFS.clear(disk, :tmp) == {:ok, 1}
    assert VFS.list(disk, :tmp) == {:ok, []}
    assert VFS.list(disk) == {:ok, [%{path: "a", size: 9, mtime: 1_700_000_000}]}
  end

  test "deleting says whether there was a file", %{disk: disk} do
    :ok = VFS.write(disk, "a", "")
    assert VFS.delete(disk, "a") == {:ok, true}
    assert VFS.delete(disk, "a") == {:ok, false}
  end

  test "a query gives rows", %{disk: disk} do
    VFS.write!(disk, "a", "x")

    assert VFS.query(disk, "SELECT volume, path, content, mtime, NULL FROM vfs") ==
             {:ok, [["workspace", "a", %{"base64" => "eA=="}, 1_700_000_000, nil]]}
  end

  test "a query that has no end is stopped", %{disk: disk} do
    bomb = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    assert {:error, %Error{code: :timeout}} = VFS.query(disk, bomb, timeout: 100)
  end

  test "a query ends with the process that asked", %{disk: disk} do
    bomb = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    asking = Workbooks.Eventually.calling(spawn(fn -> VFS.query(disk, bomb, timeout: 3_600_000) end))
    Process.exit(asking, :kill)
    # Closing waits for whoever uses the disk, and that would be for an hour.
    assert VFS.close(disk) == :ok
  end

  test "a volume goes out to a directory and comes back", %{disk: disk, tmp_dir: dir} do
    VFS.write!(disk, "notes/a.txt", "hello")
    out = Path.join(dir, "out")
    assert VFS.export(disk, out, :workspace) == {:ok, 1}
    assert File.read!(Path.join(out, "notes/a.txt")) == "hello"
    File.write!(Path.join(out, "b"), "new")
    assert VFS.import(disk, out, :memory) == {:ok, 2}
    assert VFS.read(disk, "b", :memory) == {:ok, "new"}
  end

  test "a backup is the disk of one moment, and restoring makes it so again", %{disk: disk, tmp_dir: dir} do
    VFS.write!(disk, "name", "Ada")
    cold = Path.join(dir, "cold")
    :ok = VFS.backup(disk, cold)
    VFS.write!(disk, "name", "Grace")
    :ok = VFS.restore(disk, cold)
    assert VFS.read!(disk, "name") == "Ada"
  end

  test "a closed disk answers no more; it can be closed twice and opened again", %{disk: disk, path: path} do
    VFS.write!(disk, "a", "kept")
    assert VFS.close(disk) == :ok
    assert VFS.close(disk) == :ok
    assert {:error, %Error{code: :closed}} = VFS.read(disk, "a")
    assert path |> VFS.open!() |> VFS.read("a") == {:ok, "kept"}
  end

  test "a disk belongs to no process", %{path: path} do
    disk = Task.await(Task.async(fn -> VFS.open!(path) end))
    Task.await(Task.async(fn -> VFS.write!(disk, "a", "from another") end))
    assert VFS.read!(disk, "a") == "from another"
  end

  for {what, call, code} <- [
        {"a file that is not there", quote(do: &VFS.read(&1, "none")), :not_found},
        {"a path that climbs", quote(do: &VFS.write(&1, "../x", "")), :invalid_path},
        {"an absolute path", quote(do: &VFS.read(&1, "/etc/passwd")), :invalid_path},
        {"a path that is not UTF-8", quote(do: &VFS.read(&1, <<255>>)), :not_utf8},
        {"an unknown volume", quote(do: &VFS.list(&1, :attic)), :unknown_volume},
        {"a file below a file", quote(do: &(VFS.write!(&1, "a", "") && VFS.write(&1, "a/b", ""))),
         :path_conflict},
        {"SQL that reaches out", quote(do: &VFS.query(&1, "ATTACH 'x' AS y")), :denied},
        {"two statements", quote(do: &VFS.query(&1, "SELECT 1; SELECT 2")), :many_statements},
        {"SQL that is none", quote(do: &VFS.query(&1, "SELEKT")), :sql},
        {"too many rows",
         quote(
           do:
             &VFS.query(
               &1,
               "SELECT value FROM json_each('[' || substr(replace(hex(zeroblob(10001)), '00', '0,'), 1, 20001) || ']')"
             )
         ), :too_many_rows},
        {"a backup to nowhere", quote(do: &VFS.backup(&1, "/no/such/dir/x")), :io}
      ] do
    test "#{what} is an error with the code #{code}", %{disk: disk} do
      assert {:error, %Error{code: unquote(code), message: message, hint: hint}} = unquote(call).(disk)
      assert message != "" and hint != ""
    end
  end

  test "the twin with a bang raises the error", %{disk: disk} do
    assert_raise Error, "there is no `none` in workspace", fn -> VFS.read!(disk, "none") end
  end

  test "a file that is no disk is refused and stays as it is", %{tmp_dir: dir} do
    path = Path.join(dir, "letter")
    File.write!(path, "dear mother, this is not a database at all")
    assert {:error, %Error{code: :not_a_disk}} = VFS.open(path)
    assert File.read!(path) == "dear mother, this is not a database at all"
  end

  test "the page cap is kept", %{tmp_dir: dir} do
    disk = VFS.open!(Path.join(dir, "small"), max_pages: 32)
    assert {:error, %Error{code: :disk_full}} = VFS.write(disk, "a", String.duplicate("x", 1_000_000))
    assert VFS.write(disk, "a", "fits") == :ok
  end

  test "writers from many processes all get through", %{disk: disk} do
    1..50 |> Enum.map(&Task.async(fn -> VFS.append!(disk, "log", <<&1>>) end)) |> Task.await_many(30_000)
    assert disk |> VFS.read!("log") |> :binary.bin_to_list() |> Enum.sort() == Enum.to_list(1..50)
  end

  @tag timeout: 120_000
  test "killing the VM in the middle of writes loses nothing acknowledged", %{tmp_dir: dir} do
    for round <- 1..3 do
      path = Path.join(dir, "killed-#{round}")

      script = ~s"""
      {:ok, _} = Application.ensure_all_started(:workbooks)
      disk = Workbooks.VFS.open!("#{path}")
      IO.puts("pid \#{System.pid()}")
      for n <- 1..10_000 do
        Workbooks.VFS.write!(disk, "f\#{n}", "content \#{n}")
        IO.puts("ok \#{n}")
      end
      """

      port = OtherVM.open(script)
      acknowledged = kill_after(port, 100 * round, nil, 0)
      assert acknowledged >= 100 * round

      disk = VFS.open!(path)
      for n <- 1..acknowledged, do: assert(VFS.read!(disk, "f#{n}") == "content #{n}")
      assert VFS.query!(disk, "SELECT count(*) >= #{acknowledged} FROM vfs") == [[1]]
    end
  end

  # Gives the last write that the other VM called done.
  defp kill_after(port, count, pid, last) do
    receive do
      {^port, {:data, {:eol, "pid " <> pid}}} ->
        kill_after(port, count, pid, last)

      {^port, {:data, {:eol, "ok " <> n}}} ->
        n = String.to_integer(n)
        if n == count, do: {_, 0} = System.cmd("kill", ["-9", pid])
        kill_after(port, count, pid, n)

      {^port, {:exit_status, status}} ->
        assert status != 0
        last
    end
  end
end
