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

  defp in_plan(id, org) do
    with {:error, error} <- if(is_binary(org), do: Schedule.in_plan(org), else: org) do
      Logger.error("workbooks: the schedules of workbook `#{id}` cannot be read: #{error.message}")
      {:error, error}
    end
  end
end
