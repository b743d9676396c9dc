defmodule Workbooks.SessionTest do
  use ExUnit.Case, async: true

  alias Workbooks.{Error, Session}

  @moduletag :tmp_dir

  doctest Workbooks.Session

  @plan """
  #+WORKFLOW: project.page 1.0.0
  #+TITLE: A page
  * TODO Fetch
  :done-when: test -s page.html
  * TODO Judge
  :CONTRACT: wb.contracts.verdict
  """

  setup %{tmp_dir: dir} do
    workdir = Path.join(dir, "work")
    File.mkdir_p!(workdir)
    {:ok, sessions} = Session.open(Path.join(dir, "sessions"), workdir: workdir)
    %{sessions: sessions, workdir: workdir, dir: dir}
  end

  defp step(answer), do: answer["pending"]["stepId"]

  test "a step's check runs in the WASM shell: evidence, not flags", %{sessions: sessions, workdir: workdir} do
    {:ok, first} = Session.start(sessions, @plan)
    {:ok, refused} = Session.continue(sessions, first["token"], notes: "done, I promise")
    assert [%{"code" => "INVALID_REQUIRED_OUTPUT", "pointer" => %{"stepId" => "fetch"}}] = refused["blockers"]
    File.write!(Path.join(workdir, "page.html"), "<p>")
    # The refusal is recorded; the new token can succeed.
    assert Session.continue(sessions, first["token"]) == {:ok, refused}
    {:ok, judge} = Session.continue(sessions, refused["token"])
    assert step(judge) == "judge"
    verdict = %{kind: "wb.verdict", verdict: "accept", confidence: "high", because: "it has a byte"}
    {:ok, done} = Session.continue(sessions, judge["token"], artifacts: [verdict])
    assert {done["pending"], done["nextIntent"]} == {nil, "complete"}
  end

  test "a check that cannot be run does not pass", %{sessions: sessions} do
    {:ok, first} = Session.start(sessions, @plan)
    {:ok, refused} = Session.continue(sessions, first["token"], check: fn _ -> {:fail, "no shell"} end)
    assert [%{"message" => "the check does not pass: no shell"}] = refused["blockers"]
  end

  test "many processes with one token advance once and get one answer", %{sessions: sessions} do
    {:ok, first} = Session.start(sessions, "#+WORKFLOW: project.x 1.0.0\n* TODO A\n* TODO B\n")

    answers =
      1..16
      |> Task.async_stream(fn _ -> patiently(fn -> Session.continue(sessions, first["token"]) end) end,
        max_concurrency: 16
      )
      |> Enum.uniq()

    assert [{:ok, {:ok, %{"pending" => %{"stepId" => "b"}}}}] = answers
    {:ok, seen} = Session.inspect(sessions, first["sessionId"])
    assert length(seen["nodes"]) == 2
  end

  defp patiently(call) do
    case call.() do
      {:error, %Error{code: :token_session_locked, details: %{retry: %{"kind" => "retryable_after_ms"}}}} ->
        Process.sleep(1)
        patiently(call)

      answer ->
        answer
    end
  end

  test "what is lost with the chat is found by the branch", %{sessions: sessions} do
    for branch <- ["main", "fix/login"] do
      {:ok, first} = Session.start(sessions, @plan, observations: %{git_branch: branch})
      {:ok, _} = Session.checkpoint(sessions, first["token"], "was on #{branch}")
    end

    {:ok, [best | _]} = Session.resume(sessions, "fix/login")
    assert best["whyMatched"] == ["matched_branch", "matched_notes"]
    {:ok, told} = Session.rehydrate(sessions, best["token"])
    assert {step(told), told["recovery"]} == {"fetch", "was on fix/login"}
  end

  test "a session travels as one text", %{sessions: sessions, dir: dir} do
    {:ok, first} = Session.start(sessions, @plan, context: %{n: 1.5})
    {:ok, bundle} = Session.export(sessions, first["sessionId"])
    {:ok, other} = Session.open(Path.join(dir, "elsewhere"))
    {:ok, imported} = Session.import(other, bundle)
    assert imported["sessionId"] == first["sessionId"]
    assert step(imported["answer"]) == "fetch"
    tampered = String.replace(bundle, "Fetch", "Forge")
    assert {:error, %Error{code: :bundle_integrity_failed}} = Session.import(other, tampered)
    assert {:error, %Error{code: :bundle_invalid_format}} = Session.import(other, "{")
  end

  test "looking, going back, verifying and sweeping", %{sessions: sessions} do
    {:ok, first} =
      Session.start(sessions, "#+WORKFLOW: project.x 1.0.0\n* TODO A\n* TODO B\n",
        preferences: %{riskPolicy: "balanced"},
        full: true
      )

    id = first["sessionId"]
    {:ok, second} = Session.continue(sessions, first["token"], context: %{k: 1}, notes: "one", full: true)
    {:ok, back} = Session.rewind(sessions, id, first["nodeId"])
    {:ok, fork} = Session.continue(sessions, back["token"], full: true)
    assert ["the step was taken before" <> _] = fork["warnings"]
    assert fork["nodeId"] != second["nodeId"]
    {:ok, [line]} = Session.list(sessions)
    assert {line["status"], line["health"]} == {"in_progress", %{"kind" => "healthy"}}
    {:ok, seen} = Session.inspect(sessions, id, workflow: "#+WORKFLOW: project.x 1.0.0\n* TODO C\n")
    assert seen["drift"]
    {:ok, verified} = Session.verify(sessions, id)
    assert verified["segments"] == 3
    {:ok, _} = Session.rotate_keys(sessions)
    assert {:ok, _} = Session.rehydrate(sessions, fork["token"])
    {:ok, _} = Session.keep(sessions, id)
    {:ok, swept} = Session.gc(sessions, ttl_days: 1)
    assert {swept["expired"], swept["doubts"]} == {[], []}
  end

  test "evidence is bound to the directory that was pinned at the start", %{sessions: sessions, dir: dir} do
    {:ok, first} = Session.start(sessions, @plan)
    fake = Path.join(dir, "fake")
    File.mkdir_p!(fake)
    File.write!(Path.join(fake, "page.html"), "planted")
    elsewhere = %{sessions | workdir: fake}
    {:ok, refused} = Session.continue(elsewhere, first["token"])
    assert refused["status"] == "blocked"
    {:ok, seen} = Session.inspect(sessions, first["sessionId"])
    assert [%{"verdicts" => [verdict]} | _] = seen["nodes"]
    assert %{"status" => "failed", "check" => %{"text" => "test -s page.html"}, "judge" => "shell"} = verdict
    assert verdict["workdir"] == seen["charter"]["workdir"]
    refute verdict["workdir"] == fake
    # The operator can bind it anew, and that is recorded.
    {:ok, %{"workdir" => _}} = Session.pin(sessions, first["sessionId"], fake)
    {:ok, judge} = Session.continue(sessions, refused["token"])
    assert step(judge) == "judge"
  end

  test "an agent cannot raise its own autonomy; the user's word and the operator's policy can", context do
    %{sessions: sessions} = context
    {:ok, first} = Session.start(sessions, @plan)
    never = %{autonomy: "full_auto_never_stop"}

    assert {:error, %Error{code: :validation_error} = error} =
             Session.continue(sessions, first["token"], preferences: never)

    assert error.message =~ "cannot raise its own autonomy"
    {:ok, _} = Session.policy(sessions, agentAutonomy: "full_auto_never_stop")
    {:ok, second} = Session.continue(sessions, first["token"], preferences: never)
    assert {step(second), length(second["gaps"])} == {"judge", 1}
    {:ok, %{"agentAutonomy" => "guided"}} = Session.policy(sessions, agentAutonomy: "guided")
  end

  test "a check that spins is stopped as soon here as anywhere", %{sessions: sessions} do
    {:ok, first} =
      Session.start(sessions, "#+WORKFLOW: project.x 1.0.0\n* TODO A\n:done-when: while :; do :; done\n")

    {:ok, refused} = Session.continue(sessions, first["token"])
    assert refused["status"] == "blocked"
  end

  test "a bundled workflow is started by its id, and nobody else can have that id", %{sessions: sessions} do
    {:ok, all} = Session.workflows(sessions)
    assert Enum.count(all, &(&1["sourceKind"] == "bundled")) == 10

    {:ok, first} =
      Session.start(sessions, {:id, "wb.research"}, context: %{question: "why?"}, title: "Why", goal: "know")

    assert first["workflow"] == "wb.research"
    claimed = "#+WORKFLOW: wb.research 1.0.0\n* TODO Nothing\n"
    assert {:error, %Error{code: :validation_error}} = Session.start(sessions, claimed)
    assert {:error, %Error{code: :validation_error}} = Session.start(sessions, claimed, kind: "bundled")
    {:ok, [line | _]} = Session.list(sessions, limit: 1)
    assert {line["title"], line["goal"]} == {"Why", "know"}
    {:ok, child} = Session.start(sessions, @plan, parent: first["token"])
    {:ok, [line]} = Session.list(sessions, parent: first["sessionId"])
    assert line["sessionId"] == child["sessionId"]

    {:ok, %{"steps" => [one | _]}} =
      Session.preview(sessions, {:id, "wb.research"}, context: %{question: "why?"})

    assert one["prompt"] =~ "Turn why? into"
  end

  test "a session over a plan skips what is proven, and writes what it proves", context do
    %{sessions: sessions, workdir: workdir, dir: dir} = context
    plan = Path.join(dir, "plan.org")
    history = Path.join(dir, "history")

    text =
      "#+WORKFLOW: project.pages 1.0.0\n* TODO One\n:done-when: test -s one\n* TODO Two\n:done-when: test -s two\n"

    File.write!(plan, text)

    call = fn verb, params ->
      Workbooks.Operations.call("session." <> verb, params,
        sessions: sessions.ref,
        workdir: workdir,
        history: history
      )
    end

    start = fn -> call.("start", %{workflow: %{text: File.read!(plan)}, plan: plan, writePlan: true}) end
    {:ok, first} = start.()
    {:ok, refused} = call.("continue", %{token: first["token"], intent: "advance"})
    assert refused["status"] == "blocked"
    assert File.read!(plan) =~ "* FAILED One"
    File.write!(Path.join(workdir, "one"), "1")
    {:ok, second} = call.("continue", %{token: refused["token"], intent: "advance"})
    assert {step(second), second["warnings"]} == {"two", nil}
    assert File.read!(plan) =~ "* DONE One\n:done-when: test -s one\n* TODO Two"
    {:ok, rows} = Workbooks.Operations.call("telemetry.events", %{at: plan}, history: history)

    assert [%{"state" => "FAILED"}, %{"state" => "DONE", "how" => "done-when: test -s one", "run_id" => run}] =
             rows

    assert String.starts_with?(run, first["sessionId"])
    {:ok, verified} = Workbooks.Operations.call("ledger.verify", %{at: plan}, history: history)
    assert verified["tamper_evident"]
    # Another session begins where this one got to.
    {:ok, other} = start.()
    assert step(other) == "two"
    assert ["what the plan's history proves done is skipped: one"] = other["warnings"]
  end

  test "errors are one envelope", %{sessions: sessions} do
    assert {:error, %Error{code: :token_invalid_format, hint: hint}} = Session.continue(sessions, "nonsense")
    assert hint =~ "copy the token"
    assert {:error, %Error{code: :validation_error} = error} = Session.start(sessions, "* TODO A\n")
    assert error.message =~ "no #+WORKFLOW: line"
    large = String.duplicate("x", 300_000)

    assert {:error, %Error{details: %{facts: facts}}} =
             Session.start(sessions, @plan, context: %{blob: large})

    assert %{"maxBytes" => 262_144, "method" => "UTF-8 bytes of RFC 8785 JSON"} = facts
    missing = "sess_aaaaaaaaaaaaaaaaaaaaaaaaaa"
    assert {:error, %Error{code: :session_not_found}} = Session.inspect(sessions, missing)
  end
end
