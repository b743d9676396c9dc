defmodule Workbooks.Run.StatusTest do
  @moduledoc "`wbx status` and `Workbooks.Run.audit/1` are one rule on two surfaces."
  use Workbooks.RunCase, async: true

  @wbx Path.expand("../../../target/release/wbx", __DIR__)

  @org """
  * DONE Group
  ** TODO earned
  :done-when: true
  ** TODO hardened
  :done-when: true
  ** TODO block
  #+begin_src sh :check
   true
  #+end_src
  ** TODO failed
  :done-when: false
  ** TODO word
  * DONE person
  * DONE empty
  :done-when:
  * DONE foreign
  #+begin_src python :check
  exit(0)
  #+end_src
  * CANCELLED never
  * TODO open
  :BLOCKER: failed
  """

  test "they give the same claims for the same reasons", context do
    run!(context, @org, run: fn _ -> {:ok, ""} end)
    claimed = String.replace(File.read!(context.plan), ~r/(FAILED|PARTIAL) /, "DONE ")

    File.write!(
      context.plan,
      String.replace(claimed, "hardened\n:done-when: true", "hardened\n:done-when: test 1")
    )

    audited =
      for claim <- Run.audit!(context.plan, history: context.history),
          do: {claim.id, claim.line, claim.reason}

    assert audited == [
             {"group", 1, "the last verdict is PARTIAL"},
             {"hardened", 4, "it was earned by another check"},
             {"failed", 10, "the last verdict is FAILED"},
             {"person", 13, "no run recorded it"},
             {"empty", 14, "its check cannot be passed: `:done-when:` is empty"},
             {"foreign", 16,
              "its check cannot be passed: the check is written in `python`, which the shell does not run"}
           ]

    {json, 0} = System.cmd(@wbx, ["status", context.plan, "--history", context.history])
    {:ok, %{"tasks" => tasks, "unproven" => count}} = Workbooks.JSON.decode(json)

    shown =
      for %{"unproven" => reason} = task when reason != nil <- tasks, do: {task["id"], task["line"], reason}

    assert {shown, count} == {audited, length(audited)}
  end
end
