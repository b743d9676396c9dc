defmodule Workbooks.LanesTest do
  use ExUnit.Case, async: true

  alias Workbooks.{Error, Instance, Lanes, VFS}

  @moduletag timeout: 180_000

  defp js(source, opts \\ []) do
    {:ok, built} = Lanes.build("js", {:text, source}, opts)
    built.path
  end

  test "every lane is ready, and says what it makes" do
    for lane <- Lanes.list!() do
      assert %{state: :ready, hint: "", shapes: [_ | _]} = lane, "run `make lanes`: #{inspect(lane)}"
    end

    assert %{shapes: [:component, :command]} = Enum.find(Lanes.list!(), &(&1.lang == "js"))
  end

  test "a js component made up now runs under the least profile" do
    secret = :rand.uniform(1_000_000_000)
    path = js("export default (x) => String(Number(x) + #{secret})")
    assert Instance.run(path, "1") == {:ok, "#{secret + 1}"}
    assert Workbooks.Conformance.engine?(path) == :ok
  end

  test "the same order is built once" do
    source = {:text, "export default () => '#{:rand.uniform(1_000_000_000)}'"}
    assert {:ok, %{cached: false} = first} = Lanes.build("javascript", source)
    assert {:ok, %{cached: true} = again} = Lanes.build("js", source)
    assert %{first | cached: true} == again
    assert {:ok, %{cached: false}} = Lanes.build("js", source, out: :json)
    assert {:ok, %{cached: false}} = Lanes.build("js", source, uses: ["vfs"])
  end

  test "input and output are strings or JSON" do
    path = js("export default ({ n }) => [n, n + 1]", in: :json, out: :json)
    assert Instance.run(path, ~s({"n":1})) == {:ok, "[1,2]"}
  end

  test "a throw is an error of the call, with its message and line" do
    path = js("export default () => {\n  throw new RangeError('no such day');\n}")
    assert {:error, %Workbooks.Error{code: :trap, message: why}} = Instance.run(path, "")
    assert why =~ "RangeError: no such day"
    assert why =~ "main.js:2"
  end

  test "a loop without end is stopped by the deadline" do
    path = js("export default () => { for (;;); }")
    assert {:error, %Workbooks.Error{code: :cpu_timeout}} = Instance.run(path, "", timeout: 300)
  end

  @tag :tmp_dir
  test "a component reaches the disk that it declares, and only under a profile that grants it", %{
    tmp_dir: dir
  } do
    disk = VFS.open!(Path.join(dir, "disk.sqlite"))
    VFS.write!(disk, "notes/a.txt", "hello")
    source = "export default () => String(vfsQuery('SELECT count(*) FROM vfs')[0][0])"
    assert {:ok, "1"} = Instance.run(js(source, uses: ["vfs"]), "", vfs: disk)
    assert {:error, %Workbooks.Error{code: :trap, message: why}} = Instance.run(js(source), "", vfs: disk)
    assert why =~ ":uses vfs"
    commands = js("export default () => runCommand('echo', ['hi'])", uses: ["commands"])

    assert {:error,
            %Workbooks.Error{code: :not_granted, details: %{import: "run-command", capability: "commands"}}} =
             Instance.run(commands, "")

    assert {:ok, "hi\n"} = Instance.run(commands, "", profile: :minimal)
  end

  test "a script becomes a command of the shell" do
    name = "greet-#{System.unique_integer([:positive])}"
    source = "console.log('hello', scriptArgs.slice(1).join('+'))"
    {:ok, built} = Lanes.build("js", {:text, source}, shape: :command)
    :ok = Workbooks.CommandRegistry.register(name, File.read!(built.path))
    on_exit(fn -> Workbooks.CommandRegistry.unregister(name) end)
    assert {:ok, %{stdout: "hello a+b c\n", status: 0}} = Workbooks.Shell.run("#{name} a 'b c'")
  end

  for {lang, source} <- [
        {"ts", "const n: number = SECRET;\nconsole.log(n, ...scriptArgs.slice(1))"},
        {"python", "import sys\nprint(SECRET, *sys.argv[1:])"},
        {"c",
         "#include <stdio.h>\nint main(int n, char **v) { printf(\"%d %s %s\\n\", SECRET, v[1], v[2]); return n - 3; }"}
      ] do
    @tag timeout: 600_000
    test "a #{lang} program made up now runs as a command of the shell" do
      secret = :rand.uniform(1_000_000_000)
      name = "made-up-#{System.unique_integer([:positive])}"
      source = String.replace(unquote(source), "SECRET", "#{secret}")
      assert {:ok, built} = Lanes.build(unquote(lang), {:text, source}, shape: :command)
      :ok = Workbooks.CommandRegistry.register(name, File.read!(built.path))
      on_exit(fn -> Workbooks.CommandRegistry.unregister(name) end)
      assert {:ok, %{stdout: stdout, status: 0}} = Workbooks.Shell.run("#{name} a b", timeout: 60_000)
      assert stdout == "#{secret} a b\n"
    end
  end

  test "what cannot be built says why" do
    assert {:error, %Error{code: :build_failed, message: why}} =
             Lanes.build("js", {:text, "export default ("})

    assert why =~ "main.js:1"

    assert {:error, %Workbooks.Error{code: :lane_unavailable, details: %{lang: "rust"}, hint: hint}} =
             Lanes.build("rust", {:text, "fn main() {}"})

    assert hint =~ "wasm32-wasip2"
    assert {:error, %Error{code: :bad_option}} = Lanes.build("js", {:text, "1"}, shape: :kernel)
    assert {:error, %Error{code: :bad_option}} = Lanes.build("js", {:text, "1"}, shape: :teapot)
    assert {:error, %Error{code: :bad_option}} = Lanes.build("js", "export default 1")

    assert {:error, %Error{code: :bad_source}} =
             Lanes.build("js", {:text, "export default 1"}, deps: ["left-pad"])

    assert {:error, %Error{code: :not_utf8}} = Lanes.build("js", {:text, <<255>>})
    assert {:error, %Error{code: :io}} = Lanes.build("js", {:dir, "/no/such/directory"})
  end

  test "progress is told to whoever asks" do
    tag = make_ref()
    source = {:text, "export default () => '#{:rand.uniform(1_000_000_000)}'"}
    {:ok, _} = Lanes.build("js", source, progress: {self(), tag})
    assert_received {^tag, :progress, "building component with quickjs-ng" <> _}
  end

  test "a build whose caller dies is stopped" do
    source = "export default () => 1; " <> String.duplicate("const x = 1; {", 3)
    caller = spawn(fn -> Lanes.build("js", {:text, source}) end)
    Process.exit(caller, :kill)
    assert {:ok, _} = Lanes.build("js", {:text, "export default (x) => x"})
  end

  test "a hundred scripts are a hundred programs" do
    paths = for n <- 1..100, do: {n, js("export default () => 'script #{n}'")}
    for {n, path} <- paths, do: assert(Instance.run(path, "") == {:ok, "script #{n}"})
  end

  @tag timeout: 600_000
  test "every lane that is here can be prepared" do
    assert Lanes.prepare() == for(%{lang: lang, state: :ready} <- Lanes.list!(), do: lang)
  end
end
