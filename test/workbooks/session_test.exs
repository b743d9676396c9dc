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
        preferences: %{riskPolicy: "balanced"}
      )

    id = first["sessionId"]
    {:ok, second} = Session.continue(sessions, first["token"], context: %{k: 1}, notes: "one")
    {:ok, back} = Session.rewind(sessions, id, first["nodeId"])
    {:ok, fork} = Session.continue(sessions, back["token"])
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
