defmodule Workbooks.Toolkits.AuditTest do
  use ExUnit.Case, async: true

  alias Workbooks.{OQL, Shell}
  alias Workbooks.Toolkits.{Audit, Import}
  alias Workbooks.Workflow.Todo

  setup do
    dir = Path.join(System.tmp_dir!(), "workbooks-audit-#{System.unique_integer([:positive])}")
    File.mkdir_p!(Path.join(dir, "skill/scripts"))
    File.write!(Path.join(dir, "skill/SKILL.md"), "---\nname: calc\ndescription: Adds.\n---\n# Calc\n")
    on_exit(fn -> File.rm_rf!(dir) end)
    %{dir: dir}
  end

  defp script(dir, name, text), do: File.write!(Path.join([dir, "skill/scripts", name]), text)

  defp import!(dir) do
    {:ok, made} = Import.run(Path.join(dir, "skill"), output: Path.join(dir, "calc"))
    {made, Path.join(dir, "calc/manifest.org")}
  end

  test "a skill is imported, its plan coheres, and the plan's own checks say when a script is ready", %{
    dir: dir
  } do
    script(dir, "ok.sh", "echo hello\n")
    script(dir, "tool.xyz", "#!/usr/bin/env nosuchlanguage\n")
    {made, manifest} = import!(dir)
    assert made["audit"]["summary"] == %{"ready" => 1, "convertible" => 1, "blocked" => 0}

    plan = File.read!(manifest)
    assert [] = OQL.lint(plan)
    [whole, task] = plan |> OQL.tasks() |> Enum.filter(&(&1["state"] == "TODO"))
    assert task["done_when"] == "audit scripts/tool.xyz --expect ready"
    work = Path.dirname(manifest)
    assert {:ok, %{status: 1}} = Shell.run(task["done_when"], workdir: work)
    assert {:ok, %{status: 1}} = Shell.run(whole["done_when"], workdir: work)

    # Whoever works the plan off rewrites the script; the run believes the audit, not the worker.
    %{tasks: ended} =
      Todo.run(manifest, workdir: work, run: fn _ -> "I say it is done" end, history: Path.join(dir, "h1"))

    assert Enum.map(ended, & &1.state) |> Enum.uniq() |> Enum.sort() == [:failed, :partial]

    fix = fn task ->
      if task.title =~ "tool.xyz",
        do: File.write!(Path.join(work, "scripts/tool.xyz"), "#!/bin/sh\necho rewritten\n")

      "rewritten"
    end

    %{tasks: ended} = Todo.run(manifest, workdir: work, run: fix, history: Path.join(dir, "h2"))
    assert Enum.all?(ended, &(&1.state == :done))
    assert File.read!(manifest) =~ "fix-up plan [1/1]"

    {:ok, report} = Audit.run(work)
    assert report["summary"] == %{"ready" => 2, "convertible" => 0, "blocked" => 0}
    assert File.read!(manifest) =~ "nothing to fix — every script is sandbox-ready"
  end

  test "a second audit changes no byte", %{dir: dir} do
    script(dir, "fetch.sh", "curl x\n")
    {_, manifest} = import!(dir)
    File.write!(manifest, File.read!(manifest) <> "\n* Mine\nwords\n")
    before = File.read!(manifest)
    {:ok, _} = Audit.run(Path.dirname(manifest))
    assert File.read!(manifest) == before
  end

  test "what cannot be is an error with a code", %{dir: dir} do
    for {call, code} <- [
          {fn -> Audit.run(Path.join(dir, "nowhere")) end, :not_found},
          {fn -> Audit.run(Path.join(dir, "skill")) end, :not_found},
          {fn -> Audit.run(dir, shallow: true) end, :bad_option},
          {fn -> Import.run(Path.join(dir, "nowhere")) end, :not_found},
          {fn -> Import.run(Path.join(dir, "skill"), as: "nothing") end, :bad_option},
          {fn -> Import.run(Path.join(dir, "skill"), as: :openapi, output: Path.join(dir, "x")) end,
           :bad_option},
          {fn -> Import.run(Path.join(dir, "skill"), output: Path.join(dir, "skill")) end, :exists},
          {fn -> Import.run(Path.join(dir, "skill"), output: Path.join(dir, "No Slug")) end, :bad_option},
          {fn -> Import.run(Path.join(dir, "skill"), to: dir) end, :bad_option}
        ] do
      assert {:error, %Workbooks.Error{code: ^code, hint: hint}} = call.()
      assert hint != ""
    end
  end

  test "the kinds are those that Rust knows" do
    for kind <- Import.kinds() do
      assert {:error, error} = Import.run("/nowhere", as: kind)
      assert error.code == :not_found
    end
  end
end
