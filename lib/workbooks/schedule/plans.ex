defmodule Workbooks.Schedule.Plans do
  @moduledoc false
  # The plans that are live, read once for as long as their text stays the same.

  require Logger

  alias Workbooks.{Error, Schedule}
  alias Workbooks.Schedule.{Entry, Record}

  defstruct by_id: %{}

  @type t :: %__MODULE__{}

  @spec new() :: t
  def new, do: %__MODULE__{}

  @doc "Reads what the source gave."
  @spec read(t, [Schedule.live()]) :: t
  def read(plans, live) do
    %__MODULE__{by_id: Map.new(live, fn %{id: id, org: org} = one -> {id, {one, found(plans, id, org)}} end)}
  end

  @doc "Every workflow that runs by itself, by its key."
  @spec entries(t) :: %{Record.key() => Entry.t()}
  def entries(plans) do
    for {_id, {live, {:ok, found}}} <- plans.by_id, planned <- found, into: %{} do
      entry = Entry.new(live, planned)
      {entry.key, entry}
    end
  end

  @doc "Whether a workflow is among them."
  @spec has?(t, Record.key()) :: boolean
  def has?(plans, {id, path}) do
    case plans.by_id do
      %{^id => {_live, {:ok, found}}} -> Enum.any?(found, &(&1.path == path))
      _ -> false
    end
  end

  @doc "Why the schedules of a workbook cannot be read."
  @spec problem(t, String.t()) :: :ok | {:error, Error.t()}
  def problem(plans, id) do
    case plans.by_id do
      %{^id => {_live, {:ok, _}}} ->
        :ok

      %{^id => {_live, error}} ->
        error

      _ ->
        {:error, Error.new(:unknown_workbook, "no plan of a workbook `#{id}` is live", "deploy it first")}
    end
  end

  defp found(plans, id, org) do
    case plans.by_id do
      %{^id => {%{org: ^org}, found}} -> found
      _ -> in_plan(id, org)
    end
  end

  # Called once for each text of a plan, so each problem is logged once.
  defp in_plan(_id, {:error, _} = error), do: error

  defp in_plan(id, org) do
    case Schedule.in_plan(org) do
      {:ok, found} ->
        for %{problem: %Error{} = problem, workflow: workflow} <- found do
          Logger.error(
            "workbooks: the schedule of `#{workflow}` in `#{id}` cannot be read: #{problem.message}"
          )
        end

        {:ok, found}

      {:error, error} ->
        Logger.error("workbooks: the schedules of workbook `#{id}` cannot be read: #{error.message}")
        {:error, error}
    end
  end
end
