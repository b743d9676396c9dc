defmodule Workbooks.Architecture do
  @moduledoc "The crates of the workspace as Cargo knows them, and how docs/architecture.md shows them."

  @root Path.expand("../..", __DIR__)

  # From the doors down. A room may use its own crates and those of the rooms below it; the two neighbours share a row.
  @rooms [["doors"], ["engine"], ["toolkits"], ["sandbox", "records"], ["kernel"]]

  @doc "The rooms, from the top down."
  def rooms, do: List.flatten(@rooms)

  @doc "How far from the top a room is."
  def depth(room), do: Enum.find_index(@rooms, &(room in &1))

  @doc "Every crate: its name, room, what it is for, and the crates of ours that it uses, tests included or not."
  def crates do
    args = ~w(metadata --no-deps --format-version 1 --offline)
    {metadata, 0} = System.cmd("cargo", args, cd: @root, stderr_to_stdout: false)
    {:ok, %{"packages" => packages}} = Workbooks.JSON.decode(metadata)
    ours = MapSet.new(packages, & &1["name"])

    for package <- Enum.sort_by(packages, & &1["name"]) do
      dependencies = Enum.filter(package["dependencies"], &(&1["name"] in ours))
      ["native", room | _] = package["manifest_path"] |> Path.relative_to(@root) |> Path.split()

      %{
        name: package["name"],
        room: room,
        purpose: package["description"],
        uses: for(%{"kind" => kind, "name" => name} <- dependencies, kind != "dev", uniq: true, do: name),
        with_tests: Enum.map(dependencies, & &1["name"])
      }
    end
  end

  @doc "The part of the page between its two marks: the picture and the table."
  def page(crates), do: "\n" <> picture(crates) <> "\n" <> table(crates) <> "\n"

  defp picture(crates) do
    uses = Map.new(crates, &{&1.name, &1.uses})

    rooms =
      for room <- rooms(), inside = for(%{room: ^room, name: name} <- crates, do: name), inside != [] do
        "  subgraph #{room}\n" <> Enum.map_join(inside, &"    #{&1}\n") <> "  end\n"
      end

    arrows =
      for %{name: name, uses: used} <- crates, other <- Enum.sort(used), not implied?(other, used, uses) do
        "  #{name} --> #{other}\n"
      end

    "```mermaid\nflowchart TD\n#{rooms}#{arrows}```\n"
  end

  # An arrow that other arrows imply would only hide them.
  defp implied?(other, used, uses), do: Enum.any?(used -- [other], &reaches?(&1, other, uses))

  defp reaches?(from, to, uses), do: Enum.any?(uses[from], &(&1 == to or reaches?(&1, to, uses)))

  defp table(crates) do
    rows =
      for room <- rooms(), %{room: ^room} = crate <- crates do
        used = crate.uses |> Enum.sort() |> Enum.map_join(", ", &"`#{&1}`")
        "| `#{crate.name}` | #{room} | #{crate.purpose} | #{used} |\n"
      end

    "| crate | room | what for | uses |\n|---|---|---|---|\n#{rows}"
  end
end
