defmodule Workbooks.Run.StateTest do
  use ExUnit.Case, async: true

  alias Workbooks.RandomPlan
  alias Workbooks.Run.{Outline, State}

  defp begin(org, opts \\ []) do
    {:ok, outline} = Outline.read(org)
    run = State.new(outline, Keyword.get(opts, :width, 8), Keyword.get(opts, :proven, %{}))
    State.apply_event(run, :begin)
  end

  # The same with task ids in place of keys.
  defp named({run, effects}), do: Enum.map(effects, &name(run, &1))

  defp name(_run, {:publish, {:task_finished, %{id: id, state: state}}}),
    do: {:publish, :task_finished, id, state}

  defp name(_run, {:publish, {name, %{id: id, state: :running}}}), do: {:publish, name, id, nil}
  defp name(run, {:record, key, verdict}), do: {:record, id(run, key), verdict.state, verdict.reason}
  defp name(run, {what, key}) when what in [:work, :check], do: {what, id(run, key)}
  defp name(_run, effect), do: effect

  defp id(run, key), do: run.outline.items[key].task.id
  defp key(run, id), do: run.outline.keys[id]

  defp worked({run, _}, id, result \\ {:ok, "out"}),
    do: State.apply_event(run, {:worked, key(run, id), result})

  defp checked({run, _}, id, result), do: State.apply_event(run, {:checked, key(run, id), result})

  defp recorded({run, effects}, id) do
    {_, _, verdict} = Enum.find(effects, &match?({:record, _, _}, &1))
    State.apply_event(run, {:recorded, key(run, id), verdict.state, verdict.reason, [], []})
  end

  defp states({run, _}), do: for(task <- State.tasks(run), do: {task.id, task.state})
  defp reason({run, _}, id), do: Enum.find(State.tasks(run), &(&1.id == id)).reason

  test "an empty plan is done at once" do
    assert named(begin("")) == [{:finish, :done}]
    assert named(begin("* Notes\n** More\n")) == [{:finish, :done}]
  end

  test "siblings run at once, as many as the run is wide, in the order of the text" do
    run = begin("* TODO A\n* TODO B\n* TODO C\n", width: 2)

    assert named(run) == [
             {:publish, :task_started, "a", nil},
             {:work, "a"},
             {:publish, :task_started, "b", nil},
             {:work, "b"}
           ]

    run = worked(run, "b")

    assert named(run) == [
             {:record, "b", :done, nil},
             {:publish, :task_started, "c", nil},
             {:work, "c"}
           ]
  end

  test "work does not run ahead of the writing by more than the run is wide" do
    run = "* TODO A\n* TODO B\n* TODO C\n" |> begin(width: 1)
    run = worked(run, "a")
    assert named(run) == [{:record, "a", :done, nil}]

    assert named(recorded(run, "a")) == [
             {:publish, :task_finished, "a", :done},
             {:publish, :task_started, "b", nil},
             {:work, "b"}
           ]
  end

  test "a worker's word stands when there is no check" do
    run = "* TODO A\n" |> begin() |> worked("a") |> recorded("a")
    assert named(run) == [{:publish, :task_finished, "a", :done}, {:finish, :done}]
    assert [%{output: "out", state: :done, idx: 0, title: "A"}] = State.tasks(elem(run, 0))
  end

  test "a check decides, after the work" do
    run = "* TODO A\n:done-when: true\n" |> begin() |> worked("a")
    assert named(run) == [{:publish, :check_started, "a", nil}, {:check, "a"}]
    assert named(checked(run, "a", {:pass, "done-when: true"})) == [{:record, "a", :done, nil}]
    assert named(checked(run, "a", {:fail, "no"})) == [{:record, "a", :failed, "no"}]
  end

  test "a worker that failed is FAILED before any check" do
    run = "* TODO A\n:done-when: true\n" |> begin() |> worked("a", {:error, "no"})
    assert named(run) == [{:record, "a", :failed, "no"}]
    assert named(recorded(run, "a")) == [{:publish, :task_finished, "a", :failed}, {:finish, :partial}]
  end

  test "a verdict counts when it is written down, and not before" do
    run = "* TODO A\n* TODO B\n:BLOCKER: a\n" |> begin() |> worked("a")
    assert named(run) == [{:record, "a", :done, nil}]
    assert {:work, "b"} in named(recorded(run, "a"))
  end

  describe "a composite" do
    @parent "* TODO P\n** TODO A\n** TODO B\n"

    test "is DONE when all its children are" do
      run = @parent |> begin() |> worked("a") |> recorded("a") |> worked("b") |> recorded("b")
      assert named(run) == [{:publish, :task_finished, "b", :done}, {:record, "p", :done, nil}]
      assert named(recorded(run, "p")) == [{:publish, :task_finished, "p", :done}, {:finish, :done}]
    end

    test "is PARTIAL when one is not" do
      run = @parent |> begin() |> worked("a", {:error, "no"}) |> recorded("a") |> worked("b") |> recorded("b")
      assert {:record, "p", :partial, "not all of its tasks are done"} in named(run)
    end

    test "with a check is FAILED when its children are done and the check fails" do
      run = "* TODO P\n:done-when: false\n** TODO A\n" |> begin() |> worked("a") |> recorded("a")
      assert {:check, "p"} in named(run)
      assert named(checked(run, "p", {:fail, "no"})) == [{:record, "p", :failed, "no"}]
    end

    test "with a check is PARTIAL without asking it when a child is not done" do
      run =
        "* TODO P\n:done-when: true\n** TODO A\n" |> begin() |> worked("a", {:error, "no"}) |> recorded("a")

      assert {:record, "p", :partial, "not all of its tasks are done"} in named(run)
    end

    test "that says DONE is judged again by its children" do
      run = begin("* DONE P\n** TODO A\n", proven: %{"p" => "children"})
      assert {:work, "a"} in named(run)

      assert {:record, "p", :partial, _} =
               List.last(named(run |> worked("a", {:error, "no"}) |> recorded("a")))
    end

    test "takes the place of a task for the time of its check only" do
      run = begin("* TODO P\n:done-when: true\n** TODO A\n* TODO B\n", width: 1)
      assert {:work, "a"} in named(run)
      run = run |> worked("a") |> recorded("a")
      assert {:work, "b"} in named(run)
      refute {:check, "p"} in named(run)
      assert {:check, "p"} in named(run |> worked("b") |> recorded("b"))
    end
  end

  describe "events of a composite" do
    test "it starts with the first task below it, the outermost first, and once" do
      run = begin("* TODO P\n** TODO Q\n*** TODO A\n*** TODO B\n", width: 1)

      assert named(run) == [
               {:publish, :task_started, "p", nil},
               {:publish, :task_started, "q", nil},
               {:publish, :task_started, "a", nil},
               {:work, "a"}
             ]

      assert {:publish, :task_started, "b", nil} in named(run |> worked("a") |> recorded("a"))
      refute {:publish, :task_started, "q", nil} in named(run |> worked("a") |> recorded("a"))
    end

    test "one that was done before has none, one that is only written now has both" do
      assert named(begin("* DONE P\n** DONE A\n", proven: %{"p" => "children"})) == [{:finish, :done}]
      run = begin("* TODO P\n** DONE A\n")
      assert named(run) == [{:publish, :task_started, "p", nil}, {:record, "p", :done, nil}]
      assert named(recorded(run, "p")) == [{:publish, :task_finished, "p", :done}, {:finish, :done}]
    end
  end

  describe "an amendment that nobody accepted" do
    @amendment %{
      id: "hard",
      title: "Hard",
      changes: [:gone],
      reason: "it is gone from the plan",
      above: ["q", "p"]
    }

    defp amended(org, opts \\ []) do
      {:ok, outline} = Outline.read(org)
      run = State.new(outline, 8, Keyword.get(opts, :proven, %{}), [@amendment])
      State.apply_event(run, :begin)
    end

    test "keeps everything above it from being DONE, and the run" do
      run = amended("* TODO P\n** TODO Q\n*** TODO A\n* TODO R\n** TODO B\n")
      run = run |> worked("a") |> recorded("a")
      reason = "`hard` below it was amended: it is gone from the plan"
      assert {:record, "q", :partial, ^reason} = List.last(named(run))
      run = run |> recorded("q") |> recorded("p") |> worked("b") |> recorded("b") |> recorded("r")
      assert states(run) == [{"p", :partial}, {"q", :partial}, {"a", :done}, {"r", :done}, {"b", :done}]
      assert {:finish, :partial} in named(run)
    end

    test "also where they are DONE already, or would be asked by a check" do
      run = amended("* DONE P\n:done-when: true\n** DONE A\n", proven: %{"p" => "done-when: true"})
      assert {:record, "p", :partial, _} = List.last(named(run))
    end

    test "keeps a run without tasks from being done" do
      assert named(amended("")) == [{:finish, :partial}]
    end
  end

  describe "an ordered sequence" do
    @steps "* Steps\n:ORDERED: t\n** TODO A\n** TODO B\n** TODO C\n*** TODO D\n"

    test "runs one after the other" do
      run = begin(@steps)
      assert named(run) == [{:publish, :task_started, "a", nil}, {:work, "a"}]
      run = run |> worked("a") |> recorded("a")
      assert {:work, "b"} in named(run)
      assert {:work, "d"} in named(run |> worked("b") |> recorded("b"))
    end

    test "stops at the first that is not done, and reports the rest blocked" do
      run = @steps |> begin() |> worked("a", {:error, "no"}) |> recorded("a")
      assert states(run) == [{"a", :failed}, {"b", :blocked}, {"c", :blocked}, {"d", :blocked}]
      assert reason(run, "b") == "it waits for `a`, which is failed"
      assert {:finish, :partial} in named(run)
      refute Enum.any?(named(run), &match?({:record, _, _, _}, &1))
    end

    test "goes over what is done or cancelled" do
      run = begin("* Steps\n:ORDERED: t\n** DONE A\n** CANCELLED B\n** Notes\n** TODO C\n")
      assert {:work, "c"} in named(run)
    end
  end

  describe "a blocker" do
    test "that is not done blocks whoever waits, and whoever waits for them" do
      run =
        begin("* TODO A\n* TODO B\n:BLOCKER: a\n* TODO C\n:BLOCKER: b\n")
        |> worked("a", {:error, "no"})
        |> recorded("a")

      assert states(run) == [{"a", :failed}, {"b", :blocked}, {"c", :blocked}]
      assert reason(run, "c") == "it waits for `b`, which is blocked"
    end

    test "that fails before the parent of its waiter began still ends the parent" do
      org = "* TODO A\n* TODO B\n* TODO P\n:BLOCKER: b\n** TODO C\n:BLOCKER: a\n"
      run = org |> begin() |> worked("a", {:error, "no"}) |> recorded("a") |> worked("b") |> recorded("b")
      assert {:record, "p", :partial, _} = List.last(named(run))
    end

    test "that is structure is waited for with all its tasks" do
      run = begin("* Part\n** TODO A\n** TODO B\n* TODO C\n:BLOCKER: part\n") |> worked("a") |> recorded("a")
      refute {:work, "c"} in named(run)
      assert {:work, "c"} in named(run |> worked("b") |> recorded("b"))
    end

    test "may be waited for by a whole composite" do
      run = begin("* TODO A\n* TODO P\n:BLOCKER: a\n** TODO B\n")
      refute {:work, "b"} in named(run)
      assert {:work, "b"} in named(run |> worked("a") |> recorded("a"))
    end
  end

  describe "a task that says DONE" do
    test "is skipped when its check was passed" do
      run = begin("* DONE A\n:done-when: true\n", proven: %{"a" => "done-when: true"})
      assert named(run) == [{:finish, :done}]
      assert reason(run, "a") == "already done"
    end

    test "is skipped when it has no check" do
      assert named(begin("* DONE A\n")) == [{:finish, :done}]
    end

    test "is checked before it counts when nobody saw it pass" do
      run = begin("* DONE A\n:done-when: true\n")
      assert named(run) == [{:publish, :check_started, "a", nil}, {:check, "a"}]
      assert named(checked(run, "a", {:pass, "done-when: true"})) == [{:record, "a", :done, nil}]
    end

    test "is checked again when its check is another than the one that was passed" do
      assert {:check, "a"} in named(
               begin("* DONE A\n:done-when: test -s b\n", proven: %{"a" => "done-when: true"})
             )
    end

    test "and does not pass is work like any other" do
      run = begin("* DONE A\n:done-when: true\n") |> checked("a", {:fail, "no"})
      assert named(run) == [{:publish, :task_started, "a", nil}, {:work, "a"}]
      run = worked(run, "a")
      assert {:check, "a"} in named(run)
      assert named(checked(run, "a", {:fail, "no"})) == [{:record, "a", :failed, "no"}]
    end

    test "with a check that cannot be passed is not skipped, not even with a record" do
      assert {:check, "a"} in named(begin("* DONE A\n:done-when:\n", proven: %{"a" => "done-when: "}))
    end
  end

  test "a CANCELLED task counts as done, with everything below it and whatever it waits for" do
    run =
      begin(
        "* TODO P\n** TODO A\n** CANCELLED B\n:BLOCKER: a\n*** TODO C\n*** DONE D\n* TODO E\n:BLOCKER: c\n"
      )

    assert {:work, "e"} in named(run)
    run = run |> worked("a") |> recorded("a")
    assert {:record, "p", :done, nil} in named(run)

    assert states(run) == [
             {"p", :running},
             {"a", :done},
             {"b", :cancelled},
             {"c", :cancelled},
             {"d", :done},
             {"e", :running}
           ]
  end

  test "the writer may have to say less than the children: a task appeared under the composite" do
    {run, _} = "* TODO P\n** TODO A\n" |> begin() |> worked("a") |> recorded("a")
    run = State.apply_event(run, {:recorded, key(run, "p"), :partial, "`b` appeared", ["w"], []})

    assert [
             {:publish, {:task_finished, %{state: :partial, reason: "`b` appeared", warnings: ["w"]}}},
             {:finish, :partial}
           ] = elem(run, 1)
  end

  describe "cancelling" do
    test "ends the run, and leaves what did not finish as it was" do
      {run, _} = begin("* TODO A\n* TODO B\n:BLOCKER: a\n")
      run = State.apply_event(run, :cancel)

      assert named(run) == [
               {:publish, :task_finished, "b", :blocked},
               {:publish, :task_finished, "a", :blocked},
               {:finish, :cancelled}
             ]

      assert states(run) == [{"a", :blocked}, {"b", :blocked}]
      assert reason(run, "a") == "the run was cancelled"
    end

    test "waits for a verdict that is being written" do
      worked = "* TODO A\n* TODO B\n" |> begin() |> worked("a")
      {run, _} = worked
      {run, [{:publish, {:task_finished, %{id: "b", state: :blocked}}}]} = State.apply_event(run, :cancel)
      run = recorded({run, elem(worked, 1)}, "a")
      assert named(run) == [{:publish, :task_finished, "a", :done}, {:finish, :cancelled}]
      assert states(run) == [{"a", :done}, {"b", :blocked}]
    end
  end

  test "what comes too late, twice or out of turn changes nothing" do
    {run, _} = begun = begin("* TODO A\n:done-when: true\n")
    a = key(run, "a")

    for event <- [
          :begin,
          {:checked, a, {:pass, "x"}},
          {:recorded, a, :done, nil, [], []},
          {:worked, 99, {:ok, ""}},
          {:checked, :root, {:pass, "x"}}
        ] do
      assert State.apply_event(run, event) == {run, []}, inspect(event)
    end

    {done, _} = begun |> worked("a", {:error, "no"}) |> recorded("a")

    for event <- [:begin, :cancel, {:worked, a, {:ok, ""}}],
        do: assert(State.apply_event(done, event) == {done, []})
  end

  describe "any plan, in any order of events" do
    for seed <- 1..60 do
      test "ends as the model says (#{seed})" do
        walk(unquote(seed), Enum.at([1, 2, 8, 1_000], rem(unquote(seed), 4)))
      end
    end

    defp walk(seed, width) do
      case Outline.read(RandomPlan.org(seed, 5 + seed * 3)) do
        {:error, %{code: :cycle}} ->
          :refused

        {:ok, outline} ->
          script = fn id -> if :erlang.phash2({seed, id}, 4) == 0, do: :failed, else: :done end
          :rand.seed(:exsss, {seed, 1, 2})
          {run, effects} = State.apply_event(State.new(outline, width), :begin)
          run = drive(run, effects, script, [])
          assert Map.new(State.tasks(run), &{&1.id, &1.state}) == RandomPlan.model(outline, script)
      end
    end

    defp drive(run, effects, script, pending) do
      assert run.busy <= run.width
      {events, finished} = Enum.reduce(effects, {[], []}, &answer(run, &1, script, &2))

      case {finished, pending ++ events} do
        {[_], pending} ->
          assert pending == []
          run

        {[], pending} ->
          {event, pending} = List.pop_at(pending, :rand.uniform(length(pending)) - 1)
          {run, effects} = State.apply_event(run, event)
          drive(run, effects, script, pending)
      end
    end

    defp answer(run, {:work, key}, script, {events, finished}) do
      result = if script.(id(run, key)) == :done, do: {:ok, ""}, else: {:error, "no"}
      {[{:worked, key, result} | events], finished}
    end

    defp answer(_run, {:record, key, verdict}, _script, {events, finished}),
      do: {[{:recorded, key, verdict.state, verdict.reason, [], []} | events], finished}

    defp answer(_run, {:publish, _}, _script, acc), do: acc
    defp answer(_run, {:finish, state}, _script, {events, finished}), do: {events, [state | finished]}
  end

  test "an event costs the same in a large plan as in a small one" do
    costs = for count <- [200, 20_000], do: cost(count)
    [small, large] = costs
    assert large < 2.5 * small, "reductions for each task: #{inspect(costs)}"
  end

  defp cost(count) do
    {:ok, outline} = Outline.read("* TODO P\n" <> String.duplicate("** TODO t\n", count))
    {run, effects} = State.apply_event(State.new(outline, 8), :begin)
    before = reductions()
    finish(run, effects)
    (reductions() - before) / count
  end

  defp finish(run, effects) do
    events =
      for effect <- effects, reduce: [] do
        events ->
          case effect do
            {:work, key} -> [{:worked, key, {:ok, ""}} | events]
            {:record, key, verdict} -> [{:recorded, key, verdict.state, nil, [], []} | events]
            _ -> events
          end
      end

    case events do
      [] ->
        run

      events ->
        Enum.reduce(events, run, fn event, run ->
          run |> State.apply_event(event) |> then(fn {r, e} -> finish(r, e) end)
        end)
    end
  end

  defp reductions, do: Process.info(self(), :reductions) |> elem(1)
end
