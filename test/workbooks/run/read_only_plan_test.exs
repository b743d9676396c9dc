defmodule Workbooks.Run.ReadOnlyPlanTest do
  @moduledoc "The plan is a worker's to read, not to rewrite."
  use Workbooks.RunCase, async: true

  alias Workbooks.{History, Shell}

  defp plan(block),
    do:
      "* Both\n** TODO Easy\n#+begin_src sh\n#{block}\n#+end_src\n** TODO Hard\n:done-when: test -s nofile\n"

  for block <- [
        "sed -i '/^[*][*] TODO Hard/,$d' plan.org",
        "sed -i 's/TODO Hard/Hard/' plan.org",
        "sed -i 's/test -s nofile/true/' plan.org",
        "echo '* DONE All' > plan.org",
        "echo '* DONE All' >> plan.org",
        "rm plan.org",
        "mv plan.org away.org",
        "echo x > mine; mv mine plan.org",
        "echo x > mine; cp mine plan.org",
        "ln plan.org hard",
        "ln -s plan.org soft; echo x > soft",
        "echo x | tee plan.org",
        "dd if=/dev/null of=plan.org"
      ] do
    @block block
    test "`#{block}` is an error, and the plan has its own words only", context do
      result = run!(context, plan(@block), [])
      assert states(result) == %{"easy" => :failed, "hard" => :failed}
      assert reason(result, "easy") =~ ~r/read-only file ?system/i
      expected = String.replace(plan(@block), "** TODO", "** FAILED")
      assert File.read!(context.plan) == expected
      assert result.org == expected
    end
  end

  test "a check cannot change it either", context do
    org = "* TODO A\n:done-when: sed -i s/TODO/DONE/ plan.org\n"
    result = run!(context, org, run: fn _ -> {:ok, ""} end)
    assert reason(result, "a") =~ "the check `sed -i s/TODO/DONE/ plan.org` exited with status"
    assert reason(result, "a") =~ ~r/read-only file ?system/i
    assert File.read!(context.plan) == "* FAILED A\n:done-when: sed -i s/TODO/DONE/ plan.org\n"
  end

  test "a worker may read it, and write what lies beside it", context do
    org =
      "* TODO A\n#+begin_src sh\ngrep -q A plan.org && cat plan.org > copy.org; echo x > _steps.jsonl\n#+end_src\n"

    assert states(run!(context, org, [])) == %{"a" => :done}
    assert File.read!(Path.join(context.work, "copy.org")) == org
  end

  test "a worker cannot leave what the next run would put into its place", context do
    org =
      "* TODO A\n#+begin_src sh\necho '* DONE A' > .plan.org.wb-0000000000000000-1111111111111111\n#+end_src\n"

    assert states(run!(context, org, [])) == %{"a" => :failed}
    assert Path.wildcard(Path.join(context.work, ".plan.org.wb-*"), match_dot: true) == []
  end

  test "what a check did is in its record", context do
    File.write!(Path.join(context.work, "a"), "x")
    result = run!(context, "* TODO A\n:done-when: cat a > b\n", run: fn _ -> {:ok, ""} end)
    assert states(result) == %{"a" => :done}
    [steps] = Path.wildcard(Path.join(context.work, "_steps.jsonl"))
    checks = for line <- File.stream!(steps), line =~ ~s("tool":"check"), do: line
    assert [line] = checks
    {:ok, step} = Workbooks.JSON.decode(line)
    sha256 = Base.encode16(:crypto.hash(:sha256, "x"), case: :lower)
    assert %{"changed" => ["b"], "files_read" => [%{"path" => "a", "sha256" => ^sha256}]} = step
    assert [%{"name" => "cat", "sha256" => <<_::binary-size(64)>>}] = step["commands"]
    assert ["the check changed the working directory" <> _] = step["warnings"]
  end

  test "any script can be given files that it can only read", %{work: work} do
    file = Path.join(work, "f")
    File.write!(file, "x")
    assert {:ok, %{status: 1}} = Shell.run("echo y > f", workdir: work, read_only: [file])
    assert {:ok, %{status: 0, stdout: "x"}} = Shell.run("cat f", workdir: work, read_only: [file])
    assert {:error, %Error{code: :bad_option}} = Shell.run("true", read_only: "f")
    assert File.read!(file) == "x"
    assert {:ok, %{status: 0}} = Shell.run("echo y > f", workdir: work)
    assert File.read!(file) == "y\n"
    assert :ok = History.exchange(file, "y\n", "z\n")
  end
end
