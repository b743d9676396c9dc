defmodule Workbooks.TricksTest do
  @moduledoc "Every way we know to fake a pass, asked through every door of the BEAM. `wbx` asks the same table."
  use Workbooks.RunCase, async: false

  alias Workbooks.{Session, Toolkits, Tricks}
  alias Workbooks.Workflow.Todo

  @moduletag timeout: 240_000

  setup %{tmp_dir: dir} do
    %{work: Tricks.workdir!(dir)}
  end

  defp wrong(table, pass?),
    do: for({name, check, pass} <- table, pass?.(name, check) != pass, do: {name, check})

  test "the table is there" do
    assert length(Tricks.table()) > 100
  end

  test "one task's check is asked", %{work: work} do
    ask = fn _name, check ->
      case Todo.validate(%{done_when: nil, check: %{lang: "sh", body: check}}, work) do
        {:pass, "check: " <> _} -> true
        {:fail, reason} when is_binary(reason) and reason != "" -> false
      end
    end

    assert wrong(Tricks.table(), ask) == []
  end

  test "a command is asked as a block is", %{work: work} do
    ask = fn _, check -> match?({:pass, _}, Todo.validate(%{done_when: check, check: nil}, work)) end
    assert wrong(Tricks.table(), ask) == []
  end

  test "a run asks", context do
    table = Tricks.table(:plan)
    rows = Enum.with_index(table)
    org = Enum.map_join(rows, fn {{_, check, _}, n} -> "* TODO t#{n}\n" <> Tricks.block(check) end)
    opts = plan!(context, org)
    {:ok, run} = Run.start(context.plan, [run: fn _ -> {:ok, ""} end] ++ opts)
    result = Run.await!(run, 200_000)
    states = states(result)
    assert map_size(states) == length(table)

    assert [] = for({{name, check, pass}, n} <- rows, states["t#{n}"] == :done != pass, do: {name, check})

    for {{_, _, false}, n} <- rows, do: assert(reason(result, "t#{n}") =~ ~r/\S/)
  end

  test "a session asks", %{tmp_dir: dir, work: work} do
    {:ok, sessions} = Session.open(Path.join(dir, "sessions"), workdir: work)

    ask = fn _, check ->
      plan = "#+WORKFLOW: project.x 1.0.0\n* TODO A\n" <> Tricks.block(check) <> "* TODO B\n"

      # A workflow whose check is empty does not start.
      with {:ok, first} <- Session.start(sessions, plan),
           {:ok, answer} <- Session.continue(sessions, first["token"]),
           do: answer["blockers"] == nil,
           else: ({:error, %Error{code: :validation_error}} -> false)
    end

    assert wrong(Tricks.table(:plan), ask) == []
  end

  test "a toolkit's recipe asks", %{tmp_dir: dir, work: work} do
    table = Tricks.table(:plan)
    root = Path.join(dir, "toolkits")
    File.mkdir_p!(Path.join(root, "it/skills"))

    File.write!(Path.join(root, "it/manifest.org"), """
    #+TITLE: It
    #+TOOLKIT: it
    #+VERSION: 1.0.0
    #+STATUS: stable
    #+TAGLINE: When it is needed
    #+EXEC: task
    * It :toolkit:
    :PROPERTIES:
    :ID: it
    :STATUS: stable
    :END:
    """)

    recipes =
      for {{_, check, _}, n} <- Enum.with_index(table),
          do: "* t#{n}\n" <> Tricks.block(check, ":role task :check :name t#{n}")

    File.write!(Path.join(root, "it/skills/overview.org"), ["#+TITLE: All of it\n" | recipes])
    System.put_env("WB_TOOLKIT_EXEC", "1")
    on_exit(fn -> System.delete_env("WB_TOOLKIT_EXEC") end)
    names = table |> Enum.with_index() |> Map.new(fn {{name, _, _}, n} -> {name, "t#{n}"} end)

    ask = fn name, _check ->
      case Toolkits.run("it", names[name], [], workdir: work, root: root) do
        {:ok, %{"status" => status}} -> status == 0
        # A recipe that names what the shell does not carry, or that cannot be read, is refused before it runs.
        {:error, %Error{}} -> false
      end
    end

    assert wrong(table, ask) == []
  end
end
