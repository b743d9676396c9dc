defmodule Workbooks.WorkflowTest do
  use ExUnit.Case, async: true

  import Workbooks.ComponentPlans, only: [sh: 3, sh: 4]
  import Workbooks.Eventually

  alias Workbooks.{Error, Guests, VFS, Workflow}

  doctest Workbooks.Workflow

  @moduletag :tmp_dir

  defp flow(parts), do: IO.iodata_to_binary(["* Flow :workflow:\n" | List.wrap(parts)])

  defp run(org, input, opts \\ []), do: Workflow.run({:org, org}, input, opts)

  defp wasm(dir, guest, header) do
    File.cp!(Guests.path(guest), Path.join(dir, "#{guest}.wasm"))
    "** Guest :component:\n#+begin_src wasm :file #{guest}.wasm #{header}\n#+end_src\n"
  end

  describe "values" do
    test "one input arrives as it is, several as an object by name, none is the workflow's input" do
      plan =
        flow([
          sh("Name", ":out name:string", "cat"),
          sh("Age", ":out age:json", "echo 37"),
          sh("One", ":in name:string :out one:string", "cat"),
          sh("Both", ":in name:string,age:json :out both:json", "cat")
        ])

      assert {:ok, result} = run(plan, "Ada \"L\"")
      assert result.exports == %{"one" => "Ada \"L\"", "both" => %{"name" => "Ada \"L\"", "age" => 37}}
      assert result.tasks["Age"] == 37
    end

    test "an input that is no text becomes JSON" do
      assert {:ok, %{exports: %{"x" => %{"a" => [1, nil]}}}} =
               run(flow(sh("A", ":out x:json", "cat")), %{a: [1, nil]})

      assert {:error, %Error{code: :not_json}} = run(flow(sh("A", ":out x", "cat")), self())
      assert {:error, %Error{code: :not_utf8}} = run(flow(sh("A", ":out x", "cat")), <<255>>)
    end

    test "an output that is not of its type is the component's failure" do
      plan = flow([sh("A", ":out a:json", "echo nonsense"), sh("B", ":out b:string", "printf '\\377'")])

      assert {:ok, %{exports: %{}, tasks: tasks}} = run(plan, "")
      assert {:error, "its output `a:json` is not JSON: " <> _} = tasks["A"]
      assert tasks["B"] == {:error, "its output is not UTF-8"}
    end

    test "two values of one name and two types keep their whole text" do
      plan = flow([sh("A", ":out x:json", "echo 1"), sh("B", ":out x:string", "printf one")])
      assert {:ok, %{exports: %{"x:json" => 1, "x:string" => "one"}}} = run(plan, "")
    end
  end

  describe "failures" do
    test "a failing component fails its consumers with the reason, and the others finish" do
      plan =
        flow([
          sh("Bad", ":out x", "echo the disk is gone >&2; exit 3"),
          sh("Next", ":in x :out y", "cat"),
          sh("Last", ":in y :out z", "cat"),
          sh("Apart", ":out fine", "printf here")
        ])

      assert {:ok, result} = run(plan, "")
      assert result.exports == %{"fine" => "here"}
      assert result.tasks["Bad"] == {:error, "it ended with status 3: the disk is gone"}
      why = {:error, "`Bad` failed: it ended with status 3: the disk is gone"}
      assert result.tasks["Next"] == why
      assert result.tasks["Last"] == why
      assert result.tasks["Apart"] == "here"
    end

    test "a component that does not end is stopped" do
      plan = flow(sh("Spin", ":out x", "while :; do :; done"))
      assert {:ok, %{tasks: %{"Spin" => {:error, why}}}} = run(plan, "", timeout: 300)
      assert why in ["its time is up", "the script took too many steps"]
    end

    test "a guest that traps, eats or spins fails alone", %{tmp_dir: dir} do
      for {guest, pattern} <- [
            {"trap", ~r/^it trapped/},
            {"spin", ~r/^its time is up/},
            {"eat_memory", ~r/memory/}
          ] do
        plan = flow([wasm(dir, guest, ":out x"), sh("Fine", ":out y", "printf yes")])
        assert {:ok, result} = run(plan, "", dir: dir, timeout: 2_000)
        assert result.tasks["Fine"] == "yes"
        assert {:error, why} = result.tasks["Guest"]
        assert why =~ pattern
      end
    end

    test "a plan that does not cohere is refused with its diagnostics" do
      assert {:error, %Error{code: :invalid_plan, details: %{diagnostics: [diagnostic]}}} =
               run(flow(sh("A", ":in x", "cat")), "")

      assert diagnostic == %{
               "level" => "error",
               "message" => "input `x` has no upstream producer",
               "scope" => "A"
             }

      assert_raise Error, ~r/input `x` has no upstream producer/, fn ->
        Workflow.run!({:org, flow(sh("A", ":in x", "cat"))}, "")
      end
    end

    test "a cycle is refused and named" do
      plan = flow([sh("A", ":in y :out x", "cat"), sh("B", ":in x :out y", "cat")])
      assert {:error, %Error{code: :cycle, message: message}} = run(plan, "")
      assert message =~ "`A` -> `B` -> `A`"
    end

    test "when the caller dies, so do its components", %{tmp_dir: dir} do
      plan = flow(wasm(dir, "spin", ":out x"))
      caller = spawn(fn -> run(plan, "", dir: dir) end)

      child =
        eventually(fn ->
          Enum.find(Task.Supervisor.children(Workbooks.Workflow.Tasks), &works_for?(&1, caller))
        end)

      ref = Process.monitor(child)
      Process.exit(caller, :kill)
      assert_receive {:DOWN, ^ref, :process, ^child, reason}
      assert reason != :normal
    end
  end

  defp works_for?(child, caller) do
    {:dictionary, dictionary} = Process.info(child, :dictionary) || {:dictionary, []}
    caller in Keyword.get(dictionary, :"$callers", [])
  end

  describe "building" do
    test "a wasm component is a file, or the only one in a directory", %{tmp_dir: dir} do
      File.mkdir_p!(Path.join(dir, "built"))
      File.cp!(Guests.path("echo"), Path.join(dir, "built/echo.wasm"))

      for header <- [":dir built", ":dir built/echo.wasm", ":file built/echo.wasm"] do
        File.write!(
          Path.join(dir, "plan.org"),
          flow("** Up :component:\n#+begin_src wasm #{header} :out loud\n#+end_src\n")
        )

        assert {:ok, %{exports: %{"loud" => _}}} = Workflow.run(Path.join(dir, "plan.org"), "quiet")
      end
    end

    test "what cannot be built is refused before anything runs, each with its reason", %{tmp_dir: dir} do
      File.cp!(Guests.path("undeclared_import"), Path.join(dir, "undeclared.wasm"))
      File.write!(Path.join(dir, "text.wasm"), "no wasm")
      File.ln_s!("/etc", Path.join(dir, "link"))

      for {header, pattern} <- [
            {"wasm", ~r/names its file/},
            {"wasm :file gone.wasm", ~r/gone\.wasm/},
            {"wasm :file ../../x.wasm", ~r/leads out of the plan's directory/},
            {"wasm :file /etc/passwd", ~r/leads out of the plan's directory/},
            {"wasm :file link/passwd", ~r/leads out of the plan's directory/},
            {"wasm :file text.wasm", ~r/not a WebAssembly component/},
            {"wasm :file undeclared.wasm", ~r/undeclared Dock import/},
            {"sh :dir .", ~r/has its script in its block/},
            {"klingon", ~r/klingon/}
          ] do
        plan =
          flow([
            "** Odd :component:\n#+begin_src #{header} :out x\n#+end_src\n",
            sh("Fine", ":out y", "printf yes")
          ])

        assert {:error, %Error{code: :build_failed, details: %{failures: [%{component: "Odd", why: why}]}}} =
                 run(plan, "", dir: dir)

        assert why =~ pattern, "#{header}: #{why}"
      end

      plan = flow("** Up :component:\n#+begin_src wasm :file up.wasm :out x\n#+end_src\n")

      assert {:error, %Error{details: %{failures: [%{why: "`up.wasm` is in no directory" <> _}]}}} =
               run(plan, "")
    end

    test "a component that imports more than it says it uses is refused", %{tmp_dir: dir} do
      plan = flow(wasm(dir, "dock_all", ":out x"))

      assert {:error, %Error{details: %{failures: [%{component: "Guest", why: why}]}}} =
               run(plan, "", dir: dir)

      assert why =~ "undeclared Dock import"
    end
  end

  describe "capabilities" do
    test "what the profile does not grant is named, and nothing runs" do
      plan =
        flow([
          sh("A", ":uses workbook:net/email,workbook:fs :out x", "cat"),
          sh("B", ":uses workbook:telepathy :out y", "cat")
        ])

      assert {:error, %Error{code: :not_granted} = error} = run(plan, "")
      assert error.details.missing == ["workbook:net/email", "workbook:telepathy"]
      assert error.message =~ "`workbook:net/email`, `workbook:telepathy`"

      assert {:error, %Error{details: %{missing: ["workbook:telepathy"]}}} = run(plan, "", profile: :network)
    end

    test "a script needs commands, whether it says so or not" do
      plan = flow(sh("A", ":out x", "cat"))

      assert {:error, %Error{code: :not_granted, details: %{missing: ["workbook:commands"]}}} =
               run(plan, "", profile: :compute)
    end

    test "components see the disk that the workflow is given", %{tmp_dir: dir} do
      disk = VFS.open!(Path.join(dir, "disk.sqlite"))
      VFS.write!(disk, "a.txt", "hello")

      plan =
        flow([
          sh("Ask", ":out q", "echo 'vfs-query SELECT path FROM vfs'"),
          wasm(dir, "engine_probe", ":in q :uses workbook:fs,workbook:commands :out rows:json")
        ])

      assert {:ok, %{exports: %{"rows" => [["a.txt"]]}}} = run(plan, "", dir: dir, vfs: disk)
    end
  end

  test "a component gets what it asks for, and not what the profile grants beyond that", %{tmp_dir: dir} do
    plan = fn uses -> flow(wasm(dir, "engine_probe", "#{uses} :out x:json")) end

    assert {:ok, %{tasks: %{"Guest" => {:error, why}}}} =
             run(plan.(":uses workbook:commands"), "session-info", dir: dir, profile: :posix)

    assert why == "it imports `vfs-query`, and its `:uses` does not ask for `vfs`"

    assert {:ok, %{exports: %{"x" => info}}} =
             run(plan.(":uses workbook:commands,workbook:fs"), "session-info",
               dir: dir,
               profile: :posix
             )

    assert %{"profile" => "posix", "caps" => ["vfs", "commands"]} = info
  end

  describe "nested workflows, scoped for running" do
    @nested """
    * Report :workflow:
    ** Fetch :component:
    #+begin_src sh :out raw:string
    cat
    #+end_src
    ** Polish :workflow:
    *** Shout :component:
    #+begin_src sh :in raw:string :out loud:string
    tr a-z A-Z
    #+end_src
    *** Mark :component:
    #+begin_src sh :in loud:string :out marked:string
    printf '%s!' "$(cat)"
    #+end_src
    ** Frame :component:
    #+begin_src sh :in marked:string :out framed:string
    printf '[%s]' "$(cat)"
    #+end_src
    """

    test "a value made outside is visible inside, and the other way round" do
      assert {:ok, result} = run(@nested, "hello")
      assert result.workflow == "Report"
      assert result.exports["framed"] == "[HELLO!]"
      # Each workflow has its own components, and no others.
      assert result.tasks == %{"Fetch" => "hello", "Frame" => "[HELLO!]"}

      assert [%{workflow: "Polish", tasks: %{"Shout" => "HELLO", "Mark" => "HELLO!"}, workflows: []} = nested] =
               result.workflows

      assert nested.exports == %{"marked" => "HELLO!"}
    end

    test "a failure inside is the reason outside" do
      plan = String.replace(@nested, "tr a-z A-Z", "exit 9")
      assert {:ok, result} = run(plan, "hello")
      assert result.tasks["Frame"] == {:error, "`Shout` failed: it ended with status 9"}
    end

    test "grafting a sub-workflow compiles" do
      graft = """
      ** Count :workflow:
      *** Bytes :component:
      #+begin_src sh :in framed:string :out bytes:json
      wc -c
      #+end_src
      """

      assert {:ok, result} = run(@nested <> graft, "hello")
      assert result.exports["bytes"] == 8
    end
  end

  test "a plan with several workflows is asked which" do
    plan = flow(sh("A", ":out x", "printf 1")) <> "* Other :workflow:\n" <> sh("B", ":out y", "printf 2")
    assert {:error, %Error{code: :bad_option, message: message}} = run(plan, "")
    assert message == "the plan has 2 workflows: `Flow`, `Other`"
    assert {:ok, %{exports: %{"y" => "2"}}} = run(plan, "", workflow: "Other")
    assert {:error, %Error{code: :not_found}} = run(plan, "", workflow: "None")
    assert {:error, %Error{code: :not_found}} = run("* No workflow\n", "")
  end

  test "a bad option is an error" do
    for wrong <- [[width: 0], [timeout: "x"], [vfs: "path"], [nonsense: 1]] do
      assert {:error, %Error{code: :bad_option}} = run(flow(sh("A", ":out x", "cat")), "", wrong)
    end
  end

  test "no more run at once than the workflow is wide" do
    # Each says when it began and when it ended; what counts is how many were between the two at once.
    parts = for n <- 1..6, do: sh("C#{n}", ":out v#{n}", "date +%s%N; sleep 0.2; date +%s%N")
    {:ok, %{tasks: tasks}} = run(flow(parts), "", width: 2)
    spans = for {_, times} <- tasks, do: times |> String.split() |> Enum.map(&String.to_integer/1)
    assert length(spans) == 6
    for [began, _] <- spans, do: assert(Enum.count(spans, fn [b, e] -> b <= began and began < e end) <= 2)
  end

  test "state of a persistent script is on the disk it is given", %{tmp_dir: dir} do
    disk = VFS.open!(Path.join(dir, "disk.sqlite"))
    plan = flow(sh("Count", ":persist :out n:json", "echo x >> state; wc -l < state", 2))
    for n <- 1..3, do: assert({:ok, %{exports: %{"n" => ^n}}} = run(plan, "", vfs: disk))
  end
end
