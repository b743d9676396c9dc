defmodule Workbooks.Run.EventsTest do
  @moduledoc "Whoever hears the events of a run knows the plan without reading it."
  use Workbooks.RunCase, async: true

  alias Workbooks.OQL

  @org """
  * Week [0%]
  ** TODO Ship [0/2]
  *** TODO Test
  *** TODO Tag
  :BLOCKER: test
  ** TODO Rest
  :done-when: false
  """

  defp ok(_task), do: {:ok, "did it"}

  # What the events say of each headline, from the first to the last.
  defp known([{:run_started, started} | events]) do
    first = Map.new(started.tasks, &{&1.id, {&1.keyword, &1.cookies}})

    for {_, %{changed: changed}} <- events, headline <- changed, reduce: first do
      known -> Map.put(known, headline.id, {headline.keyword, headline.cookies})
    end
  end

  defp keywords(org),
    do: for(task <- OQL.tasks(org), task["state"], into: %{}, do: {task["id"], task["state"]})

  test "events are numbered, name their run, and tell the plan as it becomes", context do
    opts = plan!(context, @org)
    {:ok, run} = Run.start(context.plan, [run: &ok/1, subscribe: true, width: 1] ++ opts)
    heard = events(run)

    assert Enum.map(heard, fn {_, data} -> data.seq end) == Enum.to_list(1..length(heard))
    assert Enum.all?(heard, fn {_, data} -> data.run == run end)

    changes = for {:task_finished, task} <- heard, do: {task.id, task.changed}

    assert [
             {"test",
              [
                %{id: "test", keyword: "DONE", cookies: []},
                %{id: "ship", keyword: "TODO", cookies: ["[1/2]"]},
                %{id: "week", keyword: nil, cookies: ["[0%]"]}
              ]}
             | _
           ] = changes

    known = known(heard)
    assert known["week"] == {nil, ["[50%]"]}
    assert known["ship"] == {"DONE", ["[2/2]"]}
    tasks = for {id, {keyword, _}} <- known, keyword, into: %{}, do: {id, keyword}
    assert tasks == keywords(File.read!(context.plan))

    assert {:ok, %{tasks: [%{id: "ship", keyword: "DONE", cookies: ["[2/2]"]} | _], seq: seq}} =
             Run.status(run)

    assert seq == length(heard)
  end

  test "a composite starts and finishes like any task, inside out, also when the run is cancelled", context do
    opts = plan!(context, "* TODO P\n** TODO Q\n*** TODO A\n*** TODO B\n** TODO C\n:BLOCKER: a\n")
    {:ok, run} = Run.start(context.plan, [run: held(self()), subscribe: true, width: 1] ++ opts)
    assert_receive {:at_work, "a", _worker}
    :ok = Run.cancel(run)
    heard = events(run)
    assert for({:task_started, task} <- heard, do: task.id) == ["p", "q", "a"]

    assert for({:task_finished, task} <- heard, do: {task.id, task.state}) ==
             for(id <- ~w(c b a q p), do: {id, :blocked})
  end

  test "a large plan is written later, and that is told", context do
    org = "* TODO P [0/3]\n" <> String.duplicate("filler\n", 10_000) <> "** TODO A\n** TODO B\n** TODO C\n"
    opts = plan!(context, org)
    {:ok, run} = Run.start(context.plan, [run: &ok/1, subscribe: true] ++ opts)
    heard = events(run)
    assert Enum.any?(heard, &match?({:plan_changed, _}, &1))
    assert known(heard)["p"] == {"DONE", ["[3/3]"]}
    assert File.read!(context.plan) =~ "* DONE P [3/3]"
    assert {:run_finished, _} = List.last(heard)
  end

  test "an edit by somebody else is told: only then is there something to read again", context do
    opts = plan!(context, "* TODO A\n* TODO B\n")
    {:ok, run} = Run.start(context.plan, [run: held(self()), subscribe: true, width: 1] ++ opts)
    assert_receive {:at_work, "a", worker}
    File.write!(context.plan, "A note.\n* TODO A\n* TODO B\n")
    send(worker, {:go, {:ok, ""}})
    assert_receive {:at_work, "b", worker}
    send(worker, {:go, {:ok, ""}})
    heard = events(run)
    assert Enum.count(heard, &match?({:plan_edited, _}, &1)) >= 1
    assert File.read!(context.plan) == "A note.\n* DONE A\n* DONE B\n"
  end

  test "others hear that a run starts: of its plan, by whatever path, and of all runs", context do
    opts = plan!(context, "* TODO A\n")
    link = Path.join(context.work, "link.org")
    File.ln_s!(context.plan, link)
    test = self()

    listeners =
      for subscribe <- [fn -> Run.subscribe_plan(link) end, &Run.subscribe_all/0] do
        spawn_link(fn ->
          :ok = subscribe.()
          send(test, {:listening, self()})
          forward(test)
        end)
      end

    for pid <- listeners, do: assert_receive({:listening, ^pid})
    {:ok, run} = Run.start(context.plan, [run: &ok/1] ++ opts)

    for pid <- listeners,
        name <- [:run_started, :task_started, :task_finished, :run_finished],
        do: assert_receive({^pid, ^run, ^name})

    {:ok, _} = Run.await(run)
  end

  # Other tests have runs as well.
  defp forward(test) do
    receive do: ({:workbooks, run, {name, _}} -> send(test, {self(), run, name}))
    forward(test)
  end

  test "whoever subscribes to several things hears each event once", context do
    opts = plan!(context, "* TODO A\n")
    :ok = Run.subscribe_plan(context.plan)
    :ok = Run.subscribe_plan(context.plan)
    {:ok, run} = Run.start(context.plan, [run: &ok/1, subscribe: true] ++ opts)
    heard = events(run)
    assert Enum.map(heard, fn {_, data} -> data.seq end) == [1, 2, 3, 4]
    :ok = Run.unsubscribe_plan(context.plan)
  end

  describe "whoever was away" do
    setup context do
      opts = plan!(context, "* TODO A\n* TODO B\n")
      {:ok, run} = Run.start(context.plan, [run: held(self()), width: 1] ++ opts)
      assert_receive {:at_work, "a", worker}
      send(worker, {:go, {:ok, ""}})
      assert_receive {:at_work, "b", worker}
      %{run: run, worker: worker}
    end

    test "gets what came after the last number they know, and then the rest", %{run: run, worker: worker} do
      :ok = Run.subscribe(run, after: 2)
      send(worker, {:go, {:ok, ""}})
      heard = events(run)
      assert Enum.map(heard, fn {_, data} -> data.seq end) == [3, 4, 5, 6]
      assert [:task_finished, :task_started, :task_finished, :run_finished] = Keyword.keys(heard)
    end

    test "gets it also when the run is over", %{run: run, worker: worker} do
      send(worker, {:go, {:ok, ""}})
      {:ok, _} = Run.await(run)
      :ok = Run.subscribe(run, after: 4)
      assert [{:task_finished, %{id: "b", seq: 5}}, {:run_finished, %{seq: 6}}] = events(run)
    end

    test "is told to read the status anew, whose number goes with it", %{run: run, worker: worker} do
      assert {:error, %Error{code: :events_lost, details: %{seq: 4}}} = Run.subscribe(run, after: 77)
      {:ok, %{seq: seq, tasks: tasks}} = Run.status(run)
      assert for(task <- tasks, do: {task.id, task.keyword}) == [{"a", "DONE"}, {"b", "TODO"}]
      :ok = Run.subscribe(run, after: seq)
      send(worker, {:go, {:ok, ""}})
      assert Enum.map(events(run), fn {_, data} -> data.seq end) == [5, 6]
    end

    test "has no run to hear of when there is none" do
      assert {:error, %Error{code: :unknown_run}} = Run.subscribe("nobody", after: 0)
    end
  end

  test "the numbers go on after a crash", context do
    opts = plan!(context, "* TODO A\n")
    {:ok, run} = Run.start(context.plan, [run: held(self()), subscribe: true] ++ opts)
    assert_receive {:workbooks, ^run, {:run_started, %{seq: 1}}}
    assert_receive {:at_work, "a", _}
    Process.exit(Workbooks.Run.Supervisor.whereis(:server, run), :kill)
    assert_receive {:workbooks, ^run, {:run_started, %{resumed: true, seq: 3}}}
    assert_receive {:at_work, "a", worker}
    send(worker, {:go, {:ok, ""}})
    assert {:run_finished, _} = List.last(events(run))
  end

  test "a run whose history cannot be opened ends, and whoever awaits or listens hears why", context do
    run!(context, "* TODO A\n", run: &ok/1, run_id: "first")
    first = Workbooks.Run.Supervisor.whereis(:family, "first")
    :ok = DynamicSupervisor.terminate_child(Workbooks.Run.Families, first)
    rerun!(context, run: &ok/1, run_id: "second")
    opts = [run: &ok/1, run_id: "first", subscribe: true, history: context.history, workdir: context.work]
    {:ok, "first"} = Run.start(context.plan, opts)
    assert {:error, %Error{code: :conflict}} = Run.await("first")
    assert_receive {:workbooks, "first", {:run_refused, %{code: :conflict}}}
  end
end
