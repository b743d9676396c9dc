defmodule Workbooks.CommandRegistryTest do
  use ExUnit.Case, async: true
  doctest Workbooks.CommandRegistry

  import Workbooks.Eventually
  alias Workbooks.{CommandRegistry, Config, Error, Guests, Kernel, Native, Shell}

  @moduletag :tmp_dir

  defp unique, do: "test-#{System.unique_integer([:positive])}"

  # A module like the first one, and other bytes: it has a custom section.
  defp variant(wasm, text), do: wasm <> <<0, byte_size(text) + 2, 1, "x", text::binary>>

  test "the batteries cannot be shadowed" do
    for name <- ~w(upper jq grep wbox cat sort awk) do
      assert {:error, %Workbooks.Error{code: :reserved_name}} =
               CommandRegistry.register(name, Guests.bytes("upper"))

      assert {:error, %Workbooks.Error{code: :reserved_name}} = CommandRegistry.unregister(name)
    end
  end

  test "a name has letters, digits, _, . and -" do
    for name <- ["", "a b", "a/b", "ä", "a\n", String.duplicate("a", 256)] do
      assert {:error, %Workbooks.Error{code: :invalid_name}} =
               CommandRegistry.register(name, Guests.bytes("upper"))
    end
  end

  test "what is no command is refused" do
    for wasm <- [<<0, "asm", 1, 0, 0, 0>>, <<0, "asm">>, Guests.bytes("echo"), Guests.bytes("engine_probe")] do
      assert {:error, %Workbooks.Error{code: :not_a_command}} = CommandRegistry.register(unique(), wasm)
    end
  end

  test "a file is taken from below its root, and from nowhere else", %{tmp_dir: dir} do
    root = Path.join(dir, "root")
    File.mkdir!(root)
    File.cp!(Guests.path("upper"), Path.join(dir, "out.wasm"))
    File.cp!(Guests.path("upper"), Path.join(root, "in.wasm"))
    File.ln_s!("../out.wasm", Path.join(root, "link.wasm"))
    name = unique()

    for path <- ["../out.wasm", "link.wasm", Path.join(dir, "out.wasm"), "/etc/passwd"] do
      assert {:error, %Workbooks.Error{code: :path_not_confined}} =
               CommandRegistry.register(name, path, root: root)
    end

    assert {:error, %Error{code: :not_found}} = CommandRegistry.register(name, "none.wasm", root: root)
    assert CommandRegistry.register(name, "in.wasm", root: root) == :ok
    assert CommandRegistry.register(name, Path.join(root, "in.wasm"), root: root) == :ok
    assert {:ok, %{stdout: "HI"}} = Shell.run("printf hi | #{name}")
    assert CommandRegistry.unregister(name) == :ok
    assert {:error, %Workbooks.Error{code: :not_found}} = CommandRegistry.unregister(name)
    assert {:ok, %{status: 127}} = Shell.run(name)
  end

  test "a command registered again is swapped, and runs under way finish on the old bytes", %{tmp_dir: dir} do
    name = unique()
    old = Guests.bytes("upper")
    :ok = CommandRegistry.register(name, old)
    {:ok, first} = CommandRegistry.sha256(name)

    # More than a pipe holds: when `started` is there, the command is at work and has read some of it.
    script = "{ head -c 1000000 /dev/zero; : > started; until [ -e go ]; do sleep 0.01; done; printf hi; }"

    running =
      Task.async(fn -> Shell.run("#{script} | #{name} | tail -c 2", workdir: dir, timeout: 60_000) end)

    eventually(fn -> File.exists?(Path.join(dir, "started")) end)
    :ok = CommandRegistry.register(name, variant(old, "other"))
    {:ok, second} = CommandRegistry.sha256(name)
    File.write!(Path.join(dir, "go"), "")

    assert first != second
    assert {:ok, %{stdout: "HI", stages: stages}} = Task.await(running, :infinity)
    assert %{sha256: ^first} = Enum.find(stages, &(&1.name == name))
    assert {:ok, %{stages: [%{sha256: ^second}]}} = Shell.run("#{name} < /dev/null")
    :ok = CommandRegistry.unregister(name)
  end

  describe "a registry of its own" do
    setup %{tmp_dir: dir} do
      config = Config.new!(workers: 1, registry_dir: Path.join(dir, "commands"))
      %{config: config, runtime: Native.start(config)}
    end

    defp call(runtime, operation), do: Native.call_registry(runtime, operation)

    test "is there after a restart", %{config: config, runtime: runtime} do
      {:ok, :ok} = call(runtime, {:register, "shout", :argv, Guests.bytes("upper")})
      {:ok, sha256} = call(runtime, {:find, "shout"})
      assert File.exists?(Path.join(config.registry_dir, "#{sha256}.wasm"))
      assert call(Native.start(config), {:find, "shout"}) == {:ok, sha256}
    end

    test "tells an artifact that is not what was registered", %{config: config, runtime: runtime} do
      {:ok, :ok} = call(runtime, {:register, "shout", :argv, Guests.bytes("upper")})
      {:ok, sha256} = call(runtime, {:find, "shout"})
      path = Path.join(config.registry_dir, "#{sha256}.wasm")

      File.write!(path, variant(Guests.bytes("upper"), "changed"))

      assert {:error, %Workbooks.Error{code: :artifact_integrity, details: %{name: "shout"}}} =
               call(runtime, {:find, "shout"})

      File.rm!(path)

      assert {:error, %Workbooks.Error{code: :artifact_integrity, details: %{name: "shout"}}} =
               call(runtime, {:find, "shout"})

      File.write!(path, Guests.bytes("upper"))
      assert call(runtime, {:find, "shout"}) == {:ok, sha256}
    end

    test "has room for 4,096 commands", %{config: config, runtime: runtime} do
      {:ok, :ok} = call(runtime, {:register, "c1", :argv, Guests.bytes("upper")})
      {:ok, sha256} = call(runtime, {:find, "c1"})
      index = Path.join(config.registry_dir, "registry.json")
      entries = Map.new(1..4_096, fn n -> {"c#{n}", %{sha256: sha256, arg_mode: "argv"}} end)
      {:ok, json} = Workbooks.JSON.encode(%{version: 1, commands: entries})
      File.write!(index, json)

      assert {:error, %Workbooks.Error{code: :registry_full}} =
               call(runtime, {:register, "more", :argv, Guests.bytes("upper")})

      assert call(runtime, {:register, "c7", :stdin1, Guests.bytes("upper")}) == {:ok, :ok}
    end

    test "of a later version is not read", %{config: config, runtime: runtime} do
      {:ok, :ok} = call(runtime, {:register, "shout", :argv, Guests.bytes("upper")})
      File.write!(Path.join(config.registry_dir, "registry.json"), ~s({"version":2,"commands":{}}))
      assert {:error, %Workbooks.Error{code: :io, message: why}} = call(runtime, :names)
      assert why =~ "it has version 2, and this program knows version 1"
    end
  end

  test "a stdin1 command reads its argument from its input" do
    {:ok, runtime} = Kernel.runtime()
    name = unique()
    {:ok, :ok} = Native.call_registry(runtime, {:register, name, :stdin1, Guests.bytes("upper")})
    assert {:ok, %{stdout: "AN ARGUMENT\nINPUT"}} = Shell.run("printf input | #{name} an argument")
    :ok = CommandRegistry.unregister(name)
  end
end
