defmodule Workbooks.Run.State do
  @moduledoc false
  # A run as a pure reducer. `apply_event/2` takes what happened and gives what to do next; it never looks at a clock, a
  # file or a process. An event costs the tasks it touches, not the tasks there are.
  #
  #     waiting -> ready -> working -> checking -> recording -> ended
  #
  # A node waits for its parent to begin, for its blockers and for the sibling before it in an ordered sequence: `waits`
  # counts them. A parent ends when its `open` children have. Nothing that did not end soundly lets anybody begin.

  alias Workbooks.Run.Outline

  @type key :: Outline.key()
  @type outcome :: :done | :failed | :partial | :blocked | :cancelled
  @type phase :: :waiting | :ready | :working | :checking | :recording | :ended

  @typedoc "What happened."
  @type event ::
          :begin
          | {:worked, key, {:ok, String.t()} | {:error, String.t()}}
          | {:checked, key, {:pass, String.t()} | {:fail, String.t()}}
          | {:recorded, key, outcome, reason :: String.t() | nil, warnings :: [String.t()]}
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

  @enforce_keys [:outline, :width, :proven, :nodes, :dependents, :ready]
  defstruct [
    :outline,
    :width,
    :proven,
    :nodes,
    :dependents,
    :ready,
    busy: 0,
    recording: 0,
    state: :new,
    effects: []
  ]

  @type t :: %__MODULE__{}

  # `sound` until a child is not; `slot` while it takes one of the run's places; `claimed` while only its DONE speaks for it.
  @fresh %{
    phase: :waiting,
    waits: 0,
    open: 0,
    sound: true,
    slot: false,
    claimed: false,
    output: "",
    verdict: nil
  }

  @sound [:done, :cancelled]
  @children "children"

  @doc """
  A run that has not begun. `proven` has, for each task whose last verdict was DONE, how it was earned: a DONE in the
  plan that has a check counts only if this very check was passed.
  """
  @spec new(Outline.t(), pos_integer, %{String.t() => String.t()}) :: t
  def new(%Outline{items: items} = outline, width, proven \\ %{}) do
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

  # What is over already is over whatever it would wait for; so the order of the rest cannot matter.
  defp happen(%{state: :new} = run, :begin) do
    run.outline.order |> Enum.reduce(%{run | state: :running}, &skip(&2, &1)) |> start(:root)
  end

  defp happen(%{state: :running} = run, {:worked, key, result}) when is_map_key(run.nodes, key),
    do: if(phase(run, key) == :working, do: worked(run, key, result), else: run)

  defp happen(%{state: :running} = run, {:checked, key, result}) when is_map_key(run.nodes, key),
    do: if(phase(run, key) == :checking, do: checked(run, key, result), else: run)

  defp happen(%{state: state} = run, {:recorded, key, outcome, reason, warnings})
       when state in [:running, :cancelling] and is_map_key(run.nodes, key) do
    if phase(run, key) == :recording, do: recorded(run, key, outcome, reason, warnings), else: run
  end

  # Verdicts that are being written down still come.
  defp happen(%{state: :running} = run, :cancel) do
    verdict = %{state: :blocked, reason: "the run was cancelled", how: nil, output: ""}

    nodes =
      Map.new(run.nodes, fn
        {key, %{phase: phase} = node} when phase in [:ended, :recording] -> {key, node}
        {key, node} -> {key, %{node | phase: :ended, verdict: verdict}}
      end)

    cancelled(%{run | nodes: nodes, ready: :queue.new(), state: :cancelling})
  end

  defp happen(run, _late), do: run

  defp worked(run, key, {:error, reason}), do: record(run, key, :failed, reason, "worker", "")

  defp worked(run, key, {:ok, output}) do
    run = update(run, key, &%{&1 | output: output})
    if item(run, key).check, do: check(run, key), else: record(run, key, :done, nil, "worker", output)
  end

  defp checked(run, key, {:pass, how}), do: record(run, key, :done, nil, how, output(run, key))

  # A DONE that was only claimed: now it is work like any other.
  defp checked(run, key, {:fail, reason}) do
    if run.nodes[key].claimed,
      do: run |> update(key, &%{&1 | claimed: false}) |> work(key),
      else: record(run, key, :failed, reason, "check", output(run, key))
  end

  defp recorded(run, key, outcome, reason, warnings) do
    node = run.nodes[key]
    run = %{run | recording: run.recording - 1}
    verdict = %{node.verdict | state: outcome, reason: reason}

    if run.state == :cancelling,
      do: run |> end_node(key, verdict) |> announce(key, verdict, warnings) |> cancelled(),
      else: ended(run, key, verdict, warnings)
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

  # Whoever is waited for has ended, or the parent has begun.
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

  # Without a check there is nothing to ask again: a person's DONE stands, and the audit names it.
  defp proven?(_run, %{check: nil}), do: true
  defp proven?(run, %{check: %{how: how}, task: task}), do: run.proven[task.id] == how
  defp proven?(_run, %{check: {:unfit, _}}), do: false

  # All children have ended.
  defp settle(run, key) do
    node = run.nodes[key]

    case item(run, key) do
      %{key: :root} -> run |> phase(key, :ended) |> finish(if(node.sound, do: :done, else: :partial))
      %{kind: :structure} -> settled(run, key, if(node.sound, do: :done, else: :partial), nil)
      composite when node.sound -> settle_composite(run, composite)
      _ -> record(run, key, :partial, "not all of its tasks are done", @children, "")
    end
  end

  defp settle_composite(run, %{key: key, claim: claim, check: check, task: task} = composite) do
    recorded? = is_map_key(run.proven, task.id)

    cond do
      claim == :done and recorded? and proven?(run, composite) -> settled(run, key, :done, "already done")
      check -> enqueue(run, key, :check)
      true -> record(run, key, :done, nil, @children, "")
    end
  end

  # Ended with nothing to write down.
  defp settled(run, key, outcome, reason),
    do: ended(run, key, %{state: outcome, reason: reason, how: nil, output: ""}, :quiet)

  defp ended(run, key, verdict, warnings) do
    run = run |> end_node(key, verdict) |> announce(key, verdict, warnings)
    run = run.dependents |> Map.get(key, []) |> Enum.reduce(run, &told(&2, &1, key, verdict.state))
    child_ended(run, item(run, key).parent, verdict.state in @sound)
  end

  defp end_node(run, key, verdict), do: update(run, key, &%{&1 | phase: :ended, verdict: verdict})

  defp told(run, key, _awaited, outcome) when outcome in @sound, do: release(run, key)

  defp told(run, key, awaited, outcome) do
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

    ended(run, key, %{state: :blocked, reason: reason, how: nil, output: ""}, [])
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

  defp work(run, key),
    do: run |> phase(key, :working) |> publish(:task_started, key, %{}) |> effect({:work, key})

  defp check(run, key) do
    claimed = %{claimed: run.nodes[key].claimed}
    run |> phase(key, :checking) |> publish(:check_started, key, claimed) |> effect({:check, key})
  end

  defp record(run, key, state, reason, how, output) do
    verdict = %{state: state, reason: reason, how: how, output: output}
    busy = run.busy - if(run.nodes[key].slot, do: 1, else: 0)
    run = update(run, key, &%{&1 | phase: :recording, verdict: verdict, slot: false})
    effect(%{run | busy: busy, recording: run.recording + 1}, {:record, key, verdict})
  end

  defp finish(run, state), do: effect(%{run | state: state}, {:finish, state})

  defp announce(run, _key, _verdict, :quiet), do: run

  defp announce(run, key, verdict, warnings) do
    if item(run, key).kind == :structure,
      do: run,
      else: publish(run, :task_finished, key, Map.put(verdict, :warnings, warnings))
  end

  defp publish(run, name, key, more) do
    %{task: %{id: id, idx: idx, title: title}} = item(run, key)
    effect(run, {:publish, {name, Map.merge(%{task: id, idx: idx, title: title}, more)}})
  end

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
    %{output: output, reason: reason} = node.verdict || %{output: node.output, reason: nil}

    item(run, key).task
    |> Map.take([:id, :idx, :title])
    |> Map.merge(%{state: shown(node), output: output, reason: reason})
  end

  defp shown(%{phase: :ended, verdict: verdict}), do: verdict.state
  defp shown(%{phase: phase}) when phase in [:working, :checking, :recording], do: :running
  defp shown(_node), do: :waiting
end
