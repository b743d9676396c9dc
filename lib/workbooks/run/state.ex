defmodule Workbooks.Run.State do
  @moduledoc false
  # A run as a pure reducer. `apply_event/2` takes what happened and gives what to do next; it never looks at a clock, a
  # file or a process. An event costs the tasks it touches, not the tasks there are.
  #
  #     waiting -> ready -> working -> checking -> recording -> ended
  #
  # A node waits for its parent to begin, for its blockers and for the sibling before it in an ordered sequence: `waits`
  # counts them. A parent ends when its `open` children have. A task that waits for one which is not done or cancelled does
  # not begin: it is blocked.
  #
  # What stands above an amended task (`held`) is not DONE until a person accepts the amendment, and neither is the run.

  alias Workbooks.History
  alias Workbooks.Run.Outline

  @type key :: Outline.key()
  @type outcome :: :done | :failed | :partial | :blocked | :cancelled
  @type phase :: :waiting | :ready | :working | :checking | :recording | :ended

  @typedoc "What happened."
  @type event ::
          :begin
          | {:worked, key, {:ok, String.t()} | {:error, String.t()}}
          | {:checked, key, {:pass, String.t()} | {:fail, String.t()}}
          | {:recorded, key, outcome, reason :: String.t() | nil, warnings :: [String.t()],
             changed :: [History.headline()]}
          | {:plan, changed :: [History.headline()]}
          | :cancel

  @typedoc "What to do, in this order."
  @type effect ::
          {:work, key}
          | {:check, key}
          | {:record, key, verdict}
          | {:publish, {atom, map}}
          | {:finish, :done | :partial | :cancelled}

  @type verdict :: %{
          state: :done | :failed | :partial,
          reason: String.t() | nil,
          how: String.t(),
          output: String.t()
        }

  @enforce_keys [:outline, :width, :proven, :amendments, :held, :nodes, :dependents, :ready]
  defstruct [
    :outline,
    :width,
    :proven,
    :amendments,
    :held,
    :nodes,
    :dependents,
    :ready,
    # What headlines say that are not as the outline has them, and those with cookies: `{keyword, cookies}` by id.
    headlines: %{},
    busy: 0,
    recording: 0,
    state: :new,
    effects: []
  ]

  @type t :: %__MODULE__{}

  # `sound` until a child is not done; `slot` while it takes one of the run's places; `claimed` while only the DONE in the
  # plan speaks for it; `announced` once subscribers heard that it started.
  @fresh %{
    phase: :waiting,
    waits: 0,
    open: 0,
    sound: true,
    slot: false,
    claimed: false,
    announced: false,
    output: "",
    verdict: nil
  }

  # What else a task's end is told with.
  @nothing %{warnings: [], changed: []}

  @sound [:done, :cancelled]
  @children "children"

  @doc """
  A run that has not begun. `proven` has, for each task whose last verdict was DONE, how it was earned: a DONE in the
  plan that has a check counts only if this very check was passed. `amendments` are those that nobody has accepted.
  """
  @spec new(Outline.t(), pos_integer, %{String.t() => String.t()}, [map]) :: t
  def new(%Outline{items: items} = outline, width, proven \\ %{}, amendments \\ []) do
    edges = for {key, item} <- items, awaited <- awaited(item), do: {awaited, key}

    nodes =
      Map.new(items, fn {key, item} ->
        waits = length(awaited(item)) + if(key == :root, do: 0, else: 1)
        {key, %{@fresh | waits: waits, open: length(item.children)}}
      end)

    %__MODULE__{
      outline: outline,
      width: width,
      proven: proven,
      amendments: amendments,
      held: for(amendment <- Enum.reverse(amendments), id <- amendment.above, into: %{}, do: {id, amendment}),
      nodes: nodes,
      ready: :queue.new(),
      dependents: edges |> Enum.sort() |> Enum.group_by(&elem(&1, 0), &elem(&1, 1))
    }
  end

  defp awaited(%{before: nil, blockers: blockers}), do: blockers
  defp awaited(%{before: before, blockers: blockers}), do: Enum.uniq([before | blockers])

  @doc "The run after an event, and what to do about it. An event that comes too late changes nothing."
  @spec apply_event(t, event) :: {t, [effect]}
  def apply_event(%__MODULE__{} = run, event) do
    run = run |> happen(event) |> dispatch()
    {%{run | effects: []}, Enum.reverse(run.effects)}
  end

  # A task that is already DONE or CANCELLED stays so even if one of its blockers is open: blockers decide whether work may
  # start, never whether finished work counts. So all of those end first, and the order of the rest does not matter.
  defp happen(%{state: :new} = run, :begin) do
    run.outline.order |> Enum.reduce(%{run | state: :running}, &skip(&2, &1)) |> start(:root)
  end

  defp happen(%{state: :running} = run, {:worked, key, result}) when is_map_key(run.nodes, key),
    do: if(phase(run, key) == :working, do: worked(run, key, result), else: run)

  defp happen(%{state: :running} = run, {:checked, key, result}) when is_map_key(run.nodes, key),
    do: if(phase(run, key) == :checking, do: checked(run, key, result), else: run)

  defp happen(%{state: state} = run, {:recorded, key, outcome, reason, warnings, changed})
       when state in [:running, :cancelling] and is_map_key(run.nodes, key) do
    notes = %{warnings: warnings, changed: changed}
    if phase(run, key) == :recording, do: recorded(run, key, outcome, reason, notes), else: run
  end

  # What the plan says when the run begins is known to whoever reads its tasks, and is no event.
  defp happen(%{state: :new} = run, {:plan, headlines}), do: know(run, headlines)

  defp happen(run, {:plan, headlines}),
    do: run |> know(headlines) |> effect({:publish, {:plan_changed, %{changed: headlines}}})

  # Verdicts that are being written down when a run is cancelled are still heard of. Every other task that is open ends
  # here, those inside others first, and is told like any that will not begin.
  defp happen(%{state: :running} = run, :cancel) do
    verdict = %{state: :blocked, reason: "the run was cancelled", how: nil, output: ""}
    open = Enum.filter([:root | run.outline.order], &(phase(run, &1) not in [:ended, :recording]))
    stop = fn key, run -> run |> end_node(key, verdict) |> announce(key, verdict, @nothing) end
    run = open |> Enum.reverse() |> Enum.reduce(run, stop)
    cancelled(%{run | ready: :queue.new(), state: :cancelling})
  end

  defp happen(run, _late), do: run

  defp worked(run, key, {:error, reason}), do: record(run, key, :failed, reason, "worker", "")

  defp worked(run, key, {:ok, output}) do
    run = update(run, key, &%{&1 | output: output})
    if item(run, key).check, do: check(run, key), else: record(run, key, :done, nil, "worker", output)
  end

  defp checked(run, key, {:pass, how}), do: record(run, key, :done, nil, how, output(run, key))

  # A task whose DONE was only claimed and that does not pass its check is worked on like any other.
  defp checked(run, key, {:fail, reason}) do
    if run.nodes[key].claimed,
      do: run |> update(key, &%{&1 | claimed: false}) |> work(key),
      else: record(run, key, :failed, reason, "check", output(run, key))
  end

  defp recorded(run, key, outcome, reason, notes) do
    node = run.nodes[key]
    run = know(%{run | recording: run.recording - 1}, notes.changed)
    verdict = %{node.verdict | state: outcome, reason: reason}

    if run.state == :cancelling,
      do: run |> end_node(key, verdict) |> announce(key, verdict, notes) |> cancelled(),
      else: ended(run, key, verdict, notes)
  end

  defp know(run, headlines) do
    known = Map.new(headlines, &{&1.id, {&1.keyword, &1.cookies}})
    %{run | headlines: Map.merge(run.headlines, known)}
  end

  defp cancelled(%{recording: 0} = run), do: finish(run, :cancelled)
  defp cancelled(run), do: run

  defp skip(run, key) do
    item = item(run, key)

    cond do
      item.kind == :leaf and item.claim == :done and (item.cancelled or proven?(run, item)) ->
        settled(run, key, :done, "already done")

      item.cancelled ->
        settled(run, key, :cancelled, nil)

      true ->
        run
    end
  end

  # One of those that a node waits for has ended, or its parent has begun.
  defp release(run, key) do
    node = run.nodes[key]

    cond do
      node.phase == :ended -> run
      node.waits > 1 -> put_in(run.nodes[key].waits, node.waits - 1)
      true -> start(put_in(run.nodes[key].waits, 0), key)
    end
  end

  defp start(run, key) do
    case item(run, key) do
      %{kind: :leaf, claim: :done} ->
        run |> update(key, &%{&1 | claimed: true}) |> enqueue(key, :check)

      %{kind: :leaf} ->
        enqueue(run, key, :work)

      %{children: []} ->
        settle(run, key)

      %{children: children} ->
        children |> Enum.reduce(phase(run, key, :working), &release(&2, &1)) |> begun(key)
    end
  end

  # Blockers may have ended all the children before their parent began.
  defp begun(run, key) do
    case run.nodes[key] do
      %{open: 0, phase: :working} -> settle(run, key)
      _ -> run
    end
  end

  # A DONE without a check cannot be asked again: a person's word stands, and the audit names it.
  defp proven?(_run, %{check: nil}), do: true
  defp proven?(run, %{check: %{how: how}, task: task}), do: run.proven[task.id] == how
  defp proven?(_run, %{check: {:unfit, _}}), do: false

  # All children have ended.
  defp settle(run, key) do
    node = run.nodes[key]

    case item(run, key) do
      %{key: :root} -> run |> phase(key, :ended) |> finish(state_of_run(run, node.sound))
      %{kind: :structure} -> settled(run, key, if(node.sound, do: :done, else: :partial), nil)
      composite when node.sound -> settle_composite(run, composite)
      _ -> record(run, key, :partial, "not all of its tasks are done", @children, "")
    end
  end

  defp state_of_run(%{amendments: []}, true), do: :done
  defp state_of_run(_run, _sound), do: :partial

  defp settle_composite(%{held: held} = run, %{key: key, task: task}) when is_map_key(held, task.id) do
    %{id: id, reason: reason} = held[task.id]
    record(run, key, :partial, "`#{id}` below it was amended: #{reason}", @children, "")
  end

  defp settle_composite(run, %{key: key, claim: claim, check: check, task: task} = composite) do
    recorded? = is_map_key(run.proven, task.id)

    cond do
      claim == :done and recorded? and proven?(run, composite) -> already_done(run, key)
      check -> enqueue(run, key, :check)
      true -> record(run, key, :done, nil, @children, "")
    end
  end

  # Ended with nothing to write down.
  defp settled(run, key, outcome, reason),
    do: ended(run, key, %{state: outcome, reason: reason, how: nil, output: ""}, :quiet)

  # Whoever heard that it started hears that it is over.
  defp already_done(run, key) do
    heard = if run.nodes[key].announced, do: @nothing, else: :quiet
    ended(run, key, %{state: :done, reason: "already done", how: nil, output: ""}, heard)
  end

  defp ended(run, key, verdict, notes) do
    run = run |> end_node(key, verdict) |> announce(key, verdict, notes)
    run = run.dependents |> Map.get(key, []) |> Enum.reduce(run, &awaited_ended(&2, &1, key, verdict.state))
    child_ended(run, item(run, key).parent, verdict.state in @sound)
  end

  defp end_node(run, key, verdict), do: update(run, key, &%{&1 | phase: :ended, verdict: verdict})

  defp awaited_ended(run, key, _awaited, outcome) when outcome in @sound, do: release(run, key)

  defp awaited_ended(run, key, awaited, outcome) do
    if phase(run, key) == :ended do
      run
    else
      block(run, key, "it waits for `#{item(run, awaited).task.id}`, which is #{outcome}")
    end
  end

  defp child_ended(run, parent, sound?) do
    node = run.nodes[parent]
    node = %{node | open: node.open - 1, sound: node.sound and sound?}
    run = put_in(run.nodes[parent], node)
    # A parent that is ended already took its children with it.
    if node.open == 0 and node.phase == :working, do: settle(run, parent), else: run
  end

  # Ends a node that will not begin, and everything below it. Children first, so that they find no parent to settle.
  defp block(run, key, reason) do
    run =
      item(run, key).children
      |> Enum.reject(&(phase(run, &1) == :ended))
      |> Enum.reduce(run, &block(&2, &1, reason))

    ended(run, key, %{state: :blocked, reason: reason, how: nil, output: ""}, @nothing)
  end

  defp enqueue(run, key, what), do: %{phase(run, key, :ready) | ready: :queue.in({what, key}, run.ready)}

  # Work goes on while verdicts are written, but not so far ahead that a crash would undo much of it.
  defp dispatch(%{state: :running, busy: busy, width: width} = run)
       when busy < width and run.recording < width do
    case :queue.out(run.ready) do
      {:empty, _} ->
        run

      {{:value, {what, key}}, ready} ->
        run = update(%{run | ready: ready, busy: busy + 1}, key, &%{&1 | slot: true})
        dispatch(if what == :work, do: work(run, key), else: check(run, key))
    end
  end

  defp dispatch(run), do: run

  defp work(run, key), do: run |> phase(key, :working) |> started(key) |> effect({:work, key})

  defp check(run, key) do
    claimed = %{claimed: run.nodes[key].claimed}
    run = run |> phase(key, :checking) |> started_above(key)
    run = if item(run, key).kind == :composite, do: started(run, key), else: run
    run |> publish(:check_started, key, claimed) |> effect({:check, key})
  end

  # A composite starts when the first task below it does. Those further up are announced first; as soon as one is known to
  # be, all above it are.
  defp started(%{nodes: nodes} = run, key) do
    if nodes[key].announced do
      run
    else
      run
      |> started_above(key)
      |> update(key, &%{&1 | announced: true})
      |> publish(:task_started, key, %{})
    end
  end

  defp started_above(run, key) do
    case item(run, key).parent do
      nil ->
        run

      parent ->
        if item(run, parent).kind == :composite, do: started(run, parent), else: started_above(run, parent)
    end
  end

  defp record(run, key, state, reason, how, output) do
    run = if item(run, key).kind == :composite, do: started(run, key), else: run
    verdict = %{state: state, reason: reason, how: how, output: output}
    busy = run.busy - if(run.nodes[key].slot, do: 1, else: 0)
    run = update(run, key, &%{&1 | phase: :recording, verdict: verdict, slot: false})
    effect(%{run | busy: busy, recording: run.recording + 1}, {:record, key, verdict})
  end

  defp finish(run, state), do: effect(%{run | state: state}, {:finish, state})

  defp announce(run, _key, _verdict, :quiet), do: run

  defp announce(run, key, verdict, notes) do
    if item(run, key).kind == :structure,
      do: run,
      else: publish(run, :task_finished, key, Map.merge(verdict, notes))
  end

  defp publish(run, name, key, more),
    do: effect(run, {:publish, {name, run |> about(key) |> Map.merge(more)}})

  # The keys that every task has in events, status and results.
  defp about(run, key) do
    %{kind: kind, task: task} = item(run, key)
    {keyword, cookies} = Map.get(run.headlines, task.id, {task.state, []})

    task
    |> Map.take([:id, :idx, :title, :level, :line])
    |> Map.merge(%{kind: kind, state: shown(run.nodes[key]), keyword: keyword, cookies: cookies})
  end

  @doc "A task as it is now, without its output: what events of a task carry."
  @spec about_task(t, key) :: map
  def about_task(run, key), do: about(run, key)

  defp effect(run, effect), do: %{run | effects: [effect | run.effects]}
  defp item(run, key), do: run.outline.items[key]
  defp output(run, key), do: run.nodes[key].output
  defp phase(run, key), do: run.nodes[key].phase
  defp phase(run, key, phase), do: update(run, key, &%{&1 | phase: phase})
  defp update(run, key, fun), do: %{run | nodes: Map.update!(run.nodes, key, fun)}

  @doc "Every task as it is now, in document order."
  @spec tasks(t) :: [map]
  def tasks(run), do: Enum.map(run.outline.tasks, &report(run, &1))

  defp report(run, key) do
    node = run.nodes[key]

    %{output: output, reason: reason, how: how} =
      node.verdict || %{output: node.output, reason: nil, how: nil}

    run |> about(key) |> Map.merge(%{output: output, reason: reason, how: how})
  end

  defp shown(%{phase: :ended, verdict: verdict}), do: verdict.state
  defp shown(%{phase: phase}) when phase in [:working, :checking, :recording], do: :running
  defp shown(_node), do: :waiting
end
