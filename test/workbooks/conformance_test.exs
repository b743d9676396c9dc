defmodule Workbooks.ConformanceTest do
  use ExUnit.Case, async: true

  alias Workbooks.{Conformance, Error, Guests}

  for {guest, world, verdict} <- [
        {"engine_probe", "engine", :ok},
        {"echo", "engine", :ok},
        {"block_in_host", "engine",
         {:error, ["undeclared Dock import `llm-complete` (not in workbooks:engine)"]}},
        {"block_in_host", "engine-llm", :ok},
        {"block_in_host", "engine-browse",
         {:error, ["undeclared Dock import `llm-complete` (not in workbooks:engine/engine-browse)"]}},
        {"dock_all", "dock", :ok},
        {"undeclared_import", "dock",
         {:error, ["undeclared Dock import `launch-rockets` (not in workbooks:engine)"]}},
        {"wrong_run_type", "engine",
         {:error,
          ["export `run` has type func(input: u32) -> string, expected func(input: string) -> string"]}}
      ] do
    test "#{guest} against #{world}: #{inspect(verdict)}" do
      assert findings(Conformance.check(Guests.path(unquote(guest)), unquote(world))) == unquote(verdict)
      assert findings(Conformance.check(Guests.bytes(unquote(guest)), unquote(world))) == unquote(verdict)
    end
  end

  defp findings({:error, %Error{code: :nonconforming, details: %{findings: findings}}}),
    do: {:error, findings}

  defp findings(answer), do: answer

  test "the kernel is no engine component, and says so exactly" do
    assert Conformance.engine?(Application.app_dir(:workbooks, "priv/wasm/oql.wasm")) ==
             {:error, ["missing required export `run`"]}
  end

  test "a core module, and bytes that are not wasm, are no component" do
    for bytes <- [<<0, "asm", 1, 0, 0, 0>>, "", <<1, 2, 3, 0>>, "\0asm"] do
      assert Conformance.engine?(bytes) == {:error, :not_a_component}
    end
  end

  test "a file that is not there is an error" do
    assert {:error, %Error{code: :not_found}} = Conformance.engine?("/no/such/file.wasm")
  end

  test "a build keeps the promises of itself" do
    for guest <- ["echo", "dock_all", "wrong_run_type"] do
      assert Conformance.check_upgrade(Guests.path(guest), Guests.path(guest)) == :ok
    end
  end

  test "an upgrade that moves a type names the path, both types, and why" do
    assert {:error, %Error{code: :breaking, details: %{findings: findings}}} =
             Conformance.check_upgrade(Guests.path("echo"), Guests.path("wrong_run_type"))

    assert %{level: :error, path: "run.param.input", was: "string", now: "u32", why: why} =
             Enum.find(findings, &(&1.level == :error))

    assert why != ""
  end

  test "an upgrade that wants more of the Dock breaks; one that wants less does not" do
    assert {:error, %Error{code: :breaking, details: %{findings: findings}}} =
             Conformance.check_upgrade(Guests.path("engine_probe"), Guests.path("dock_all"))

    assert "llm-complete" in for(%{level: :error, path: path} <- findings, do: path)
    assert Conformance.check_upgrade(Guests.path("dock_all"), Guests.path("engine_probe")) == :ok
  end

  test "an upgrade from or to what is no component is refused" do
    assert {:error, %Error{code: :not_a_component}} =
             Conformance.check_upgrade(Guests.path("echo"), <<0, "asm">>)

    assert {:error, %Error{code: :not_a_component}} =
             Conformance.check_upgrade(<<0, "asm">>, Guests.path("echo"))
  end
end
