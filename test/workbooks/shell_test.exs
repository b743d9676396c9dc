defmodule Workbooks.ShellTest do
  use ExUnit.Case, async: true
  doctest Workbooks.Shell

  alias Workbooks.{CommandRegistry, Error, Guests, Shell}

  @moduletag :tmp_dir

  defp sh(script, opts \\ []) do
    {:ok, ran} = Shell.run(script, opts)
    ran
  end

  defp out(script, opts \\ []), do: sh(script, opts).stdout

  describe "a script" do
    test "does what a person expects of sh", %{tmp_dir: dir} do
      File.write!(Path.join(dir, "a.csv"), "1,pear\n2,fig\n3,pear\n")
      File.write!(Path.join(dir, "b.csv"), "4,fig\n5,pear\n")

      assert out("cat *.csv | cut -d, -f2 | sort | uniq -c | sort -rn | head", workdir: dir) ==
               "      3 pear\n      2 fig\n"
    end

    test "has the bytes of its pipes exact" do
      bytes = :crypto.strong_rand_bytes(300_000)
      assert out("cat | cat | cat", stdin: bytes) == bytes
    end

    test "is given its arguments and its environment, and nothing of the host's" do
      own = "^(HOME=/|LANG=C.UTF-8|PATH=/bin|PWD=/|WHO=me)$"

      assert out("echo $1 $# $WHO; env | grep -cvE '#{own}'", args: ["one", "two"], env: %{"WHO" => "me"}) ==
               "one 2 me\n0\n"
    end

    test "leaves what it wrote in the working directory", %{tmp_dir: dir} do
      assert out("mkdir sub && cd sub && echo hi > file && pwd", workdir: dir) == "/sub\n"
      assert File.read!(Path.join(dir, "sub/file")) == "hi\n"
    end

    test "that cannot be read has the status 2 and says why" do
      ran = sh("if true; then")
      assert ran.status == 2
      assert ran.stderr =~ "syntax error"
    end

    test "is heard while it runs" do
      ran = sh("echo out; echo err >&2", stream: {self(), :heard})
      assert ran.stdout == "out\n"
      assert_received {:heard, :stdout, "out\n"}
      assert_received {:heard, :stderr, "err\n"}
    end
  end

  describe "a pipeline" do
    test "ends when its reader does" do
      ran = sh("yes | head -1")
      assert {ran.stdout, ran.status} == {"y\n", 0}
    end

    test "has the status of its last stage, or of any that failed with pipefail" do
      assert sh("false | true").status == 0
      assert sh("set -o pipefail; false | true").status == 1
      assert sh("set -o pipefail; yes | head -1").status == 141
    end

    test "says which module each stage was", %{tmp_dir: dir} do
      {:ok, tr} = CommandRegistry.sha256("tr")
      {:ok, grep} = CommandRegistry.sha256("grep")

      assert [%{name: "tr", sha256: ^tr, status: 0}, %{name: "grep", sha256: ^grep, status: 1}] =
               Enum.sort_by(sh("echo a | tr a b | grep a", workdir: dir).stages, & &1.name, :desc)
    end
  end

  test "a command that is not there has the status 127 and is named" do
    ran = sh("nosuch; teleport --now || echo x")
    assert ran.stdout == "x\n"
    assert ran.stderr =~ "nosuch: command not found"
    assert ran.missing == ["nosuch", "teleport"]
  end

  test "a command that is not in the list is not there" do
    ran = sh("cat < /dev/null && ls /", commands: ["cat"])
    assert {ran.status, ran.missing} == {127, ["ls"]}
  end

  describe "the working directory is all there is" do
    setup %{tmp_dir: dir} do
      File.mkdir!(Path.join(dir, "in"))
      File.write!(Path.join(dir, "secret"), "secret\n")
      %{in: Path.join(dir, "in"), secret: Path.join(dir, "secret")}
    end

    for script <- [
          "cat ../secret",
          "cat /../secret",
          "cat link",
          "cat up/secret",
          "cat abs",
          "cp ../secret here; cat here",
          "ln ../secret hard; cat hard",
          "ln -s ../secret soft; cat soft",
          "ln -s .. out; cat out/secret",
          "mv ../secret here; cat here",
          "mkdir a; ln -s ../.. a/b; cat a/b/secret",
          "cat /proc/self/environ /proc/self/root/etc/passwd /etc/passwd",
          "cd ..; cat secret",
          "cd up; cat secret",
          "echo ../secre* up/secre* link*/* | xargs cat",
          "find .. up/ -name secret -exec cat {} ';'",
          "awk '{print}' ../secret",
          "sed -n p ../secret",
          "grep -r secret .. up/ link",
          "sort ../secret; tac ../secret; head ../secret",
          "tar cf - ../secret | tar xOf -",
          "sqlite3 ../secret .dump",
          ". ../secret",
          "sh ../secret; sh -c 'cat ../secret'",
          "while read x; do echo $x; done < here 2>/dev/null",
          "test -f ../secret && echo secret",
          "[ -e link ] && echo secret"
        ] do
      test "for #{script}", %{in: dir, secret: secret} do
        File.ln_s!("../secret", Path.join(dir, "link"))
        File.ln_s!("..", Path.join(dir, "up"))
        File.ln_s!(secret, Path.join(dir, "abs"))

        case Shell.run(unquote(script), workdir: dir) do
          {:ok, ran} -> refute ran.stdout =~ ~r/secret$|root:/m
          {:error, reason} -> assert %Error{code: :outside_sandbox} = reason
        end

        assert File.read!(secret) == "secret\n"
      end
    end

    for {script, path} <- [
          {"cat < ../secret", "../secret"},
          {"echo x > ../secret", "../secret"},
          {"echo x >> up/secret", "up/secret"},
          {"echo x > link", "link"},
          {"cat < abs", "abs"},
          {"ln -s ../secret made; cat < made", "made"},
          {"echo before; (cat < a/../../secret) || echo after", "a/../../secret"}
        ] do
      test "and a redirection that leads out ends the whole line: #{script}", %{in: dir, secret: secret} do
        File.ln_s!("../secret", Path.join(dir, "link"))
        File.ln_s!("..", Path.join(dir, "up"))
        File.ln_s!(secret, Path.join(dir, "abs"))
        File.mkdir!(Path.join(dir, "a"))

        assert {:error, %Workbooks.Error{code: :outside_sandbox, details: %{path: unquote(path)}}} =
                 Shell.run(unquote(script), workdir: dir)

        assert File.read!(secret) == "secret\n"
      end
    end

    test "also while somebody swaps a directory for a link", %{in: dir} do
      swapper =
        Task.async(fn ->
          for _ <- 1..2_000 do
            path = Path.join(dir, "swap")
            File.rm_rf!(path)
            File.mkdir(path)
            File.rm_rf!(path)
            File.ln_s("..", path)
          end
        end)

      outs =
        Stream.repeatedly(fn ->
          case Shell.run("cat swap/secret; cat < swap/secret; echo swap/s*", workdir: dir) do
            {:ok, ran} -> ran.stdout
            {:error, %Workbooks.Error{code: :outside_sandbox}} -> ""
          end
        end)
        |> Stream.take_while(fn _ -> Task.yield(swapper, 0) == nil end)
        |> Enum.join()

      refute outs =~ "secret\n"
    end

    test "and a FIFO in it holds nobody up", %{in: dir} do
      {_, 0} = System.cmd("mkfifo", [Path.join(dir, "fifo")])
      assert %{stdout: "", status: status} = sh("cat fifo", workdir: dir, timeout: 5_000)
      assert status != 0
      assert sh("cat < fifo || echo refused", workdir: dir, timeout: 5_000).stdout == "refused\n"
    end
  end

  describe "a bound" do
    for {name, script, opts, reason} <- [
          {"time", "while :; do :; done", [timeout: 50, limits: [steps: 1_000_000_000]], :timeout},
          {"time of a command", "sleep 60", [timeout: 50], :timeout},
          {"time of a command that spins", "yes > /dev/null", [timeout: 50], :timeout},
          {"steps", "while :; do :; done", [], :too_many_steps},
          {"output", "yes", [], :output_too_large},
          {"output of a builtin", "while :; do echo xxxxxxxxxxxxxxxx; done", [limits: [output: 1000]],
           :output_too_large},
          {"input", "cat", [stdin: "12345", limits: [stdin: 4]], :stdin_too_large},
          {"script", "true; true", [limits: [script: 5]], :script_too_long},
          {"nesting", String.duplicate("( ", 201) <> ":" <> String.duplicate(")", 201), [], :too_deep},
          {"function calls", "f() { f; }; f", [], :too_deep},
          {"arguments", "x=$(head -c 300000 /dev/zero | tr '\\0' x); cat $x", [], :argv_too_long}
        ] do
      test "of #{name} ends the script" do
        assert {:error, %Error{code: unquote(reason)}} = Shell.run(unquote(script), unquote(opts))
      end
    end

    # However deep: a reader that needs more than a moment for each level would not come to an end here.
    test "of nesting is told at once" do
      for opening <- ["(", "$(", "{ ", "`(", "${", "$((", "if ", "((", "\"$("] do
        result = Shell.run(String.duplicate(opening, 50_000))
        assert match?({:error, _}, result) or match?({:ok, %{status: 2}}, result), inspect(opening)
      end
    end

    test "of memory ends the command, not the script" do
      ran = sh("awk 'BEGIN { x = \"x\"; while (1) x = x x }'; echo $?", profile: :minimal)
      refute ran.stdout == "0\n"
    end
  end

  test "a profile without commands runs no script" do
    assert {:error, %Workbooks.Error{code: :not_granted, details: %{capability: "commands"}}} =
             Shell.run("echo hi", profile: :compute)
  end

  test "a bad option is an error", %{tmp_dir: dir} do
    for opts <- [[timeout: 0], [env: %{"A=B" => ""}], [limits: [flight: 1]], [args: [1]], [unknown: 1]] do
      assert {:error, %Error{code: :bad_option}} = Shell.run(":", opts)
    end

    assert {:error, %Error{code: :not_found}} = Shell.run(":", workdir: Path.join(dir, "none"))
  end

  test "a script dies with its caller" do
    test = self()
    caller = spawn(fn -> Shell.run("echo up; sleep 60; echo never", stream: {test, :said}) end)
    assert_receive {:said, :stdout, "up\n"}
    Process.exit(caller, :kill)
    refute_receive {:said, :stdout, "never\n"}, 100
  end

  test "a thousand scripts at once all end" do
    1..1_000
    |> Task.async_stream(fn n -> {n, out("echo #{n} | cat")} end, max_concurrency: 1_000, timeout: 60_000)
    |> Enum.each(fn {:ok, {n, out}} -> assert out == "#{n}\n" end)
  end

  test "a component can be a command as well" do
    name = "component-#{System.unique_integer([:positive])}"
    :ok = CommandRegistry.register(name, Guests.bytes("upper"))
    assert out("echo hello | #{name}") == "HELLO\n"
    :ok = CommandRegistry.unregister(name)
  end
end
