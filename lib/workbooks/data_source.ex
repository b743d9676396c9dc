defmodule Workbooks.DataSource do
  @moduledoc """
  A source of rows that can be asked in SQL.

  The source of a federation toolkit is HTTP and JSON, see `Workbooks.Toolkits.query/3`. One that is something else is a
  module of yours; `query/3` of this module asks whichever is meant:

      Workbooks.DataSource.query("quakes", "SELECT id FROM quakes", [])
      Workbooks.DataSource.query(MyApp.Tickets, "SELECT id FROM tickets", team: "core")
  """

  alias Workbooks.{Error, Toolkits}

  @type answer :: %{String.t() => term}

  @doc "Answers a SELECT over an entity of the source: `columns` and `rows`."
  @callback query(entity :: String.t(), sql :: String.t(), opts :: keyword) :: {:ok, answer} | {:error, term}

  @doc """
  Asks a toolkit by its name, or a module of this behaviour. What else than a `Workbooks.Error` a module refuses with is
  the error `:fetch_failed`, with the reason in its `details`.
  """
  @spec query(String.t() | module, String.t(), keyword) :: {:ok, answer} | {:error, Error.t()}
  def query(toolkit, sql, opts) when is_binary(toolkit), do: Toolkits.query(toolkit, sql, opts)

  def query(module, sql, opts) when is_atom(module) do
    with {:ok, entity} <- entity(sql),
         {:error, reason} <- module.query(entity, sql, opts),
         do: {:error, refused(module, reason)}
  end

  defp refused(_module, %Error{} = error), do: error

  defp refused(module, reason) do
    text = "#{inspect(module)} gave no rows: #{inspect(reason, limit: 10, printable_limit: 200)}"
    Error.new(:fetch_failed, text, "see what that source says", %{reason: reason})
  end

  @doc "`query/3`, or it raises."
  @spec query!(String.t() | module, String.t(), keyword) :: answer
  def query!(source, sql, opts), do: Error.bang(query(source, sql, opts))

  @doc """
  The entity that a SELECT is about: the first name after FROM.

      iex> Workbooks.DataSource.entity("SELECT a FROM tickets WHERE b = 'from x'")
      {:ok, "tickets"}
      iex> {:error, error} = Workbooks.DataSource.entity("SELECT 1")
      iex> error.code
      :sql
  """
  @spec entity(String.t()) :: {:ok, String.t()} | {:error, Error.t()}
  def entity(sql) do
    case Regex.run(~r/\bFROM\s+"?([A-Za-z_][A-Za-z0-9_]*)/i, sql) do
      [_, entity] -> {:ok, entity}
      nil -> {:error, Error.new(:sql, "the query names no entity", "write SELECT .. FROM entity")}
    end
  end

  use Workbooks.Bang, entity: 1
end
