defmodule Workbooks.Deploy.KillTest do
  @moduledoc """
  A deploy, and a rollback, in a VM of its own is killed at each boundary between two writes. What is live then is one
  version whole: its plan, its artifacts, and the state that its component kept.
  """
  use Workbooks.DeployCase, async: true

  alias Workbooks.Deploy.Store
  alias Workbooks.OtherVM

  @moduletag timeout: 600_000

  @source Path.expand("../../../native/records/deploy/src/points.rs", __DIR__)
  @external_resource @source
  @points for [_, name] <- Regex.scan(~r/^ +"([a-z.]+)",$/m, File.read!(@source)), do: name

  @back Enum.filter(@points, &String.starts_with?(&1, ["change.", "current.", "history.", "restore."]))

  test "every point is named" do
    assert length(@points) > 12
    assert length(@back) > 8
  end

  # Each counts its runs in a file, in a step of its own.
  defp plan(step) do
    flow([
      sh("Count", ":persist :out count:json", """
      case $WORKBOOKS_MESSAGE in
      checkpoint) cat state ;;
      start) ;;
      *) n=$(cat state); n=$((n + #{step})); printf %s "$n" > state; printf %s "$n" ;;
      esac
      """),
      "** Echo :component:\n#+begin_src wasm :file guest.wasm :out same\n#+end_src\n"
    ])
  end

  defp build!(dir, guest), do: File.cp!(Guests.path(guest), Path.join(dir, "guest.wasm"))

  defp exports(id) do
    {:ok, %{exports: exports}} = Deploy.run(id, "x")
    {exports["count"], exports["same"]}
  end

  # Version 1 echoes and counts by one, version 2 counts its calls and the runs by a hundred.
  defp first!(id, dir) do
    build!(dir, "echo")
    {:ok, %{version: 1}} = deploy(id, plan(1), dir: dir)
    assert exports(id) == {1, "x"}
    assert exports(id) == {2, "x"}
    build!(dir, "count_calls")
  end

  for point <- @points -- ["restore.done"] do
    test "a deploy killed at #{point}", %{id: id, tmp_dir: dir} do
      first!(id, dir)
      {:ok, :suspended} = Lifecycle.suspend(id)
      order = "deploy(#{inspect(id)}, {:org, #{inspect(plan(100))}}, dir: #{inspect(dir)})"
      assert {said, 137} = run_and_die(id, order, unquote(point))
      refute said =~ "ACK"

      # It knows at once which is live, and that one is whole.
      {:ok, live} = Store.ask(id, :live)
      assert {:ok, _} = Store.ask(id, {:verify, live["version"]})

      case live!(id) do
        1 -> assert exports(id) == {3, "x"}
        2 -> assert exports(id) == {102, "1"}
      end

      assert {:ok, history} = Deploy.history(id)
      assert List.last(history).version == live["version"]

      # And life goes on.
      before = live!(id)
      {count, _} = exports(id)
      assert {:ok, %{version: next, from: ^before}} = deploy(id, plan(1_000), dir: dir)
      assert next == before + 1
      assert exports(id) == {count + 1_000, "1"}

      assert next |> versions() |> Enum.sort() ==
               id |> Store.dir() |> Path.join("versions") |> File.ls!() |> Enum.sort()
    end
  end

  for point <- @back do
    test "a rollback killed at #{point}", %{id: id, tmp_dir: dir} do
      first!(id, dir)
      {:ok, %{version: 2}} = deploy(id, plan(100), dir: dir)
      assert exports(id) == {102, "1"}
      {:ok, :suspended} = Lifecycle.suspend(id)
      assert {said, 137} = run_and_die(id, "rollback(#{inspect(id)})", unquote(point))
      refute said =~ "ACK"

      # The disk and the version belong together, whoever asks first.
      case live!(id) do
        1 -> assert exports(id) == {3, "x"}
        2 -> assert exports(id) == {202, "1"}
      end

      if live!(id) == 2, do: assert({:ok, %{version: 1}} = Deploy.rollback(id))
      {count, "x"} = exports(id)
      assert count in [3, 4]
      assert {:ok, [_, _, %{action: :rollback, version: 1, from: 2}]} = Deploy.history(id)
    end
  end

  defp versions(newest), do: Enum.map(1..newest, &Integer.to_string/1)

  # One engine owns a data directory. The VM that will be killed gets the workbook, which sleeps, into a directory of its
  # own, and what it leaves comes back.
  defp run_and_die(id, order, fault) do
    ours = Application.fetch_env!(:workbooks, :data_dir)
    theirs = "#{ours}-#{id}"
    hand_over(id, ours, theirs)
    ended = die(order, fault, theirs)
    hand_over(id, theirs, ours)
    File.rm_rf!(theirs)
    ended
  end

  defp hand_over(id, from, to) do
    File.mkdir_p!(Path.join(to, "workbooks"))
    for path <- [id, Path.join("workbooks", id)], do: File.rename!(Path.join(from, path), Path.join(to, path))
  end

  defp die(order, fault, data) do
    script = """
    Application.load(:workbooks)
    Application.put_env(:logger, :level, :error)
    Application.put_env(:workbooks, :data_dir, #{inspect(data)})
    {:ok, _} = Application.ensure_all_started(:workbooks)
    {:ok, _} = Workbooks.Deploy.#{order}
    IO.puts("ACK")
    """

    OtherVM.run(script, under: ["env", "LC_ALL=C.UTF-8", "WORKBOOKS_FAULT=#{fault}"])
  end
end
