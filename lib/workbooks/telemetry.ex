defmodule Workbooks.Telemetry do
  @moduledoc """
  Did this check ever pass? What the runs of a plan left, as rows with string keys.

  Where to look is a plan, a directory of plans, or a `_telemetry.db`. A plan answers for itself alone, from the sealed logs in
  the history directory. Only for a directory in which no plan has a history is the copy in it read: a copy is for
  looking, and proves nothing.
  """

  alias Workbooks.{Error, History}

  @typedoc """
  A verdict: `"run_id"`, `"task_id"`, `"idx"`, `"title"`, `"state"`, `"output"`, `"ts"`, `"how"`, `"reason"`.
  """
  @type row :: %{String.t() => term}

  @doc """
  Every verdict on a task, the oldest first.

  ## Options

    * `:history` - the history directory; by default the user's
  """
  @spec history(Path.t(), String.t(), history: Path.t()) :: {:ok, [row]} | {:error, Error.t()}
  def history(at, task, opts \\ []) when is_binary(at) and is_binary(task),
    do: History.ask({:task, Path.expand(at), task}, opts)

  @doc "Every verdict on every task, the oldest first."
  @spec events(Path.t(), history: Path.t()) :: {:ok, [row]} | {:error, Error.t()}
  def events(at, opts \\ []) when is_binary(at), do: History.ask({:events, Path.expand(at)}, opts)

  @doc """
  Runs one SQL statement that only reads, and gives its rows. The tables are `task_events`, `step_events`, `verdicts` and
  `runs`; see `docs/history.md`.
  """
  @spec query(Path.t(), String.t(), history: Path.t()) :: {:ok, [[term]]} | {:error, Error.t()}
  def query(at, sql, opts \\ []) when is_binary(at) and is_binary(sql) do
    with {:ok, %{"rows" => rows}} <- History.ask({:query, Path.expand(at), sql}, opts), do: {:ok, rows}
  end

  use Workbooks.Bang, history: 2, history: 3, events: 1, events: 2, query: 2, query: 3
end
