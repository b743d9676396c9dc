defmodule Workbooks.DeployTest do
  use Workbooks.DeployCase, async: true

  import Workbooks.Eventually
  alias Workbooks.Deploy.Store

  defp v1, do: flow(Workbooks.ComponentPlans.sh("Build", ":out report:string", "printf one"))
  defp v2, do: String.replace(v1(), "printf one", "printf two")
  defp broken, do: String.replace(v1(), "report:string", "report:json")
  defp asking, do: String.replace(v1(), ":out", ":uses workbook:net/email :out")

  defp exports(id) do
    {:ok, %{exports: exports}} = Deploy.run(id, "")
    exports
  end

  describe "a deploy" do
    test "makes a plan live, and the next one takes its place", %{id: id} do
      assert {:ok, %{id: ^id, version: 1, from: nil, profile: "minimal", diagnostics: []}} = deploy(id, v1())

      assert exports(id) == %{"report" => "one"}
      assert {:ok, %{version: 2, from: 1}} = deploy(id, v2())
      assert exports(id) == %{"report" => "two"}
      assert {:ok, %{version: 2, plan: plan}} = Deploy.live(id)
      assert plan == v2()
      assert %{version: 2, problem: nil} = Enum.find(Deploy.list!(), &(&1.id == id))
    end

    test "reads a file, a directory or a text", %{id: id, tmp_dir: dir} do
      File.write!(Path.join(dir, "workbook.org"), v1())
      assert {:ok, %{version: 1, unchanged: false}} = Deploy.deploy(id, dir)
      assert {:ok, %{version: 1, unchanged: true}} = Deploy.deploy(id, Path.join(dir, "workbook.org"))
      assert {:ok, %{version: 2}} = Deploy.deploy(id, {:org, v2()})
      assert {:error, %Error{code: :not_found}} = Deploy.deploy(id, Path.join(dir, "gone.org"))
      # A text that is given as a path is no file, and nobody guesses what was meant.
      assert {:error, %Error{code: :not_found, hint: hint}} = Deploy.deploy(id, v1())
      assert hint =~ "{:org, text}"
      assert {:error, %Error{code: :not_found}} = Deploy.deploy(id, <<"plan", 0>>)

      for wrong <- [{:org, nil}, {:text, v1()}, nil, 1],
          do: assert({:error, %Error{code: :bad_option}} = Deploy.deploy(id, wrong))
    end

    test "keeps what it built: the source may go", %{id: id, tmp_dir: dir} do
      File.cp!(Guests.path("echo"), Path.join(dir, "echo.wasm"))
      plan = flow("** Echo :component:\n#+begin_src wasm :file echo.wasm :out same\n#+end_src\n")
      assert {:ok, _} = deploy(id, plan, dir: dir)
      File.rm!(Path.join(dir, "echo.wasm"))
      assert {:ok, %{exports: %{"same" => "hello"}}} = Deploy.run(id, "hello")
    end

    test "needs an id that can be a name", %{id: id} do
      for wrong <- ["", "../x", "a/b", "ä", String.duplicate("x", 129), nil] do
        assert {:error, %Error{code: :bad_option}} = deploy(wrong, v1())
      end

      assert {:error, %Error{code: :not_found}} = Deploy.run(id, "")
      assert {:error, %Error{code: :not_found}} = Deploy.history(id)
      assert {:error, %Error{code: :not_found}} = Deploy.rollback(id)
      refute File.exists?(Store.dir(id))
    end
  end

  describe "a refusal changes nothing" do
    setup %{id: id} do
      {:ok, _} = deploy(id, v1())
      VFS.write!(disk!(id), "kept", "as it was")
      before = tree(id)

      on_exit(fn ->
        assert tree(id) == before
      end)

      :ok
    end

    defp tree(id) do
      for path <- Path.wildcard(Path.join(Store.dir(id), "**"), match_dot: true), File.regular?(path) do
        {Path.relative_to(path, Store.dir(id)), File.read!(path)}
      end
    end

    test "when the plan does not cohere", %{id: id} do
      assert {:error,
              %Error{code: :invalid_plan, details: %{diagnostics: [%{"scope" => "Use"} = diagnostic]}}} =
               deploy(id, v1() <> sh("Use", ":in nothing", "cat"))

      assert Map.keys(diagnostic) == ["level", "message", "scope"]
    end

    test "when the data edges form a cycle", %{id: id} do
      plan = v1() <> sh("A", ":in b :out a", "cat") <> sh("B", ":in a :out b", "cat")
      assert {:error, %Error{code: :invalid_plan, details: %{diagnostics: [diagnostic]}}} = deploy(id, plan)

      assert diagnostic == %{
               "level" => "error",
               "message" => "the data edges form a cycle: `A` -> `B` -> `A`",
               "scope" => "A"
             }
    end

    test "when it breaks a promise", %{id: id} do
      assert {:error, %Error{code: :breaking, details: %{diagnostics: diagnostics}}} = deploy(id, broken())

      assert for(d <- diagnostics, do: d["message"]) == [
               "export `report:string` removed (breaking)",
               "component `Build` output type changed (breaking)"
             ]
    end

    test "when the first plan asks for more than the least, and it was not granted" do
      id = "first-#{System.unique_integer([:positive])}"

      assert {:error, %Error{code: :not_granted, details: %{missing: ["workbook:net/email"]}}} =
               deploy(id, asking())

      assert {:error, %Error{code: :not_found}} = Deploy.live(id)

      assert {:ok, %{version: 1, granted: ["workbook:net/email"], profile: "network"}} =
               deploy(id, asking(), grant: ["workbook:net/email"])
    end

    test "when it asks for what it was not granted", %{id: id} do
      assert {:error, %Error{code: :not_granted, details: %{missing: ["workbook:net/email"]}}} =
               deploy(id, asking())

      assert {:error, %Error{code: :not_granted}} = deploy(id, asking(), grant: ["workbook:net/web", "net"])
    end

    test "when an added workflow asks for what nothing deployed has", %{id: id} do
      two = "* Other :workflow:\n" <> sh("Ask", ":out answer", "cat")
      first = "two-" <> id
      assert {:ok, _} = deploy(first, v1() <> two)

      plan = v1() <> two <> "* Third :workflow:\n" <> sh("Ask", ":uses workbook:llm :out answer", "cat")

      assert {:error, %Error{code: :not_granted, details: %{missing: ["workbook:llm"]}}} = deploy(first, plan)
    end

    test "when it cannot be built", %{id: id} do
      assert {:error, %Error{code: :build_failed, details: %{failures: [%{component: "Odd"}]}}} =
               deploy(id, v1() <> odd())
    end

    test "when an option is wrong, or force has no reason", %{id: id} do
      for wrong <- [[grant: "x"], [force: 1], [nonsense: 1], [force: true], [force: true, why: ""]] do
        assert {:error, %Error{code: :bad_option}} = deploy(id, v2(), wrong)
      end
    end
  end

  describe "a capability" do
    test "that is granted is there, with the profile that it needs", %{id: id} do
      {:ok, _} = deploy(id, v1())

      assert {:ok, %{version: 2, granted: ["workbook:net/email"], profile: "network", diagnostics: [warning]}} =
               deploy(id, asking(), grant: ["workbook:net/email"])

      assert warning["level"] == "warn"
      assert exports(id) == %{"report" => "one"}
      # It is no news the next time.
      again = String.replace(asking(), "printf one", "printf two")
      assert {:ok, %{version: 3, granted: ["workbook:net/email"]}} = deploy(id, again)
      assert {:ok, [_, %{granted: ["workbook:net/email"]}, %{granted: []}]} = Deploy.history(id)
    end

    test "beyond the profile that was given lets the run refuse", %{id: id} do
      grant = ["workbook:net/email"]
      assert {:ok, %{profile: "minimal"}} = deploy(id, asking(), profile: :minimal, grant: grant)
      assert {:error, %Error{code: :not_granted, details: %{missing: missing}}} = Deploy.run(id, "")
      assert missing == ["workbook:net/email"]
      again = String.replace(asking(), "printf one", "printf two")
      assert {:ok, %{profile: "minimal", version: 2}} = deploy(id, again)
    end
  end

  describe "force" do
    test "overrides the gate, and the history says who, why and what", %{id: id} do
      {:ok, _} = deploy(id, v1(), by: "ada", clock: fn -> 1_000 end)

      assert {:ok, %{version: 2, overridden: overridden}} =
               deploy(id, broken(),
                 force: true,
                 by: "grace",
                 why: "nobody reads it",
                 clock: fn -> 2_000 end
               )

      assert overridden == [
               "Flow: export `report:string` removed (breaking)",
               "Flow: component `Build` output type changed (breaking)"
             ]

      assert {:ok, [first, second]} = Deploy.history(id)

      assert first == %{
               n: 1,
               action: :deploy,
               version: 1,
               from: nil,
               at: 1_000,
               by: "ada",
               why: nil,
               forced: false,
               overridden: [],
               granted: []
             }

      assert %{n: 2, version: 2, from: 1, at: 2_000, by: "grace", why: "nobody reads it", forced: true} =
               second

      assert second.overridden == overridden
    end

    test "does not override a plan that does not cohere, nor a build that fails", %{id: id} do
      {:ok, _} = deploy(id, v1())
      force = [force: true, why: "because"]

      assert {:error, %Error{code: :invalid_plan}} =
               deploy(id, v1() <> sh("Use", ":in nothing", "cat"), force)

      assert {:error, %Error{code: :build_failed}} = deploy(id, v1() <> odd(), force)
      assert live!(id) == 1
    end
  end

  describe "a deploy of what is live already" do
    test "makes no new version, and says so", %{id: id} do
      {:ok, _} = deploy(id, v1())
      assert {:ok, %{version: 1, from: 1, unchanged: true}} = deploy(id, v1())
      assert {:ok, %{unchanged: true}} = deploy(id, v1(), force: true, why: "again")
      assert {:ok, [_]} = Deploy.history(id)
      assert File.ls!(Path.join(Store.dir(id), "versions")) == ["1"]
    end

    test "is another version when an artifact or the policy is another", %{id: id, tmp_dir: dir} do
      File.cp!(Guests.path("echo"), Path.join(dir, "guest.wasm"))
      plan = flow("** Guest :component:\n#+begin_src wasm :file guest.wasm :out out\n#+end_src\n")
      assert {:ok, %{version: 1}} = deploy(id, plan, dir: dir)
      assert {:ok, %{version: 1, unchanged: true}} = deploy(id, plan, dir: dir)
      File.cp!(Guests.path("count_calls"), Path.join(dir, "guest.wasm"))
      assert {:ok, %{version: 2, unchanged: false}} = deploy(id, plan, dir: dir)
      assert {:ok, %{version: 3}} = deploy(id, plan, dir: dir, profile: :network)
      assert {:ok, %{version: 3, unchanged: true}} = deploy(id, plan, dir: dir)
    end

    test "mends a version whose files were damaged", %{id: id, tmp_dir: dir} do
      File.cp!(Guests.path("echo"), Path.join(dir, "guest.wasm"))
      plan = flow("** Guest :component:\n#+begin_src wasm :file guest.wasm :out out\n#+end_src\n")
      {:ok, _} = deploy(id, plan, dir: dir)
      [artifact] = Path.wildcard(Path.join(Store.dir(id), "versions/1/artifacts/*"))
      File.write!(artifact, "nonsense")
      assert {:ok, %{version: 2, unchanged: false}} = deploy(id, plan, dir: dir)
      assert {:ok, %{exports: %{"out" => "x"}}} = Deploy.run(id, "x")
    end
  end

  describe "what could never run is refused, force or not" do
    @flow "* Flow :workflow:\n"
    @wrong [
      {"a plan without a workflow", "* Notes\n", "the plan has no workflow"},
      {"a field of cron", @flow <> ":PROPERTIES:\n:SCHEDULE: 61 * * * *\n:END:\n",
       "the schedule `61 * * * *` cannot be read"},
      {"a weekday", @flow <> ":PROPERTIES:\n:SCHEDULE: 0 9 * * MOO\n:END:\n",
       "the schedule `0 9 * * MOO` cannot be read"},
      {"a zone", @flow <> ":PROPERTIES:\n:SCHEDULE: @daily\n:TZ: Mars/Base\n:END:\n",
       "there is no time zone `Mars/Base`"},
      {"a repeater", @flow <> "SCHEDULED: <2026-06-11 Thu +1x>\n", "the repeater `+1x` cannot be read"},
      {"a date", @flow <> "SCHEDULED: <2026-02-31 Tue +1d>\n", "the SCHEDULED timestamp cannot be read"},
      {"a way to catch up", @flow <> ":PROPERTIES:\n:SCHEDULE: @daily\n:CATCHUP: never\n:END:\n",
       "`never` is no way to catch up"},
      {"a capability that no host has",
       @flow <> "** A :component:\n#+begin_src sh :uses workbook:telepathy :out x\n#+end_src\n",
       "no host has the capability `workbook:telepathy`"}
    ]

    for {what, plan, message} <- @wrong do
      test what, %{id: id} do
        grant = [grant: ["workbook:telepathy"], force: true, why: "try"]

        for options <- [[], grant] do
          assert {:error, %Error{code: :invalid_plan, details: %{diagnostics: [diagnostic]}} = error} =
                   deploy(id, unquote(plan), options)

          assert diagnostic["message"] =~ unquote(message)
          assert error.message =~ unquote(message)
        end

        # Nothing was made, not even its directory's first version.
        assert {:error, %Error{code: :not_found}} = Deploy.live(id)
      end
    end
  end

  describe "who deploys" do
    test "is git's user, or the one who was named", %{id: id} do
      {:ok, _} = deploy(id, v1())
      {:ok, _} = deploy(id, v2(), by: "ada")
      {:ok, _} = deploy(id, v1(), by: "  ")
      assert {:ok, [%{by: found}, %{by: "ada"}, %{by: found_again}]} = Deploy.history(id)
      assert {:ok, found} == Workbooks.Author.find()
      assert found == found_again
      refute found in ["", "unknown"]
    end
  end

  describe "two at once" do
    test "one wins, and the other gets a conflict", %{id: id} do
      {:ok, _} = deploy(id, v1())

      for round <- 1..10 do
        before = live!(id)

        answers =
          1..4
          |> Enum.map(fn n ->
            Task.async(fn -> deploy(id, String.replace(v2(), "two", "#{round}-#{n}")) end)
          end)
          |> Task.await_many(60_000)

        {won, lost} = Enum.split_with(answers, &match?({:ok, _}, &1))
        assert won != []
        assert Enum.all?(lost, &match?({:error, %Error{code: :conflict}}, &1)), inspect(lost)
        assert live!(id) == before + length(won)
      end
    end

    test "whoever holds the right keeps the others out until it is over, or it dies", %{id: id} do
      {:ok, _} = deploy(id, v1())
      test = self()

      holder =
        spawn(fn ->
          Store.change(id, fn _change, _live ->
            send(test, :held)
            Process.sleep(:infinity)
          end)
        end)

      assert_receive :held
      assert {:error, %Error{code: :conflict}} = deploy(id, v2())
      assert {:error, %Error{code: :conflict}} = Deploy.rollback(id)
      # Looking and running go on.
      assert exports(id) == %{"report" => "one"}
      ref = Process.monitor(holder)
      Process.exit(holder, :kill)
      assert_receive {:DOWN, ^ref, _, _, _}
      assert eventually(fn -> match?({:ok, _}, deploy(id, v2())) end)
    end
  end

  describe "a rollback" do
    test "gives plan, artifacts and disk back", %{id: id, tmp_dir: dir} do
      File.cp!(Guests.path("echo"), Path.join(dir, "guest.wasm"))
      plan = flow("** Guest :component:\n#+begin_src wasm :file guest.wasm :out out\n#+end_src\n")
      {:ok, _} = deploy(id, plan, dir: dir)
      VFS.write!(disk!(id), "notes", "of version 1")
      VFS.write!(disk!(id), "kept", "in memory", :memory)

      File.cp!(Guests.path("count_calls"), Path.join(dir, "guest.wasm"))
      {:ok, _} = deploy(id, plan, dir: dir)
      assert {:ok, %{exports: %{"out" => "1"}}} = Deploy.run(id, "x")
      VFS.write!(disk!(id), "notes", "of version 2")
      VFS.write!(disk!(id), "more", "of version 2")

      assert {:ok, %{id: ^id, version: 1, from: 2}} = Deploy.rollback(id, by: "ada", why: "it counts")
      assert {:ok, %{version: 1, plan: ^plan}} = Deploy.live(id)
      assert {:ok, %{exports: %{"out" => "x"}}} = Deploy.run(id, "x")
      assert VFS.read!(disk!(id), "notes") == "of version 1"
      assert VFS.read!(disk!(id), "kept", :memory) == "in memory"
      assert {:error, %Error{code: :not_found}} = VFS.read(disk!(id), "more")

      # Nothing is lost by it.
      left = VFS.open!(Path.join(Store.dir(id), "versions/2/left.sqlite"))
      assert VFS.read!(left, "more") == "of version 2"
      VFS.close!(left)

      assert {:ok, [_, _, %{action: :rollback, version: 1, from: 2, by: "ada", why: "it counts"}]} =
               Deploy.history(id)

      assert {:error, %Error{code: :not_found, message: message}} = Deploy.rollback(id)
      assert message =~ "is the first"
      assert {:ok, %{version: 3, from: 1}} = deploy(id, plan, dir: dir)
      assert {:ok, %{version: 1}} = Deploy.rollback(id)
      assert_raise Error, ~r/is the first/, fn -> Deploy.rollback!(id) end
    end

    test "to a version that was damaged is refused", %{id: id} do
      {:ok, _} = deploy(id, v1())
      {:ok, _} = deploy(id, v2())
      File.write!(Path.join(Store.dir(id), "versions/1/workbook.org"), "* Another plan\n")
      assert {:error, %Error{code: :corrupt}} = Deploy.rollback(id)
      assert live!(id) == 2
    end
  end

  describe "nesting, flat for the diff" do
    @outer "* Report :workflow:\n"
    defp fetch, do: sh("Fetch", ":out raw:string", "cat")

    defp polish,
      do: "** Polish :workflow:\n" <> sh("Shout", ":in raw:string :out loud:string", "tr a-z A-Z", 3)

    test "grafting a sub-workflow is an added export of its parent", %{id: id} do
      assert {:ok, _} = deploy(id, @outer <> sh("Other", ":out x", "printf x"))

      assert {:ok, %{version: 2}} =
               deploy(id, @outer <> sh("Other", ":out x", "printf x") <> fetch() <> polish())

      assert {:ok, result} = Deploy.run(id, "hello")
      assert result.exports["loud"] == "HELLO"
      assert [%{workflow: "Polish", exports: %{"loud" => "HELLO"}}] = result.workflows
    end

    test "pruning one is the parent losing its exports", %{id: id} do
      assert {:ok, _} = deploy(id, @outer <> fetch() <> polish())

      assert {:error, %Error{code: :breaking, details: %{diagnostics: diagnostics}}} =
               deploy(id, @outer <> fetch())

      assert for(d <- diagnostics, do: {d["scope"], d["message"]}) == [
               {"Polish", "workflow removed (breaking)"},
               {"Report", "export `loud:string` removed (breaking)"}
             ]
    end

    test "moving a component into a sub-workflow keeps the parent's promise", %{id: id} do
      flat = @outer <> fetch() <> sh("Shout", ":in raw:string :out loud:string", "tr a-z A-Z")
      assert {:ok, _} = deploy(id, flat)
      assert {:ok, _} = deploy(id, @outer <> fetch() <> polish())
      assert {:ok, %{exports: %{"loud" => "HI"}}} = Deploy.run(id, "hi")
    end
  end

  test "a workbook that sleeps is woken, and one that is deleted stays so", %{id: id} do
    {:ok, _} = deploy(id, v1())
    VFS.write!(disk!(id), "kept", "x")
    assert {:ok, :frozen} = Lifecycle.freeze(id)
    assert exports(id) == %{"report" => "one"}
    assert VFS.read!(disk!(id), "kept") == "x"
    assert {:ok, :deleted} = Lifecycle.delete(id)
    assert {:error, %Error{code: :illegal_move}} = deploy(id, v2())
    assert live!(id) == 1
  end

  describe "a workbook with a disk" do
    test "is deployed from its directory or its bundle, and a new one brings the disk along", %{
      tmp_dir: dir,
      id: id
    } do
      book = Path.join(dir, "book")
      File.mkdir_p!(book)
      File.write!(Path.join(book, "workbook.org"), v1())
      disk = VFS.open!(Path.join(book, "vfs.sqlite"))
      VFS.write!(disk, "notes.txt", "brought along")
      VFS.close!(disk)
      bundle = Path.join(dir, "book.wbundle")
      {:ok, _} = Workbooks.Bundle.create(book, bundle)

      for {source, id} <- [{book, id}, {bundle, id <> "-bundle"}] do
        assert {:ok, %{version: 1}} = Deploy.deploy(id, source)
        assert VFS.read!(disk!(id), "notes.txt") == "brought along"

        VFS.write!(disk!(id), "notes.txt", "changed since")
        assert {:ok, %{version: 1, unchanged: true}} = Deploy.deploy(id, source)
        assert {:ok, %{version: 2}} = deploy(id, v2())
        assert VFS.read!(disk!(id), "notes.txt") == "changed since"
      end

      assert Path.wildcard(Path.join(System.tmp_dir!(), "workbooks-????????????????????????????????")) == []
    end

    test "that is no bundle is refused", %{tmp_dir: dir, id: id} do
      File.write!(Path.join(dir, "x.wbundle"), "PK nonsense")
      assert {:error, %Error{code: :not_a_bundle}} = Deploy.deploy(id, Path.join(dir, "x.wbundle"))
      assert {:error, %Error{code: :not_found}} = Deploy.deploy(id, Path.join(dir, "none.wbundle"))
    end
  end
end
