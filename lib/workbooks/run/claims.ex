defmodule Workbooks.Run.Claims do
  @moduledoc false
  # Which DONEs of a plan somebody saw being earned: the plan's headlines held against the last verdict on each task in
  # the history. Copies beside the plan prove nothing.

  alias Workbooks.{Error, History}
  alias Workbooks.Run.{Outline, PlanFile}

  @type claim :: %{
          id: String.t(),
          idx: non_neg_integer,
          title: String.t(),
          line: pos_integer,
          state: String.t(),
          reason: String.t()
        }

  @doc "For each task whose last verdict was DONE: how it was earned."
  @spec proven(Path.t(), Path.t() | nil) :: {:ok, %{String.t() => String.t()}} | {:error, Error.t()}
  def proven(plan, history) do
    with {:ok, verdicts} <- verdicts(plan, history),
         do: {:ok, for(%{"state" => "DONE"} = row <- verdicts, into: %{}, do: {row["task_id"], row["how"]})}
  end

  @doc "The claims of a plan that no record supports."
  @spec audit(Path.t(), Path.t() | nil) :: [claim] | {:error, Error.t()}
  def audit(plan, history) do
    with {:ok, org} <- PlanFile.read(plan),
         {:ok, outline} <- Outline.read(org),
         {:ok, verdicts} <- verdicts(plan, history) do
      last = Map.new(verdicts, &{&1["task_id"], &1})

      for key <- outline.tasks,
          %{claim: :done, task: task} = item <- [outline.items[key]],
          reason = unproven(last[task.id], item.check) do
        %{id: task.id, idx: task.idx, title: task.title, line: task.line, state: task.state, reason: reason}
      end
    end
  end

  @doc "Why a record does not support a claim, or `nil` if it does."
  @spec unproven(map | nil, Workbooks.Workflow.Check.t()) :: String.t() | nil
  def unproven(_record, {:unfit, reason}), do: "its check cannot be passed: #{reason}"
  def unproven(nil, _check), do: "no run recorded it"
  def unproven(%{"state" => "DONE"}, nil), do: nil
  def unproven(%{"state" => "DONE", "how" => how}, %{how: how}), do: nil
  def unproven(%{"state" => "DONE"}, _check), do: "it was earned by another check"
  def unproven(%{"state" => state}, _check), do: "the last verdict is #{state}"

  @doc "The history directory that a run will use."
  @spec history(Path.t() | nil) :: {:ok, Path.t()} | {:error, Error.t()}
  def history(nil) do
    state =
      case {System.get_env("XDG_STATE_HOME"), System.get_env("HOME")} do
        {"/" <> _ = dir, _} -> dir
        {_, "/" <> _ = home} -> Path.join(home, ".local/state")
        _ -> nil
      end

    if state,
      do: {:ok, Path.join(state, "workbooks/history")},
      else: {:error, Error.new(:bad_option, "neither XDG_STATE_HOME nor HOME is set", "give `history:`")}
  end

  def history(dir), do: {:ok, dir}

  defp verdicts(plan, history) do
    case History.last_verdicts(plan, if(history, do: [history: history], else: [])) do
      {:ok, rows} -> {:ok, rows}
      {:error, %Error{code: :no_history}} -> {:ok, []}
      {:error, error} -> {:error, error}
    end
  end
end
