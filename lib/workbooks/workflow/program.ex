defmodule Workbooks.Workflow.Program do
  @moduledoc false
  # A plan's workflow, compiled: it coheres, and its graph has no cycle.

  alias Workbooks.{Error, OQL}
  alias Workbooks.Workflow.{Graph, Refusal}

  @doc "The graph of the workflow of that title, or of the only one there is."
  @spec compile(OQL.org(), String.t() | nil) ::
          {:ok, Graph.t()} | {:error, Error.t()}
  def compile(org, title) do
    with [] <- OQL.validate(org),
         {:ok, graphs} <- all(org) do
      choose(graphs, title)
    else
      [_ | _] = diagnostics -> {:error, Refusal.invalid_plan(diagnostics)}
      {:error, error} -> {:error, error}
    end
  end

  @doc "The graphs of all workflows that stand in no other."
  @spec all(OQL.org()) :: {:ok, [Graph.t()]} | {:error, Error.t()}
  def all(org) do
    with %{"worlds" => worlds} <- OQL.tangle(org) do
      graphs = worlds |> Graph.with_keys() |> Enum.map(&Graph.new/1)
      Enum.find(graphs, {:ok, for({:ok, graph} <- graphs, do: graph)}, &match?({:error, _}, &1))
    end
  end

  @doc "One of them. Of two with one title it is the last, as the upgrade gate has it."
  @spec choose([Graph.t()], String.t() | nil) :: {:ok, Graph.t()} | {:error, Error.t()}
  def choose([graph], nil), do: {:ok, graph}

  def choose([], nil),
    do: {:error, Error.new(:not_found, "the plan has no workflow", "tag a headline :workflow:")}

  def choose(graphs, nil) do
    text = "the plan has #{length(graphs)} workflows: #{names(graphs)}"
    {:error, Error.new(:bad_option, text, "name one with `workflow:`")}
  end

  def choose(graphs, title) do
    case graphs |> Enum.filter(&(&1.world.name == title)) |> List.last() do
      nil -> {:error, Error.new(:not_found, "no workflow is called `#{title}`", "there is: #{names(graphs)}")}
      graph -> {:ok, graph}
    end
  end

  defp names(graphs), do: Enum.map_join(graphs, ", ", &"`#{&1.world.name}`")
end
