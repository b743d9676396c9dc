defmodule Workbooks.ConcurrencyTest do
  use ExUnit.Case, async: true

  alias Workbooks.{OQL, WorkedPlans}

  test "1,000 processes at once all get their own answer" do
    answers =
      1..1_000
      |> Enum.map(fn n ->
        Task.async(fn ->
          {n, OQL.validate(String.replace(WorkedPlans.broken(), "Orphan task", "Orphan #{n}"))}
        end)
      end)
      |> Task.await_many(60_000)

    for {n, [_, orphan]} <- answers, do: assert(orphan["scope"] == "Orphan #{n}")
    assert length(answers) == 1_000
  end

  test "a call leaves no message behind" do
    for _ <- 1..100, do: OQL.validate(WorkedPlans.broken())
    OQL.validate(<<255>>)
    assert Process.info(self(), :message_queue_len) == {:message_queue_len, 0}
  end
end
