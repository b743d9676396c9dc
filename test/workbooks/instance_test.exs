defmodule Workbooks.InstanceTest do
  use ExUnit.Case, async: true

  alias Workbooks.{Error, Guests, Instance, JSON, VFS}

  @moduletag :tmp_dir

  defp probe(input, opts), do: Instance.run(Guests.path("engine_probe"), input, [profile: :minimal] ++ opts)

  describe "a call" do
    test "gives the guest its input and the caller the guest's answer" do
      assert Instance.run(Guests.path("echo"), "hello, 世界") == {:ok, "hello, 世界"}
    end

    test "takes the bytes of a component as well as its path" do
      assert Instance.run(Guests.bytes("echo"), "bytes") == {:ok, "bytes"}
    end

    test "gets a fresh instance each time" do
      for _ <- 1..3, do: assert(Instance.run(Guests.path("count_calls"), "") == {:ok, "1"})
    end

    test "runs the new program when the file has changed", %{tmp_dir: dir} do
      path = Path.join(dir, "program.wasm")
      File.cp!(Guests.path("echo"), path)
      assert Instance.run(path, "same") == {:ok, "same"}
      File.cp!(Guests.path("count_calls"), path)
      assert Instance.run(path, "same") == {:ok, "1"}
    end

    test "leaves no message behind" do
      for _ <- 1..50, do: Instance.run(Guests.path("echo"), "x")
      assert Process.info(self(), :message_queue_len) == {:message_queue_len, 0}
    end
  end

  describe "the Dock" do
    test "says who runs" do
      {:ok, json} = probe("session-info", session: %{id: "s1", tenant: "acme"})

      assert JSON.decode(json) ==
               {:ok,
                %{
                  "id" => "s1",
                  "tenant" => "acme",
                  "profile" => "minimal",
                  "caps" => ["vfs", "commands", "exec", "kv", "secrets", "queue", "tcp", "udp", "tls"]
                }}
    end

    test "queries the disk of the call, and state rides it from one call to the next", %{tmp_dir: dir} do
      disk = VFS.open!(Path.join(dir, "disk.sqlite"))
      assert probe("vfs-query CREATE TABLE t(a)", vfs: disk) == {:ok, "[]"}
      assert probe("vfs-query INSERT INTO t VALUES (7)", vfs: disk) == {:ok, "[]"}
      assert probe("vfs-query SELECT a, x'00ff' FROM t", vfs: disk) == {:ok, ~s([[7,{"base64":"AP8="}]])}
    end

    test "says so where a call has no disk" do
      assert probe("vfs-query SELECT 1", []) == {:ok, "error: this instance has no disk"}
    end

    test "runs a registered command; the error carries the exit status and stderr" do
      assert probe("run-command upper\nquiet", []) == {:ok, "QUIET"}
      assert {:ok, "error: cat: exit status 1: cat: none: " <> _} = probe("run-command cat none", [])
      assert probe("run-command teleport", []) == {:ok, "error: teleport: exit status 127: command not found"}
    end

    test "runs one command over many inputs, in their order" do
      assert Instance.run(Guests.path("dock_all"), "run-command-many upper\na\nb\nc", profile: :posix) ==
               {:ok, "A\nB\nC"}
    end

    for {name, sql, refusal} <- [
          {"ATTACH", "ATTACH '/etc/passwd' AS p", "ATTACH is not allowed here"},
          {"VACUUM INTO", "VACUUM INTO '/tmp/stolen'", "not allowed here"},
          {"load_extension", "SELECT load_extension('x')", "not allowed here"},
          {"writable_schema", "PRAGMA writable_schema = 1", "not allowed here"},
          {"two statements", "SELECT 1; SELECT 2", "a query is one statement, and this is more"},
          {"a blob of 1 GB", "SELECT length(zeroblob(1000000000))", "too large"}
        ] do
      test "does not let a guest's SQL do #{name}", %{tmp_dir: dir} do
        disk = VFS.open!(Path.join(dir, "disk.sqlite"))
        assert {:ok, "error: " <> refusal} = probe("vfs-query #{unquote(sql)}", vfs: disk)
        assert refusal =~ unquote(refusal)
        assert {:ok, "[[1]]"} = probe("vfs-query SELECT 1", vfs: disk)
      end
    end

    test "stops a query that has no end at the guest's deadline", %{tmp_dir: dir} do
      disk = VFS.open!(Path.join(dir, "disk.sqlite"))
      bomb = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
      answer = probe("vfs-query #{bomb}", vfs: disk, timeout: 300)

      assert match?({:error, %Workbooks.Error{code: :cpu_timeout}}, answer) or
               answer == {:ok, "error: the query ran out of time"}

      assert VFS.close(disk) == :ok
    end
  end

  describe "what goes wrong" do
    for {what, guest, input, reason} <- [
          {"spins", "spin", "", {:cpu_timeout, "the guest did not finish within 1000 ms"}},
          {"blocks in a host call", "sleep", "", {:cpu_timeout, "the guest did not finish within 1000 ms"}},
          {"eats memory", "eat_memory", "", {:memory_limit, "the guest needs more than 64 MiB of memory"}},
          {"traps", "trap", "",
           {:trap, "the guest trapped: wasm trap: wasm `unreachable` instruction executed"}},
          {"exits", "exit", "3", {:trap, "the guest exited with status 1"}},
          {"floods its output", "flood_stdout", "",
           {:trap, "the guest trapped: the guest printed more than it may"}},
          {"imports what no Dock has", "undeclared_import", "",
           {:nonconforming, "undeclared Dock import `launch-rockets` (not in workbooks:engine)"}},
          {"has another `run`", "wrong_run_type", "",
           {:nonconforming,
            "export `run` has type func(input: u32) -> string, expected func(input: string) -> string"}}
        ] do
      test "a guest that #{what} ends with #{inspect(reason)}, and the next call works" do
        opts = [profile: :minimal, timeout: 1_000]

        assert {:error, %Error{code: code, message: message}} =
                 Instance.run(Guests.path(unquote(guest)), unquote(input), opts)

        assert {code, message} == unquote(reason)

        assert Instance.run(Guests.path("echo"), "on") == {:ok, "on"}
      end
    end

    test "a guest that overflows its stack traps" do
      assert {:error, %Workbooks.Error{code: :trap}} =
               Instance.run(Guests.path("stack_overflow"), "", timeout: 1_000)
    end

    test "bytes that are no component are refused" do
      for bytes <- ["", "\0asm", <<0, "asm", 1, 0, 0, 0>>, <<255, 254>>] do
        assert {:error, %Workbooks.Error{code: :not_a_component}} = Instance.run(bytes, "")
      end
    end

    test "a file that is no component is refused", %{tmp_dir: dir} do
      path = Path.join(dir, "letter.wasm")
      File.write!(path, "dear mother")
      assert {:error, %Workbooks.Error{code: :not_a_component}} = Instance.run(path, "")
    end

    test "a file that is not there is an error that names it", %{tmp_dir: dir} do
      assert {:error, %Error{code: :not_found, message: message}} = Instance.run(Path.join(dir, "none"), "")
      assert message =~ "none: No such file or directory"
    end

    test "input that is not UTF-8 is an error that says where" do
      assert {:error, %Error{code: :not_utf8, message: message}} =
               Instance.run(Guests.path("echo"), <<"ab", 255>>)

      assert message =~ "byte 2"
    end

    test "an unknown or bad option is an error, not ignored" do
      for opts <- [[tiemout: 5], [timeout: 0], [memory: :lots], [stream: :me], [vfs: "path"], [session: 7]] do
        assert {:error, %Error{code: :bad_option}} = Instance.run(Guests.path("echo"), "", opts)
      end
    end

    test "a closed disk is an error", %{tmp_dir: dir} do
      disk = VFS.open!(Path.join(dir, "disk.sqlite"))
      VFS.close!(disk)
      assert {:error, %Error{code: :closed}} = probe("session-info", vfs: disk)
    end
  end

  describe "limits" do
    test "an option can lower them" do
      assert Instance.run(Guests.path("eat_memory"), "8") == {:ok, "8 MiB"}

      assert {:error, %Workbooks.Error{code: :memory_limit}} =
               Instance.run(Guests.path("eat_memory"), "8", memory: 4 * 1024 * 1024)
    end

    test "an option cannot raise them" do
      assert {:error, %Workbooks.Error{code: :memory_limit}} =
               Instance.run(Guests.path("eat_memory"), "100", memory: 500 * 1024 * 1024)

      assert Instance.run(Guests.path("eat_memory"), "100", profile: :network) == {:ok, "100 MiB"}
    end
  end

  describe "output" do
    test "comes while the guest runs, under the tag that was asked for" do
      assert {:ok, "3 KiB"} = Instance.run(Guests.path("flood_stdout"), "3", stream: {self(), :guest})
      line = String.duplicate("x", 1023) <> "\n"
      assert heard(:guest, :stdout) == String.duplicate(line, 3)
    end

    test "of stderr is told apart" do
      assert {:error, %Workbooks.Error{code: :trap}} =
               Instance.run(Guests.path("trap"), "oh no", stream: self())

      assert heard(Instance, :stderr) =~ "oh no"
      assert heard(Instance, :stdout) == ""
    end

    defp heard(tag, channel) do
      receive do
        {^tag, ^channel, bytes} -> bytes <> heard(tag, channel)
      after
        0 -> ""
      end
    end
  end

  describe "an instance process" do
    test "stands for a component with its options" do
      pid =
        start_supervised!(
          {Instance, component: Guests.path("engine_probe"), profile: "minimal", session: %{id: 9}}
        )

      assert {:ok, json} = Instance.call(pid, "session-info")
      assert {:ok, %{"id" => 9, "profile" => "minimal"}} = JSON.decode(json)
    end

    test "is stopped, and so are its calls" do
      {:ok, pid} = Instance.start_link(component: Guests.path("spin"))
      calls = for _ <- 1..3, do: Task.async(fn -> Instance.call(pid, "") end)
      Enum.each(calls, &Workbooks.Eventually.calling(&1.pid))
      assert Instance.stop(pid) == :ok
      # Not `:cpu_timeout`: they did not come to their own end.
      for answer <- Task.await_many(calls), do: assert({:error, %Workbooks.Error{code: :cancelled}} = answer)
    end

    test "that is gone answers no more" do
      {:ok, pid} = Instance.start_link(component: Guests.path("echo"))
      Instance.stop(pid)
      assert {:error, %Workbooks.Error{code: :cancelled}} = Instance.call(pid, "")
    end

    test "lets a call lower the limits, and change nothing else" do
      {:ok, pid} = Instance.start_link(component: Guests.path("spin"))
      assert {:error, %Workbooks.Error{code: :cpu_timeout}} = Instance.call(pid, "", timeout: 50)
      assert {:error, %Error{code: :bad_option}} = Instance.call(pid, "", profile: :posix)
    end
  end
end
