defmodule Workbooks.ReadOnlyTest do
  @moduledoc "Files that are read only to a script are so to every kind of command: components, and what lanes build."
  use ExUnit.Case, async: false

  alias Workbooks.{CommandRegistry, Guests, Lanes, Shell}

  @moduletag :tmp_dir

  @attempts [
    "write plans/p.org",
    "truncate soft",
    "truncate hard",
    "append plans/p.org",
    "update way/p.org",
    "remove plans/p.org",
    "remove-dir plans",
    "rename plans/p.org mine2",
    "rename mine plans/p.org",
    "rename plans other",
    "link plans/p.org another",
    "link mine plans/.p.org.wb-0-1",
    "write plans/.p.org.wb-0-1",
    "create plans/.p.org.wb-0-1"
  ]

  setup %{tmp_dir: dir} do
    plan = Path.join(dir, "plans/p.org")
    File.mkdir_p!(Path.dirname(plan))
    File.write!(plan, "* TODO A\n")
    File.write!(Path.join(dir, "mine"), "* DONE A\n")
    File.ln_s!("plans/p.org", Path.join(dir, "soft"))
    File.ln_s!("plans", Path.join(dir, "way"))
    File.ln!(plan, Path.join(dir, "hard"))
    %{plan: plan}
  end

  defp register!(wasm) do
    name = "meddle-#{System.unique_integer([:positive])}"
    :ok = CommandRegistry.register(name, wasm)
    on_exit(fn -> CommandRegistry.unregister(name) end)
    name
  end

  test "a component", %{tmp_dir: dir, plan: plan} do
    name = register!(Guests.bytes("meddle"))
    run = &Shell.run("#{name} #{&1}", workdir: dir, read_only: [plan])

    for attempt <- @attempts do
      assert {:ok, %{status: 1, stderr: said}} = run.(attempt)
      assert said =~ ~r/read-only|not empty/i, "#{attempt}: #{said}"
      assert File.read!(plan) == "* TODO A\n", attempt
      assert File.ls!(Path.dirname(plan)) == ["p.org"], attempt
    end

    for free <-
          ["write plans/q.org", "append mine", "truncate new", "rename new newer", "link mine twin"] ++
            ["make-dir d", "rename d e", "remove-dir e", "remove plans/q.org", "create fresh"],
        do: assert({:ok, %{status: 0}} = run.(free), free)

    assert {:ok, %{status: 0, stdout: "* TODO A\n"}} = run.("read soft")
  end

  @tag timeout: 600_000
  test "a program of the python lane", %{tmp_dir: dir, plan: plan} do
    source = ~S"""
    import os, sys
    for attempt in (
        lambda: open("plans/p.org", "w"), lambda: open("soft", "a"), lambda: open("hard", "r+"),
        lambda: os.remove("plans/p.org"), lambda: os.rename("plans/p.org", "x"), lambda: os.rename("mine", "plans/p.org"),
        lambda: os.rename("plans", "x"), lambda: os.link("plans/p.org", "x"), lambda: open("plans/.p.org.wb-0-1", "w"),
    ):
        try:
            attempt()
            sys.exit("it worked")
        except OSError:
            pass
    open("plans/q.org", "w").write(open("plans/p.org").read())
    """

    assert {:ok, built} = Lanes.build("python", {:text, source}, shape: :command)
    name = register!(File.read!(built.path))
    assert {:ok, ran} = Shell.run(name, workdir: dir, read_only: [plan], timeout: 60_000)
    assert {ran.status, ran.stderr} == {0, ""}
    assert File.read!(plan) == "* TODO A\n"
    assert Enum.sort(File.ls!(Path.dirname(plan))) == ["p.org", "q.org"]
    assert File.read!(Path.join(dir, "plans/q.org")) == "* TODO A\n"
  end
end
