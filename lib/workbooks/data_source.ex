defmodule Workbooks.DataSource do
  @moduledoc """
  A source of rows that can be asked in SQL.

  The source of a federation toolkit is HTTP and JSON, see `Workbooks.Toolkits.query/3`. One that is something else is a
  module of yours; `query/3` of this module asks whichever is meant:

      Workbooks.DataSource.query("quakes", "SELECT id FROM quakes", [])
      Workbooks.DataSource.query(MyApp.Tickets, "SELECT id FROM tickets", team: "core")
  """

  alias Workbooks.Toolkits

  @type answer :: %{String.t() => term}

  @doc "Answers a SELECT over an entity of the source: `columns` and `rows`."
  @callback query(entity :: String.t(), sql :: String.t(), opts :: keyword) :: {:ok, answer} | {:error, term}

  @doc "Asks a toolkit by its name, or a module of this behaviour."
  @spec query(String.t() | module, String.t(), keyword) :: {:ok, answer} | {:error, term}
  def query(toolkit, sql, opts) when is_binary(toolkit), do: Toolkits.query(toolkit, sql, opts)

  def query(module, sql, opts) when is_atom(module) do
    with {:ok, entity} <- entity(sql), do: module.query(entity, sql, opts)
  end

  @doc """
  The entity that a SELECT is about: the first name after FROM.

      iex> Workbooks.DataSource.entity("SELECT a FROM tickets WHERE b = 'from x'")
      {:ok, "tickets"}
      iex> {:error, error} = Workbooks.DataSource.entity("SELECT 1")
      iex> error.code
      :sql
  """
  @spec entity(String.t()) :: {:ok, String.t()} | {:error, Workbooks.Error.t()}
  def entity(sql) do
    case Regex.run(~r/\bFROM\s+"?([A-Za-z_][A-Za-z0-9_]*)/i, sql) do
      [_, entity] -> {:ok, entity}
      nil -> {:error, Workbooks.Error.new(:sql, "the query names no entity", "write SELECT .. FROM entity")}
    end
  end
end
