defmodule Workbooks.ArchitectureTest do
  # docs/architecture.md is held against Cargo: `make docs` writes the picture and the table anew.
  use ExUnit.Case, async: true

  alias Workbooks.Architecture

  @root Path.expand("..", __DIR__)
  @page Path.join(@root, "docs/architecture.md")
  @marks ["<!-- crates: written by `make docs` -->", "<!-- end of crates -->"]

  setup_all do: %{crates: Architecture.crates()}

  test "native has the rooms and nothing else, and a room has crates and nothing else" do
    rooms = File.ls!(Path.join(@root, "native"))
    assert rooms -- Architecture.rooms() == []

    for room <- rooms, crate <- File.ls!(Path.join([@root, "native", room])) do
      assert File.exists?(Path.join([@root, "native", room, crate, "Cargo.toml"])), "native/#{room}/#{crate}"
    end
  end

  test "dependencies point from the doors to the kernel, those of tests too", %{crates: crates} do
    rooms = Map.new(crates, &{&1.name, &1.room})

    upward =
      for %{name: name, room: room, with_tests: used} <- crates,
          other <- used,
          Architecture.depth(rooms[other]) < Architecture.depth(room),
          do: "#{name} (#{room}) uses #{other} (#{rooms[other]})"

    assert upward == []
  end

  # The terminal's door opens that of the agents; what lies behind the doors knows none of them.
  test "nobody uses a door but another door", %{crates: crates} do
    {doors, others} = Enum.split_with(crates, &(&1.room == "doors"))
    names = Enum.map(doors, & &1.name)
    assert for(%{name: name, uses: used} <- others, door <- used, door in names, do: {name, door}) == []
  end

  test "every crate says what it is for", %{crates: crates} do
    for %{name: name, purpose: purpose} <- crates, do: assert(is_binary(purpose), name)
  end

  test "the page shows the crates as they are", %{crates: crates} do
    page = File.read!(@page)
    [before, between, rest] = String.split(page, @marks)
    shown = Architecture.page(crates)

    if System.get_env("WORKBOOKS_WRITE_DOCS") do
      [first, last] = @marks
      File.write!(@page, before <> first <> shown <> last <> rest)
    else
      assert between == shown, "docs/architecture.md is out of date: run `make docs`"
    end
  end

  # The exchange of two texts of a plan, where an edit may come between, is a matter of its own.
  test "files appear whole by way of one crate" do
    by_hand = "NamedTempFile|\\.persist(_noclobber)?\\(|fs::rename\\(|renameat"
    except = [":!native/records/durable", ":!native/records/history/src/exchange.rs"]
    {found, _} = System.cmd("git", ["grep", "-nE", by_hand, "--", "native/*/*/src/*.rs" | except], cd: @root)
    assert found == "", "use the crate durable"
  end

  test "no source of somebody else lies in the repository" do
    notice = "copyright (\\(c\\)|©|[0-9]{4})|SPDX-FileCopyrightText|permission is hereby granted"
    except = [":!LICENSE*", ":!NOTICE*", ":!*.lock", ":!docs", ":!test/architecture_test.exs"]
    {found, status} = System.cmd("git", ["grep", "-lIiE", notice, "--", "." | except], cd: @root)
    assert {found, status} == {"", 1}
  end
end
