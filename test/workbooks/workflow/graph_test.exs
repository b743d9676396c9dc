defmodule Workbooks.Workflow.GraphTest do
  use ExUnit.Case, async: true

  alias Workbooks.{ComponentPlans, Error, OQL}
  alias Workbooks.Workflow.Graph

  doctest Workbooks.Workflow.Grants
  doctest Workbooks.Workflow.Value
  doctest Workbooks.Lifecycle.Memory

  # `name in,in > out`, and a nested list for a nested workflow.
  defp world(name, parts) do
    %{"worlds" => [world]} = OQL.tangle(workflow(name, parts, "*"))
    world
  end

  defp workflow(name, parts, stars),
    do: "#{stars} #{name} :workflow:\n" <> Enum.map_join(parts, &part(&1, stars <> "*"))

  defp part({name, parts}, stars), do: workflow(name, parts, stars)

  defp part(text, stars) do
    [head | out] = String.split(text, " > ")
    [name | ins] = String.split(head, [" ", ","], trim: true)
    arguments = Enum.map(ins, &" :in #{&1}") ++ Enum.map(out, &" :out #{&1}")
    "#{stars} #{name} :component:\n#+begin_src js#{arguments}\n#+end_src\n"
  end

  defp waves(parts) do
    case Graph.new(world("W", parts)) do
      {:ok, graph} -> for wave <- graph.waves, do: for(id <- wave, do: graph.nodes[id].name)
      {:error, %Error{code: :cycle, message: message}} -> message
    end
  end

  for {name, parts, expected} <- [
        {"nothing is no wave", [], []},
        {"components without edges run together", ["A", "B"], [["A", "B"]]},
        {"a chain is one at a time", ["C y > z", "A > x", "B x > y"], [["A"], ["B"], ["C"]]},
        {"a diamond has three waves", ["A > a", "B a > b", "C a > c", "D b,c > d"],
         [["A"], ["B", "C"], ["D"]]},
        {"a consumer waits for every producer of a value", ["A > x", "B y > x", "C > y", "D x"],
         [["A", "C"], ["B"], ["D"]]},
        {"a value that nobody makes holds nobody up", ["A x"], [["A"]]},
        {"an input that is named twice is one wire", ["A > x", "B x,x > y"], [["A"], ["B"]]},
        {"a value made outside is there inside", ["A > x", {"In", ["B x > y"]}], [["A"], ["B"]]},
        {"a value made inside is there outside", ["B y > z", {"In", ["A > y"]}], [["A"], ["B"]]},
        {"siblings see each other's values", [{"One", ["A > x"]}, {"Two", ["B x"]}], [["A"], ["B"]]},
        {"a value may go out of a nested workflow and another come in", [{"In", ["P > x", "Q y"]}, "C x > y"],
         [["P"], ["C"], ["Q"]]},
        {"a title that stands twice is told apart", ["A > x", "A x > y"], [["A"], ["A-2"]]}
      ] do
    test name do
      assert waves(unquote(Macro.escape(parts))) == unquote(expected)
    end
  end

  for {name, parts, cycle} <- [
        {"two that wait for each other", ["A y > x", "B x > y"], "`A` -> `B` -> `A`"},
        {"one that waits for itself", ["A x > x"], "`A` -> `A`"},
        {"a cycle behind a chain", ["S > s", "A s,c > a", "B a > b", "C b > c", "End c"],
         "`A` -> `B` -> `C` -> `A`"},
        {"a cycle through a nested workflow", ["A y > x", {"In", ["B x > y"]}], "`A` -> `B` -> `A`"}
      ] do
    test "a cycle is named: #{name}" do
      assert waves(unquote(Macro.escape(parts))) == "the data edges form a cycle: #{unquote(cycle)}"
    end
  end

  test "a long cycle is cut short" do
    parts = for n <- 0..19, do: "C#{n} v#{rem(n + 19, 20)} > v#{n}"
    assert waves(parts) =~ ~r/`C0` -> `C1` -> .* -> `C15` -> 4 more -> `C0`\z/
  end

  describe "of several producers the value is that" do
    for {name, parts, consumer, expected} <- [
          {"of the nearest workflow", ["A > x", {"In", ["B > x", "C x"]}], "C", "B"},
          {"made outside, where nobody nearer makes it", ["A > x", {"In", ["C x"]}, {"Other", ["B > x"]}],
           "C", "A"},
          {"of the workflow itself before those nested in it", ["A > x", "C x", {"In", ["B > x"]}], "C", "A"},
          {"of the last", ["A > x", "B > x", "C x"], "C", "B"}
        ] do
      test name do
        {:ok, graph} = Graph.new(world("W", unquote(Macro.escape(parts))))
        [%{id: id}] = Enum.filter(Graph.nodes(graph), &(&1.name == unquote(consumer)))
        assert graph.nodes[Graph.producer(graph, id, "x")].name == unquote(expected)
      end
    end
  end

  test "exports are what nothing consumes, in either reading" do
    {:ok, graph} = Graph.new(world("W", ["A > x", {"In", ["B x > y", "C y > z"]}, "D > w", "E w > v"]))
    # x is consumed only inside, and y only there as well.
    assert graph.world.exports == ["v", "x", "z"]
    assert [%{exports: ["z"]}] = graph.world.worlds
  end

  test "twenty thousand components in a chain are no matter" do
    parts = for n <- 1..20_000, do: "C#{n} v#{n - 1} > v#{n}"
    {:ok, graph} = Graph.new(world("W", parts))
    assert length(graph.waves) == 20_000
  end

  describe "for any plan" do
    test "there is a cycle exactly where the kernel finds one, and waves go from producers to consumers" do
      for seed <- 1..300 do
        org = ComponentPlans.random(seed)
        %{"worlds" => [world | _]} = OQL.tangle(org)
        findings = OQL.lint(org, capabilities: nil, commands: nil)
        cycle? = Enum.any?(findings, &(&1["code"] == "WB008"))

        case Graph.new(world) do
          {:error, %Error{code: :cycle}} ->
            assert cycle?, "seed #{seed}: the kernel sees no cycle in\n#{org}"

          {:ok, graph} ->
            refute cycle?, "seed #{seed}: the kernel sees a cycle in\n#{org}"
            wave = for {ids, n} <- Enum.with_index(graph.waves), id <- ids, into: %{}, do: {id, n}
            assert map_size(wave) == map_size(graph.nodes)

            for node <- Graph.nodes(graph),
                value <- node.component["in"],
                id <- graph.producers[value] || [] do
              assert wave[id] < wave[node.id], "seed #{seed}"
            end
        end
      end
    end

    test "everything that the gate counts as promised is exported" do
      for seed <- 1..300, org = ComponentPlans.random(seed), %{"worlds" => [world | _]} = OQL.tangle(org) do
        with {:ok, graph} <- Graph.new(world) do
          # The gate names what a plan without any components would lose.
          empty = "* #{world["name"]} :workflow:\n"

          promised =
            for %{"scope" => scope, "message" => "export `" <> rest} <- OQL.check_upgrade(org, empty),
                scope == world["name"],
                do: rest |> String.split("`") |> hd()

          assert promised -- graph.world.exports == [], "seed #{seed}"
        end
      end
    end
  end
end
