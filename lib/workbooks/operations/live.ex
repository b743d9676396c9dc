defmodule Workbooks.Operations.Live do
  @moduledoc false
  # The operations that this application owns. Their parameters have been checked against their types; what is given
  # back is checked as well. `tell` is a function of an event.

  alias Workbooks.{Deploy, Error, Operations, Run}
  alias Workbooks.Workflow.{ShellWorker, WaitingWorker}

  @type tell :: (map -> :ok)

  @workers %{"shell" => ShellWorker, "wait" => WaitingWorker}

  @names ~w(run.start run.resume run.report run.close run.cancel run.status run.list run.subscribe workbook.deploy
            workbook.rollback workbook.run workbook.show schedule.next)

  @doc "The operations that are here. A test holds them against the table."
  @spec names() :: [String.t()]
  def names, do: @names

  @spec perform(String.t(), map, tell) :: {:ok, term} | {:error, Error.t()}
  def perform("run.start", params, tell),
    do: follow(Run.start(params["plan"], running(params)), tell)

  def perform("run.resume", params, tell),
    do: follow(Run.resume(params["plan"], running(params)), tell)

  def perform("run.report", params, _tell) do
    with {:ok, word} <- word(params),
         :ok <- Run.report_when_waiting(params["run"], params["task"], word),
         do: {:ok, %{}}
  end

  def perform("run.close", %{"run" => run, "reports" => reports}, _tell) do
    with :ok <- Run.end_reports(run, reports), do: {:ok, %{}}
  end

  def perform("run.cancel", %{"run" => run}, _tell) do
    with :ok <- Run.cancel(run), do: {:ok, %{}}
  end

  def perform("run.status", %{"run" => run}, _tell), do: Run.status(run)

  def perform("run.list", _params, _tell), do: Run.list()

  def perform("run.subscribe", params, tell) do
    case params do
      %{"run" => run, "plan" => plan} when is_binary(run) and is_binary(plan) ->
        {:error, Error.new(:bad_option, "events are those of a `run`, or of a `plan`", "say one of the two")}

      %{"run" => run} when is_binary(run) ->
        listen(run, params["after"], tell)

      %{"after" => seq} when is_integer(seq) ->
        {:error, Error.new(:bad_option, "`after` is the number of an event of one `run`", "name the run")}

      %{"plan" => plan} when is_binary(plan) ->
        with :ok <- Run.subscribe_plan(plan), do: hear(tell)

      _everything ->
        with :ok <- Run.subscribe_all(), do: hear(tell)
    end
  end

  def perform("workbook.deploy", params, _tell) do
    options = for key <- [:dir, :grant, :force, :identity, :why, :by], do: {key, params[Atom.to_string(key)]}
    types = if params["structural"], do: :structural, else: :exact
    with {:ok, source} <- source(params), do: Deploy.deploy(params["id"], source, [{:types, types} | options])
  end

  def perform("workbook.rollback", params, _tell),
    do: Deploy.rollback(params["id"], by: params["by"], why: params["why"])

  def perform("workbook.run", params, _tell) do
    options = if params["workflow"], do: [workflow: params["workflow"]], else: []
    with {:ok, result} <- Deploy.run(params["id"], params["input"], options), do: {:ok, ran(result)}
  end

  def perform("workbook.show", %{"id" => id}, _tell) do
    with {:ok, live} <- Deploy.live(id) do
      {:ok, live |> Map.take([:id, :version, :profile, :granted]) |> Map.put(:org, live.plan)}
    end
  end

  def perform("schedule.next", %{"id" => id}, _tell) when is_binary(id) do
    with {:ok, entries} <- Deploy.next(id), do: {:ok, Enum.map(entries, &due/1)}
  end

  def perform("schedule.next", _all, _tell), do: {:ok, Enum.flat_map(Deploy.Store.ids(), &expected/1)}

  # Runs

  defp running(params) do
    given = for key <- [:workdir, :width, :history], value = params[Atom.to_string(key)], do: {key, value}
    [subscribe: true, worker: Map.fetch!(@workers, params["worker"] || "shell")] ++ given
  end

  @over [:run_finished, :run_refused]

  # What a run tells, until it is over. If nobody waits for it any more it is cancelled, and can be resumed.
  defp follow({:ok, run}, tell) do
    with {_name, _data} <- told(run, Run.monitor(run), tell, fn -> cancel(run) end),
         do: outcome(Run.await(run))
  end

  defp follow({:error, %Error{}} = error, _tell), do: error

  # A run that is over may have said so before anybody listened. Its status says what the last event said.
  defp listen(run, seq, tell) do
    with :ok <- Run.subscribe(run, after: seq), {:ok, status} <- Run.status(run) do
      if status.state == :running or (seq != nil and seq < status.seq),
        do: listened(told(run, Run.monitor(run), tell, &nobody_listens/0)),
        else: {:ok, %{run: run, state: status.state, seq: status.seq}}
    end
  end

  defp listened({:run_finished, data}), do: {:ok, Map.take(data, [:run, :state, :seq])}
  defp listened({:run_refused, data}), do: {:error, Error.new(data.code, data.reason, "see the log")}
  defp listened({:error, %Error{}} = error), do: error

  # Hands events on until the run is over, and gives the last one. A run that gave up says nothing.
  defp told(run, monitor, tell, over) do
    receive do
      {:workbooks, ^run, {name, data}} ->
        tell.(Map.put(data, :event, name))
        if name in @over, do: {name, data}, else: told(run, monitor, tell, over)

      {:DOWN, ^monitor, :process, _family, _reason} ->
        {:error,
         Error.new(
           :unknown_run,
           "the run `#{run}` gave up",
           "run the plan again: it goes on where it stopped"
         )}

      {Operations, :over} ->
        with :go_on <- over.(), do: told(run, monitor, tell, over)
    end
  end

  defp cancel(run) do
    Run.cancel(run)
    :go_on
  end

  defp nobody_listens, do: {:error, Error.new(:cancelled, "nobody listens any more", "subscribe again")}

  # Hands events on for as long as somebody listens.
  defp hear(tell) do
    receive do
      {:workbooks, _run, {name, data}} ->
        tell.(Map.put(data, :event, name))
        hear(tell)

      {Operations, :over} ->
        nobody_listens()
    end
  end

  defp outcome({:ok, result}), do: {:ok, Map.drop(result, [:org])}
  defp outcome({:error, _} = error), do: error

  defp word(%{"ok" => text, "error" => nil}) when is_binary(text), do: {:ok, {:ok, text}}

  defp word(%{"error" => text} = word) when is_binary(text) and not is_map_key(word, "ok"),
    do: {:ok, {:error, text}}

  defp word(%{"error" => text, "ok" => nil}) when is_binary(text), do: {:ok, {:error, text}}

  defp word(%{"ok" => text} = word) when is_binary(text) and not is_map_key(word, "error"),
    do: {:ok, {:ok, text}}

  defp word(_params),
    do: {:error, Error.new(:bad_option, "a report has `ok` or `error`, a text", "say one of the two")}

  # Workbooks

  defp source(%{"source" => path}) when is_binary(path), do: {:ok, path}
  defp source(%{"org" => org}) when is_binary(org), do: {:ok, {:org, org}}

  defp source(_params),
    do:
      {:error,
       Error.new(:bad_option, "a deploy names a `source`, or gives the text of a plan as `org`", "say one")}

  # A component's outcome is `output` or `error`.
  defp ran(%{tasks: tasks, workflows: workflows} = result) do
    outcomes =
      Map.new(tasks, fn
        {name, {:error, why}} -> {name, %{error: why}}
        {name, output} -> {name, %{output: output}}
      end)

    %{result | tasks: outcomes, workflows: Enum.map(workflows, &ran/1)}
  end

  # One workbook that cannot be read does not hide the others.
  defp expected(id) do
    case Deploy.next(id) do
      {:ok, entries} ->
        Enum.map(entries, &due/1)

      {:error, %Error{message: message}} ->
        [%{workbook: id, workflow: nil, path: [], schedule: nil, next: nil, last: nil, problem: message}]
    end
  end

  defp due(entry) do
    entry
    |> Map.take([:workbook, :workflow, :path, :schedule])
    |> Map.merge(%{
      next: time(entry.next),
      last: time(entry.last),
      problem: entry.problem && entry.problem.message
    })
  end

  defp time(nil), do: nil
  defp time(%DateTime{} = time), do: DateTime.to_iso8601(time)
end
