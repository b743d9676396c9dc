defmodule Workbooks.Operations.Live do
  @moduledoc false
  # The operations that this application owns. Their parameters have been checked against their types; what is given
  # back is checked as well. `tell` is a function of an event.

  alias Workbooks.{Deploy, Error, Operations, Run}
  alias Workbooks.Workflow.{ShellWorker, WaitingWorker}

  @type tell :: (map -> :ok)

  @workers %{"shell" => ShellWorker, "wait" => WaitingWorker}

  @names ~w(run.start run.resume run.report run.close run.cancel run.status run.list workbook.deploy workbook.rollback
            workbook.run workbook.show schedule.next)

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

  defp follow({:ok, run}, tell) do
    receive do
      {:workbooks, ^run, {:run_finished, data}} ->
        tell.(Map.put(data, :event, :run_finished))
        outcome(Run.await(run))

      {:workbooks, ^run, {name, data}} ->
        tell.(Map.merge(data, %{event: name, run: run}))
        follow({:ok, run}, tell)

      # Nobody waits for it any more. It can be resumed.
      {Operations, :over} ->
        Run.cancel(run)
        follow({:ok, run}, tell)
    end
  end

  defp follow({:error, %Error{}} = error, _tell), do: error

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
