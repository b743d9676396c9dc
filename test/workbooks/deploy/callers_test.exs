defmodule Workbooks.Deploy.CallersTest do
  @moduledoc "A deploy is judged by what somebody gets who runs the workbook, and not by titles alone."
  use Workbooks.DeployCase, async: true

  defp refused!(id, plan, opts \\ []) do
    assert {:error, %Error{code: :breaking, details: %{diagnostics: diagnostics}}} = deploy(id, plan, opts)
    for %{"level" => "error", "code" => code, "scope" => scope} <- diagnostics, do: {code, scope}
  end

  test "a nested workflow of the same title stands in for no export that was removed", %{id: id} do
    v1 = "* Report :workflow:\n" <> sh("Build", ":out report:string", "printf one")
    {:ok, _} = deploy(id, v1)
    assert {:ok, %{exports: %{"report" => "one"}}} = Deploy.run(id, "", workflow: "Report")

    v2 =
      "* Report :workflow:\n" <>
        sh("Other", ":out other:string", "printf two") <>
        "* Whole :workflow:\n** Report :workflow:\n" <> sh("Build", ":out report:string", "printf one", 3)

    assert {"export_removed", "Report"} in refused!(id, v2)
    assert {:ok, %{exports: %{"report" => "one"}}} = Deploy.run(id, "", workflow: "Report")
  end

  test "a second export of the same name moves the first to another key", %{id: id} do
    v1 = flow(sh("Build", ":out report:string", "printf one"))
    {:ok, _} = deploy(id, v1)
    assert {"result_key_moved", "Flow"} in refused!(id, v1 <> sh("More", ":out report:json", "echo 1"))
    assert {:ok, %{exports: %{"report" => "one"}}} = Deploy.run(id, "")
  end

  test "a workflow that is added would refuse a run that names none", %{id: id} do
    v1 = flow(sh("Build", ":out report:string", "printf one"))
    {:ok, _} = deploy(id, v1)
    two = v1 <> "* Other :workflow:\n" <> sh("More", ":out more:string", "printf two")
    assert [{"workflow_choice_needed", _}] = refused!(id, two)
    assert {:ok, %{exports: %{"report" => "one"}}} = Deploy.run(id, "")

    # Whoever takes it upon himself has it in the history.
    assert {:ok, %{version: 2, overridden: [objection]}} =
             deploy(id, two, force: true, why: "everybody names one", by: "ada")

    assert {:ok, [_, %{by: "ada", why: "everybody names one", overridden: [^objection]}]} = Deploy.history(id)
    assert {:ok, %{exports: %{"more" => "two"}}} = Deploy.run(id, "", workflow: "Other")
    # From two to three nobody loses anything.
    three = two <> "* Third :workflow:\n" <> sh("Third", ":out third:string", "printf three")
    assert {:ok, %{version: 3}} = deploy(id, three)
  end

  test "with identity a rename is a rename, and with structure a wider record is no break", %{id: id} do
    plan = fn title, type ->
      "* #{title} :workflow:\n:PROPERTIES:\n:WB_ID: report-1\n:END:\n" <>
        sh("Build", ":out report:#{type}", "echo 1")
    end

    {:ok, _} = deploy(id, plan.("Report", "record{a:string}"))
    wider = plan.("Report", "record{a:string,b:u32}")
    assert refused!(id, wider) != []
    assert {:ok, %{version: 2}} = deploy(id, wider, types: :structural)
    renamed = plan.("Weekly report", "record{a:string,b:u32}")
    assert refused!(id, renamed) == [{"workflow_removed", "Report"}]
    assert {:ok, %{version: 3}} = deploy(id, renamed, identity: true)
    assert {:error, %Error{code: :bad_option}} = deploy(id, renamed, types: :loose)
    assert {:error, %Error{code: :bad_option}} = deploy(id, renamed, identity: 1)
  end

  test "what a plan says in its messages decides nothing", %{id: id} do
    # A component and a capability that read like the gate's own words.
    odd = "new capability `x` now required"
    {:ok, _} = deploy(id, flow(sh(odd, ":out a", "printf a")))

    assert {:error, %Error{code: :not_granted, details: %{missing: ["workbook:net/`"]}}} =
             deploy(id, flow(sh(odd, ":uses workbook:net/` :out a", "printf a")))
  end
end
