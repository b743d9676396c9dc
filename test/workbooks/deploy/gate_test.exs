defmodule Workbooks.Deploy.GateTest do
  @moduledoc """
  For random edits of a plan: a deploy is accepted exactly when the plan coheres, no promise is broken, a caller finds what he
  found, every new capability was granted, and everything can be built.
  """
  use Workbooks.DeployCase, async: true

  alias Workbooks.OQL

  @moduletag timeout: 300_000

  @uses ["workbook:net/email", "workbook:llm", "workbook:fs"]
  @types ["string", "json"]
  @walks 6
  @edits 40

  test "a deploy is accepted exactly when every rung holds" do
    outcomes = for seed <- 1..@walks, do: walk(seed)
    seen = outcomes |> List.flatten() |> Enum.frequencies()
    # A property that never sees one of them would prove little.
    for kind <- [:ok, :invalid_plan, :breaking, :not_granted, :build_failed],
        do: assert(Map.get(seen, kind, 0) > 2, inspect(seen))
  end

  defp walk(seed) do
    :rand.seed(:exsss, {seed, 3, 5})
    id = "gate-#{seed}-#{System.unique_integer([:positive])}"
    one = %{name: "C0", ins: [], out: "v0:string", uses: [], lang: "sh", flow: "Flow"}
    # With one workflow a second is never let in; so half of the walks begin with two.
    first = if rem(seed, 2) == 0, do: [one], else: [one, %{one | name: "D0", flow: "Other"}]
    {:ok, _} = deploy(id, org(first))

    {outcomes, _} =
      Enum.map_reduce(1..@edits, first, fn n, live ->
        new = Enum.reduce(1..:rand.uniform(2), live, fn _, plan -> edit(plan, n) end)
        grant = Enum.take_random(@uses, :rand.uniform(4) - 1)
        expected = expected(org(live), org(new), new, grant)
        answer = deploy(id, org(new), grant: grant)

        assert kind(answer) == expected,
               "seed #{seed}, edit #{n}:\n#{org(live)}\nto\n#{org(new)}\n#{inspect(answer)}"

        {:ok, %{plan: deployed}} = Deploy.live(id)
        assert deployed == org(if(expected == :ok, do: new, else: live))
        {expected, if(expected == :ok, do: new, else: live)}
      end)

    outcomes
  end

  defp kind({:ok, _}), do: :ok
  defp kind({:error, %Error{code: code}}), do: code

  # The rungs, one after the other, each asked by itself.
  defp expected(old, new, components, grant) do
    changes = OQL.check_upgrade(old, new)
    cycles = for %{"code" => "WB008"} = cycle <- OQL.lint(new), do: cycle
    asked = uses(components)
    warned = for %{"level" => "warn", "message" => text} <- changes, use <- @uses, text =~ "`#{use}`", do: use
    added = asked -- for(use <- @uses, old =~ use, do: use)

    cond do
      OQL.validate(new) != [] or cycles != [] -> :invalid_plan
      Enum.any?(changes, &(&1["level"] == "error")) -> :breaking
      not caller_content?(old, new) -> :breaking
      not Enum.all?(warned ++ added, &(&1 in grant)) -> :not_granted
      Enum.any?(components, &(&1.lang == "klingon")) -> :build_failed
      true -> :ok
    end
  end

  # A run that names no workflow goes on, and every result that could be read by its key can be read by it.
  defp caller_content?(old, new) do
    {was, now} = {keys(old), keys(new)}
    unnamed = map_size(was) != 1 or map_size(now) == 1

    unnamed and
      Enum.all?(was, fn {title, keys} -> Enum.all?(keys, &(&1 in Map.get(now, title, []))) end)
  end

  defp keys(org) do
    for world <- OQL.tangle(org)["worlds"], into: %{} do
      names = for value <- world["exports"], do: value |> String.split(":") |> hd()

      {world["name"],
       for(
         {value, name} <- Enum.zip(world["exports"], names),
         do: if(Enum.count(names, &(&1 == name)) == 1, do: name, else: value)
       )}
    end
  end

  defp uses(components), do: components |> Enum.flat_map(& &1.uses) |> Enum.uniq()

  defp org(components) do
    components
    |> Enum.group_by(& &1.flow)
    |> Enum.sort()
    |> Enum.map_join(fn {flow, components} ->
      "* #{flow} :workflow:\n" <> Enum.map_join(components, &component/1)
    end)
  end

  defp component(c) do
    ins = if c.ins == [], do: "", else: " :in " <> Enum.join(c.ins, ",")
    uses = if c.uses == [], do: "", else: " :uses " <> Enum.join(c.uses, ",")
    out = if c.out, do: " :out #{c.out}", else: ""
    "** #{c.name} :component:\n#+begin_src #{c.lang}#{ins}#{uses}#{out}\ncat\n#+end_src\n"
  end

  defp edit(components, n) do
    case :rand.uniform(12) do
      k when k <= 4 -> components ++ [fresh(n, components)]
      5 -> List.delete_at(components, :rand.uniform(length(components)) - 1) |> some(components)
      6 -> change(components, :out, "v#{:rand.uniform(4)}:#{Enum.random(@types)}")
      7 -> change(components, :ins, ["v#{:rand.uniform(4)}:string"])
      8 -> change(components, :uses, [Enum.random(@uses)])
      9 -> change(components, :lang, Enum.random(["sh", "sh", "klingon"]))
      10 -> change(components, :uses, [])
      11 -> change(components, :ins, made(components))
      12 -> components
    end
  end

  defp some([], components), do: components
  defp some(components, _), do: components

  defp fresh(n, components) do
    %{
      name: "C#{n}",
      ins: Enum.random([[], made(components)]),
      out: "o#{n}:#{Enum.random(@types)}",
      uses: Enum.random([[], [], [Enum.random(@uses)]]),
      lang: Enum.random(["sh", "sh", "sh", "sh", "klingon"]),
      flow: Enum.random(["Flow", "Flow", "Other"])
    }
  end

  # One of the values that somebody makes.
  defp made(components) do
    case for %{out: out, flow: "Flow"} <- components, out != nil, do: out do
      [] -> []
      values -> [Enum.random(values)]
    end
  end

  defp change(components, key, value),
    do: List.update_at(components, :rand.uniform(length(components)) - 1, &Map.put(&1, key, value))
end
