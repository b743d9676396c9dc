defmodule Workbooks.Plans do
  @moduledoc """
  Plans, and what the history knows of them.

      {:ok, plans} = Workbooks.Plans.list()
      {:ok, status} = Workbooks.Plans.status("plan.org")

  These are the operations `plan.list` and `plan.status`, which every door has; the answers are maps with string keys.
  `Workbooks.Run.subscribe_plan/1` tells what happens from then on.
  """

  alias Workbooks.{Error, Operations}

  @type option :: {:history, Path.t()}

  @doc ~S"""
  The plans that were run, the one that was run last first, each with its last run.

      iex> dir = Path.join(System.tmp_dir!(), "plans-doc-#{System.os_time()}")
      iex> File.mkdir_p!(dir)
      iex> plan = Path.join(dir, "plan.org")
      iex> File.write!(plan, "* TODO Ship\n")
      iex> Workbooks.Workflow.Todo.run(plan, run: fn _ -> "shipped" end, history: dir <> "-history")
      iex> {:ok, [known]} = Workbooks.Plans.list(history: dir <> "-history")
      iex> {known["exists"], known["runs"], known["last"]["state"]}
      {true, 1, "done"}
      iex> for dir <- [dir, dir <> "-history"], do: File.rm_rf!(dir)
      iex> :ok
      :ok

  A last run that is not `"closed"` is at work, or was cut off and can be resumed. `history:` names another history
  directory than the user's.
  """
  @spec list([option]) :: {:ok, [map]} | {:error, Error.t()}
  def list(opts \\ []), do: Operations.call("plan.list", %{}, directory(opts))

  @doc "The same, or raises."
  @spec list!([option]) :: [map]
  def list!(opts \\ []), do: Error.bang(list(opts))

  @doc """
  How a plan stands, as `wbx status` says it: each task with its last verdict, every DONE that nobody saw being earned,
  amendments, and logs that are not what was sealed. Takes the option of `list/1`.
  """
  @spec status(Path.t(), [option]) :: {:ok, map} | {:error, Error.t()}
  def status(plan, opts \\ []) when is_binary(plan),
    do: Operations.call("plan.status", %{plan: Path.expand(plan)}, directory(opts))

  @doc "The same, or raises."
  @spec status!(Path.t(), [option]) :: map
  def status!(plan, opts \\ []), do: Error.bang(status(plan, opts))

  defp directory(opts) do
    case Keyword.validate!(opts, history: nil)[:history] do
      nil -> []
      dir -> [history: Path.expand(dir)]
    end
  end
end
