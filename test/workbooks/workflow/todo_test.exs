defmodule Workbooks.Workflow.TodoTest do
  use Workbooks.RunCase, async: true

  alias Workbooks.Workflow.Todo

  test "tasks are the headlines with a keyword, with everything a worker needs" do
    org = """
    * Week
    ** TODO Ship it :work:
    :PROPERTIES:
    :ORDERED: t
    :OWNER: me
    :END:
    *** NEXT Test
    #+begin_src sh :check
    make test
    #+end_src
    """

    assert [ship, test] = Todo.tasks(org)

    assert %{
             id: "ship-it",
             idx: 0,
             title: "Ship it",
             state: "TODO",
             path: ["Week", "Ship it"],
             level: 2,
             parent: "week"
           } = ship

    assert %{ordered: true, done_when: nil, check: nil, line: 2, props: %{"OWNER" => "me"}} = ship
    assert %{id: "test", idx: 1, parent: "ship-it", check: %{lang: "sh", body: "make test\n"}} = test
    assert test.body =~ "make test"
  end

  describe "validate" do
    test "asks the check of one task", %{work: work} do
      [task] = Todo.tasks("* TODO A\n:done-when: test -s a\n")
      assert Todo.validate(task, work) == {:fail, "the check `test -s a` exited with status 1"}
      File.write!(Path.join(work, "a"), "x")
      assert Todo.validate(task, work) == {:pass, "done-when: test -s a"}
    end

    test "says what the check said last", %{work: work} do
      [task] = Todo.tasks("* TODO A\n:done-when: echo first >&2; echo no prices >&2; exit 4\n")
      assert {:fail, reason} = Todo.validate(task, work)
      assert reason =~ ~r/\Athe check `echo first .*` exited with status 4: first; no prices\z/
    end

    test "names a command that is not there", %{work: work} do
      [task] = Todo.tasks("* TODO A\n:done-when: frobnicate --all\n")
      assert {:fail, reason} = Todo.validate(task, work)
      assert reason =~ "the check `frobnicate --all` failed: the shell has no command `frobnicate`"
    end

    test "takes the worker's word where there is no check", %{work: work} do
      [task] = Todo.tasks("* TODO A\n")
      assert Todo.validate(task, work) == {:pass, "no check: the worker's word"}
    end

    test "passes no directory that is not there" do
      [task] = Todo.tasks("* TODO A\n:done-when: true\n")
      assert {:fail, "the check could not be run: " <> _} = Todo.validate(task, "/no/such/directory")
    end
  end

  describe "run" do
    test "takes a file", context do
      opts = plan!(context, "* TODO A\n")

      assert %{tasks: [task], org: "* DONE A\n"} =
               Todo.run(context.plan, [run: fn task -> {:ok, "did " <> task.title} end] ++ opts)

      assert task == %{
               id: "a",
               idx: 0,
               title: "A",
               state: :done,
               keyword: "DONE",
               cookies: [],
               kind: :leaf,
               level: 1,
               line: 1,
               output: "did A",
               reason: nil,
               how: "worker"
             }
    end

    test "takes a text, and leaves no file of it", context do
      opts = [workdir: context.work, history: context.history]

      assert %{state: :done, org: "* DONE A\n:done-when: true\n"} =
               Todo.run({:org, "* TODO A\n:done-when: true\n"}, [run: fn _ -> "x" end] ++ opts)

      assert Enum.sort(File.ls!(context.work)) == ["_ledger.json", "_steps.jsonl", "_telemetry.db"]
    end

    test "takes a text without any directory", context do
      work = fn task -> send(self(), task.id) && {:ok, ""} end

      assert %{state: :done, org: "* DONE A\n"} =
               Todo.run({:org, "* TODO A\n"}, run: work, history: context.history)
    end

    test "runs `sh` blocks when no worker is named", context do
      org = """
      * TODO Gather
      :done-when: test -s pages/a
      #+begin_src sh
      mkdir -p pages && echo hello > pages/a && cat pages/a
      #+end_src
      * TODO Count
      :BLOCKER: gather
      #+begin_src sh :check
      test "$(wc -l < pages/a)" -eq 1
      #+end_src
      * TODO Fail
      #+begin_src sh
      echo before; echo no luck >&2; exit 7
      #+end_src
      * TODO Nothing
      """

      result = run!(context, org, [])
      assert states(result) == %{"gather" => :done, "count" => :done, "fail" => :failed, "nothing" => :failed}
      assert Enum.map(result.tasks, & &1.output) == ["hello\n", "", "", ""]
      assert reason(result, "fail") == "exited with status 7: no luck"
      assert reason(result, "nothing") == "the task has no `sh` block and no check"
    end

    test "hands a refusal on", context do
      assert {:error, %Error{code: :not_found}} = Todo.run(context.plan, history: context.history)

      assert {:error, %Error{code: :cycle}} =
               Todo.run({:org, "* TODO A\n:BLOCKER: a\n"}, history: context.history)
    end
  end
end
