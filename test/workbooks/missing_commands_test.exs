defmodule Workbooks.MissingCommandsTest do
  # Without the commands of the shell a check could only fail: that is said aloud, and nobody's work is judged.
  use ExUnit.Case, async: true

  alias Workbooks.RunningVM

  @moduletag :tmp_dir

  setup %{tmp_dir: dir} do
    vm = RunningVM.start!(data_dir: nil, batteries: dir, history_dir: Path.join(dir, "history"))
    assert RunningVM.ask(vm, "Application.ensure_all_started(:workbooks) |> elem(0)") == ":ok"
    %{vm: vm}
  end

  test "a script is refused, and the hint says what to run", %{vm: vm} do
    asked = ~S<{:error, e} = Workbooks.Shell.run("echo hello | tr a-z A-Z"); {e.code, e.hint =~ "make build"}>
    assert RunningVM.ask(vm, asked) == "{:commands_missing, true}"
  end

  test "a run is refused, and no verdict is written into the plan", %{vm: vm, tmp_dir: dir} do
    plan = Path.join(dir, "plan.org")
    org = "* TODO Look\n:done-when: grep -q a plan.org\n"
    File.write!(plan, org)

    asked = "{:error, e} = Workbooks.Run.start(#{inspect(plan)}); e.code"
    assert RunningVM.ask(vm, asked) == ":commands_missing"
    assert File.read!(plan) == org
  end

  test "a plan can still be validated", %{vm: vm} do
    assert RunningVM.ask(vm, ~S<Workbooks.OQL.validate("* A")>) == "[]"
  end
end
