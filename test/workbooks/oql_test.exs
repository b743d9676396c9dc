defmodule Workbooks.OQLTest do
  use ExUnit.Case, async: true

  alias Workbooks.{Error, Lifecycle, OQL, Policy, WorkedPlans}

  describe "validate" do
    test "gives the worked example's two diagnostics and nothing else" do
      assert OQL.validate(WorkedPlans.broken()) == [
               %{
                 "level" => "error",
                 "message" => "input `events:list` has no upstream producer",
                 "scope" => "Summarize"
               },
               %{
                 "level" => "error",
                 "message" => "component has no source block / language",
                 "scope" => "Orphan task"
               }
             ]
    end

    test "gives an empty list for a plan that coheres, for prose and for nothing" do
      for text <- [WorkedPlans.agent(), "Just prose.\n", ""], do: assert(OQL.validate(text) == [])
    end
  end

  describe "check_upgrade" do
    test "gives the demo's three diagnostics in their order" do
      new = WorkedPlans.report(":uses workbook:net/email :out report:json")

      assert OQL.check_upgrade(WorkedPlans.report(), new) == [
               %{
                 "level" => "error",
                 "message" => "export `report:string` removed (breaking)",
                 "scope" => "Report"
               },
               %{
                 "level" => "warn",
                 "message" => "new capability `workbook:net/email` now required",
                 "scope" => "Report"
               },
               %{
                 "level" => "error",
                 "message" => "component `Build` output type changed (breaking)",
                 "scope" => "Report"
               }
             ]
    end

    test "finds nothing between a plan and itself" do
      for plan <- [WorkedPlans.broken(), WorkedPlans.report(), WorkedPlans.agent()],
          do: assert(OQL.check_upgrade(plan, plan) == [])
    end

    test "takes a rename for a removal, unless identity is asked for" do
      old = "* Report :workflow:\n:PROPERTIES:\n:WB_ID: r-1\n:END:\n"
      new = String.replace(old, "Report", "Weekly report")

      assert OQL.check_upgrade(old, new) == [
               %{"level" => "error", "message" => "workflow removed (breaking)", "scope" => "Report"}
             ]

      assert OQL.check_upgrade(old, new, identity: true) == []
    end

    test "explains on request" do
      [removed | _] =
        OQL.check_upgrade(WorkedPlans.report(), WorkedPlans.report(":out report:json"), explain: true)

      assert %{"old_line" => 3, "witness" => witness} = removed["explain"]
      assert is_binary(witness)
    end

    test "refuses an option that it does not know, or a value" do
      for opts <- [[idenity: true], [types: :loose], [identity: "yes"]] do
        assert {:error, %Error{code: :bad_option}} = OQL.check_upgrade("", "", opts)
      end
    end
  end

  describe "lint" do
    test "checks capabilities against the policy by default" do
      findings = OQL.lint(WorkedPlans.report(":uses workbook:telepathy :out report:string"))
      assert [%{"code" => "WB006", "level" => _, "line" => 3, "scope" => "Build"}] = findings
    end

    test "accepts every name of the policy" do
      for name <- Policy.uses() do
        name = String.replace(name, "*", "email")
        assert OQL.lint(WorkedPlans.report(":uses #{name} :out report:string")) == []
      end
    end

    test "takes the caller's capabilities, or none" do
      plan = WorkedPlans.report(":uses telepathy :out report:string")
      assert OQL.lint(plan, capabilities: ["telepathy"]) == []
      assert OQL.lint(plan, capabilities: nil) == []
      assert [%{"code" => "WB006"}] = OQL.lint(plan, capabilities: [])
    end

    test "checks commands against those of the shell, or the caller's, or none" do
      plan = "* TODO Build\n:done-when: teleport home\n"
      assert [%{"code" => "WB007"}] = OQL.lint(plan)
      assert [%{"code" => "WB007"}] = OQL.lint(plan, commands: ["test"])
      assert OQL.lint(plan, commands: ["teleport"]) == []
      assert OQL.lint(plan, commands: nil) == []
    end
  end

  describe "durable_components" do
    test "gives the persist demo's one name" do
      assert Lifecycle.durable_components(WorkedPlans.agent()) == ["Remember"]
      assert WorkedPlans.agent() |> OQL.tangle() |> Lifecycle.durable_components() == ["Remember"]
    end

    test "goes into nested workflows and keeps the order of the document" do
      plan = """
      * Outer :workflow:
      ** Inner :workflow:
      *** First :component:
      #+begin_src js :persist
      #+end_src
      ** Second :component:
      #+begin_src js :persist
      #+end_src
      * Other :workflow:
      ** Third :component:
      #+begin_src js :persist
      #+end_src
      """

      assert Lifecycle.durable_components(plan) == ["First", "Second", "Third"]
    end
  end

  describe "set_state" do
    test "changes the keyword and the cookies above it, and not one other byte" do
      before = "\uFEFF* Week [0/2] [0%]\t\r\n** TODO  Rest \t\r\n\ttext  \r\n** TODO Work\r\n"
      after_ = "\uFEFF* Week [1/2] [50%]\t\r\n** DONE  Rest \t\r\n\ttext  \r\n** TODO Work\r\n"
      assert OQL.set_state(before, "rest", "DONE") == after_
    end
  end
end
