defmodule Workbooks.Run.ModelTest do
  @moduledoc "Real runs of made-up plans end as the model says."
  use Workbooks.RunCase, async: true

  alias Workbooks.RandomPlan
  alias Workbooks.Run.Outline

  @moduletag :capture_log
  @moduletag timeout: 120_000

  defp worker(seed) do
    fn task ->
      case :erlang.phash2({seed, task.id}, 20) do
        0 -> exit(:crash)
        1 -> raise "crash"
        2 -> {:error, "no"}
        _ -> {:ok, task.id}
      end
    end
  end

  defp script(seed), do: fn id -> if :erlang.phash2({seed, id}, 20) in 0..2, do: :failed, else: :done end

  for seed <- 101..110 do
    test "a random plan (#{seed})", context do
      seed = unquote(seed)
      org = RandomPlan.org(seed, 60)

      case Outline.read(org) do
        {:error, %Error{code: :cycle}} ->
          assert {:error, %Error{code: :cycle}} = Run.start(context.plan, plan!(context, org))

        {:ok, outline} ->
          result = run!(context, org, run: worker(seed))
          model = RandomPlan.model(outline, script(seed))
          assert result.warnings == []
          assert states(result) == model
          assert written(result.org, outline) == expected(outline, model)

          assert Run.audit!(context.plan, history: context.history)
                 |> Enum.all?(&(&1.reason == "no run recorded it"))
      end
    end
  end

  test "1,000 tasks, 8 wide, with 1 in 10 workers crashing", context do
    org =
      Enum.map_join(1..1_000, fn n ->
        if(rem(n, 10) == 1, do: "* TODO Group #{n}\n", else: "") <> "** TODO t#{n}\n"
      end)

    {:ok, outline} = Outline.read(org)
    crash? = fn id -> :erlang.phash2(id, 10) == 0 end
    work = fn task -> if crash?.(task.id), do: exit(:crash), else: {:ok, ""} end
    result = run!(context, org, run: work)
    model = RandomPlan.model(outline, fn id -> if crash?.(id), do: :failed, else: :done end)
    assert result.warnings == []
    assert states(result) == model
    assert written(result.org, outline) == expected(outline, model)
    assert Enum.count(model, &match?({"t" <> _, :failed}, &1)) in 60..140
    assert Run.audit!(context.plan, history: context.history) == []
  end

  defp written(org, outline) do
    {:ok, now} = Outline.read(org)
    for key <- outline.tasks, do: now.items[key].task.state
  end

  # Who is blocked or was over already keeps the keyword.
  defp expected(outline, model) do
    for key <- outline.tasks, %{task: task} = outline.items[key] do
      case model[task.id] do
        :done -> "DONE"
        :failed -> "FAILED"
        :partial -> "PARTIAL"
        _ -> task.state
      end
    end
  end
end
