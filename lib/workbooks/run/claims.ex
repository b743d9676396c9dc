defmodule Workbooks.Run.Claims do
  @moduledoc false
  # Which DONEs of a plan somebody saw being earned: the plan's headlines held against the last verdict on each task in
  # the history. Copies beside the plan prove nothing.

  alias Workbooks.{Error, History, Operations}

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
  @spec audit(Path.t(), Path.t() | nil) :: {:ok, [claim]} | {:error, Error.t()}
  def audit(plan, history) do
    with {:ok, %{"tasks" => tasks}} <- Operations.call("plan.status", %{plan: plan}, history: history),
         do:
           {:ok,
            for(
              {%{"unproven" => reason} = task, idx} when reason != nil <- Enum.with_index(tasks),
              do: claim(task, idx)
            )}
  end

  defp claim(task, idx) do
    %{
      id: task["id"],
      idx: idx,
      title: task["title"],
      line: task["line"],
      state: task["state"],
      reason: task["unproven"]
    }
  end

  defp verdicts(plan, history) do
    case History.last_verdicts(plan, if(history, do: [history: history], else: [])) do
      {:ok, rows} -> {:ok, rows}
      {:error, %Error{code: :no_history}} -> {:ok, []}
      {:error, error} -> {:error, error}
    end
  end
end
