defmodule Workbooks.Run.OutlineTest do
  use ExUnit.Case, async: true

  alias Workbooks.Error
  alias Workbooks.Run.Outline
  alias Workbooks.Workflow.Check

  defp kinds(org) do
    {:ok, outline} = Outline.read(org)
    for key <- outline.order, item = outline.items[key], do: {item.task.id, item.kind}
  end

  defp refusal(org) do
    {:error, %Error{} = error} = Outline.read(org)
    {error.code, error.message}
  end

  test "a task with tasks below it is a composite, one without is a leaf, no keyword is structure" do
    assert kinds("* Week\n** TODO Ship\n*** TODO Test\n*** TODO Tag\n** TODO Rest\n") == [
             {"week", :structure},
             {"ship", :composite},
             {"test", :leaf},
             {"tag", :leaf},
             {"rest", :leaf}
           ]
  end

  test "notes under a task do not make it a composite" do
    assert kinds("* TODO Ship\n** Notes\n*** More notes\n") == [{"ship", :leaf}]
  end

  test "a task below structure below a task makes that one a composite" do
    assert kinds("* TODO Ship\n** Details\n*** TODO Test\n") == [
             {"ship", :composite},
             {"details", :structure},
             {"test", :leaf}
           ]
  end

  test "tasks are counted from 0 in the order of the text, structure is not counted" do
    {:ok, outline} = Outline.read("* TODO A\n* Notes\n* TODO B\n")

    assert for(key <- outline.tasks, do: {outline.items[key].task.id, outline.items[key].task.idx}) == [
             {"a", 0},
             {"b", 1}
           ]
  end

  test "what stands after the bar of #+TODO is done, CANCELLED is cancelled with everything below" do
    {:ok, outline} =
      Outline.read("#+TODO: TODO | SHIPPED CANCELLED\n* SHIPPED A\n* CANCELLED B\n** TODO C\n* DONE D\n")

    claims =
      for key <- outline.tasks, item = outline.items[key], do: {item.task.id, item.claim, item.cancelled}

    assert claims == [
             {"a", :done, false},
             {"b", :cancelled, true},
             {"c", :open, true},
             {"d", :done, false}
           ]
  end

  describe "the check of a task" do
    defp check(org) do
      {:ok, outline} = Outline.read(org)
      outline.items[hd(outline.tasks)].check
    end

    @block "#+begin_src sh :check\ngrep -q b f\n#+end_src\n"

    test "is its done-when, whatever blocks stand beside it" do
      assert %Check{script: "test -s a", how: "done-when: test -s a"} =
               check("* TODO A\n:done-when: test -s a\n" <> @block)

      assert %Check{script: "test -s a"} = check("* TODO A\n:PROPERTIES:\n:done_when: test -s a\n:END:\n")
    end

    test "is else the first block that carries :check" do
      second = String.replace(@block, "grep", "false")

      assert %Check{script: "grep -q b f\n", how: "check: grep -q b f"} =
               check("* TODO A\n" <> @block <> second)

      assert check("* TODO A\n#+begin_src sh\nmake\n#+end_src\n") == nil
    end

    test "cannot be passed when it is empty, and a block does not come to its rescue" do
      assert check("* TODO A\n:done-when:\n" <> @block) == {:unfit, "`:done-when:` is empty"}
      assert check("* TODO A\n:done-when: # later\n") == {:unfit, "`:done-when:` is empty"}

      assert check("* TODO A\n#+begin_src sh :check\n\n# later\n#+end_src\n") ==
               {:unfit, "the check block is empty"}
    end

    test "cannot be passed in a language that the shell does not run" do
      assert check("* TODO A\n#+begin_src python :check\nexit(0)\n#+end_src\n") ==
               {:unfit, "the check is written in `python`, which the shell does not run"}
    end
  end

  describe "waiting without end is refused, and named:" do
    test "two tasks that wait for each other" do
      assert refusal("* TODO A\n:BLOCKER: b\n* TODO B\n:BLOCKER: a\n") ==
               {:cycle, "these tasks wait for each other: a -> b -> a"}
    end

    test "a task that waits for itself" do
      assert refusal("* TODO A\n:BLOCKER: a\n") == {:cycle, "these tasks wait for each other: a -> a"}
    end

    test "a task that waits for its ancestor" do
      assert {:cycle, message} = refusal("* TODO A\n** Part\n*** TODO B\n:BLOCKER: a\n")
      assert message == "these tasks wait for each other: a -> part -> b -> a"
    end

    test "a composite that waits for its own child" do
      assert {:cycle, message} = refusal("* TODO A\n:BLOCKER: b\n** TODO B\n")
      assert message == "these tasks wait for each other: a -> b -> a"
    end

    test "a task of a sequence that waits for a later one" do
      assert {:cycle, message} = refusal("* Steps\n:ORDERED: t\n** TODO A\n:BLOCKER: b\n** TODO B\n")
      assert message == "these tasks wait for each other: a -> b -> a"
    end

    test "a wait that crosses two composites" do
      org = "* TODO A\n** TODO A1\n:BLOCKER: b\n* TODO B\n** TODO B1\n:BLOCKER: a\n"
      assert {:cycle, "these tasks wait for each other: " <> names} = refusal(org)
      names = String.split(names, " -> ")
      assert List.first(names) == List.last(names)
      assert Enum.uniq(Enum.sort(names)) == ["a", "a1", "b", "b1"]
    end
  end

  test "waiting for a cousin, an uncle or several is no cycle" do
    org =
      "* TODO A\n** TODO A1\n* TODO B\n:BLOCKER: a1\n** TODO B1\n:BLOCKER: a, a1\n** TODO B2\n:DEPENDS: b1\n"

    assert {:ok, outline} = Outline.read(org)
    key = &outline.keys[&1]
    assert outline.items[key.("b1")].blockers == [key.("a"), key.("a1")]
    assert outline.items[key.("b2")].blockers == [key.("b1")]
  end

  test "waiting for a note inside a task is waiting for the task" do
    {:ok, outline} = Outline.read("* TODO A\n** Notes\n* TODO B\n:BLOCKER: notes\n")
    assert outline.items[outline.keys["b"]].blockers == [outline.keys["a"]]
  end

  test "waiting for nobody is refused" do
    assert refusal("* TODO A\n:BLOCKER: nobody\n") ==
             {:unknown_task, "line 1: `a` waits for `nobody`, and no task has that id"}
  end

  test "ten thousand tasks in a chain are read in linear time" do
    org =
      Enum.map_join(1..10_000, fn n ->
        "* TODO t#{n}\n" <> if(n > 1, do: ":BLOCKER: t#{n - 1}\n", else: "")
      end)

    assert {:ok, outline} = Outline.read(org)
    assert length(outline.tasks) == 10_000
  end
end
