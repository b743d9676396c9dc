defmodule Workbooks.SessionLibraryTest do
  # Point SESSION_TEST_WORKFLOWS at a directory of workflows: a scripted agent takes each to its end.
  use ExUnit.Case, async: true

  alias Workbooks.Session

  @dir System.get_env("SESSION_TEST_WORKFLOWS")
  @moduletag :tmp_dir
  @moduletag timeout: :infinity
  unless @dir, do: @moduletag(skip: "SESSION_TEST_WORKFLOWS names no directory")

  test "the workflows of a library load, and a scripted agent takes each to its end", %{tmp_dir: dir} do
    {:ok, sessions} = Session.open(Path.join(dir, "sessions"), workdir: dir)
    {:ok, _} = Session.policy(sessions, libraries: [@dir])
    {:ok, all} = Session.workflows(sessions)
    ours = Enum.filter(all, & &1["reference"])
    assert ours != []

    for %{"id" => id} = row <- ours do
      assert row["error"] == nil, "#{id}: #{row["error"]}"
      {:ok, %{"compiled" => workflow}} = Session.compile(sessions, {:id, id})
      {:ok, first} = Session.start(sessions, {:id, id}, context: context(workflow["steps"]))
      assert "complete" == drive(sessions, workflow, first, 0)["status"], id
    end
  end

  defp drive(_sessions, _workflow, %{"pending" => nil} = answer, _n), do: answer

  defp drive(sessions, workflow, answer, n) when n < 500 do
    refute answer["blockers"], inspect({workflow["workflowId"], answer["blockers"]})
    %{"stepId" => id, "prompt" => prompt} = answer["pending"]
    step = Enum.find(tasks(workflow["steps"]), &(&1["id"] == id))

    {:ok, next} =
      Session.continue(sessions, answer["token"],
        notes: notes(step["criteria"]),
        artifacts: artifacts(workflow, step, prompt),
        context: endings(workflow["steps"])
      )

    drive(sessions, workflow, next, n + 1)
  end

  defp tasks(steps) do
    Enum.flat_map(steps, fn
      %{"type" => "loop", "body" => body} -> tasks(body)
      task -> [task]
    end)
  end

  defp loops(steps),
    do: Enum.flat_map(steps, &if(&1["type"] == "loop", do: [&1 | loops(&1["body"])], else: []))

  # A list for each loop that goes through one.
  defp context(steps) do
    for %{"control" => control} <- loops(steps), reduce: %{} do
      known ->
        case control do
          %{"kind" => "for_each", "items" => key} -> Map.put(known, key, [%{name: "a"}, %{name: "b"}])
          %{"kind" => "for", "count" => key} when is_binary(key) -> Map.put(known, key, 2)
          _ -> known
        end
    end
  end

  # What ends the loops that are decided by the context.
  defp endings(steps) do
    for %{"control" => %{"kind" => "context", "word" => word, "condition" => condition}} <- loops(steps),
        reduce: %{} do
      known -> make(condition, word == "until", known)
    end
  end

  defp make(%{"and" => list}, hold, known), do: Enum.reduce(list, known, &make(&1, hold, &2))
  defp make(%{"or" => list}, hold, known), do: Enum.reduce(list, known, &make(&1, hold, &2))
  defp make(%{"not" => one}, hold, known), do: make(one, not hold, known)
  defp make(%{"var" => var, "equals" => value}, true, known), do: Map.put(known, var, value)
  defp make(%{"var" => var, "not_equals" => value}, false, known), do: Map.put(known, var, value)
  defp make(%{"var" => var} = only, hold, known) when map_size(only) == 1, do: Map.put(known, var, hold)
  defp make(%{"var" => var}, _hold, known), do: Map.put(known, var, "something else")

  defp artifacts(_workflow, %{"probes" => capability}, _prompt),
    do: [%{kind: "wb.capability_probe", capability: capability, result: "success", evidence: "called it"}]

  defp artifacts(workflow, step, prompt) do
    contract =
      step["contract"] &&
        Enum.find(workflow["contracts"], &(&1["contractRef"] == step["contract"]["contractRef"]))

    decides = prompt =~ "this decides the loop"
    again = prompt =~ "iteration 1 of at most" and not (prompt =~ "at most 1 of")

    [
      contract && not (decides and contract["artifactKind"] == "wr.loop_control") &&
        example(contract["schema"]),
      decides && %{kind: "wr.loop_control", decision: if(again, do: "continue", else: "stop")},
      prompt =~ "wb.confirmation" && %{kind: "wb.confirmation", approvedBy: "the user", statement: "go on"}
      | Enum.map(step["assessments"] || [], &assessment(workflow, step, &1))
    ]
    |> Enum.filter(&is_map/1)
  end

  defp assessment(workflow, step, id) do
    bad = Enum.map(step["assessmentRules"] || [], & &1["level"])
    %{"dimensions" => dimensions} = Enum.find(workflow["assessments"], &(&1["id"] == id))
    level = fn levels -> Enum.find(levels, hd(levels), &(&1 not in bad)) end
    levels = Map.new(dimensions, &{&1["id"], level.(&1["levels"])})
    %{kind: "wr.assessment", assessmentId: id, dimensions: levels}
  end

  # A value that fits a schema.
  defp example(%{"const" => value}), do: value
  defp example(%{"enum" => [value | _]}), do: value
  defp example(%{"anyOf" => [schema | _]}), do: example(schema)
  defp example(%{"type" => "string"} = s), do: String.duplicate("x", max(trunc(s["minLength"] || 1), 1))
  defp example(%{"type" => "integer"} = s), do: trunc(s["minimum"] || 0)
  defp example(%{"type" => "boolean"}), do: true

  defp example(%{"type" => "array"} = s),
    do: for(_ <- 1..max(trunc(s["minItems"] || 1), 1), do: example(s["items"]))

  defp example(%{"type" => "object", "required" => names} = s),
    do: Map.new(names, &{&1, example(s["properties"][&1])})

  defp example(%{"type" => "object", "additionalProperties" => %{} = s}), do: %{"name" => example(s)}
  defp example(%{"type" => "object"}), do: %{}

  # Notes that keep rules which ask for texts and lengths.
  defp notes(nil), do: "did it"
  defp notes(criteria), do: criteria |> said() |> String.pad_trailing(least(criteria), "more evidence. ")

  defp said(%{"and" => list}), do: Enum.map_join(list, "\n", &said/1)
  defp said(%{"or" => [first | _]}), do: said(first)
  defp said(%{"type" => "contains", "value" => value}), do: value
  defp said(%{"type" => "regex"}), do: "- expected one, saw an error; the test fails on 12 rows"
  defp said(_), do: ""

  defp least(%{"and" => list}), do: list |> Enum.map(&least/1) |> Enum.max(fn -> 0 end)
  defp least(%{"or" => [first | _]}), do: least(first)
  defp least(%{"type" => "length", "min" => min}) when is_number(min), do: trunc(min)
  defp least(_), do: 0
end
