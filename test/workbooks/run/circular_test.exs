defmodule Workbooks.Run.CircularTest do
  @moduledoc "A check that proves nothing new is flagged in the record of its verdict, and is never refused."
  use Workbooks.RunCase, async: true

  alias Workbooks.Operations

  # Title, check, block, and the rule that the record names.
  @tasks [
    {"bare", "true", "echo a > bare", "WB014"},
    {"touched", "test -e touched.txt", "touch touched.txt", "WB015"},
    {"redirected", "test -f empty.txt", "> empty.txt", "WB015"},
    {"compared", "cmp f g", "echo a > f; echo a > g", "WB016"},
    {"expected", "grep -q \"$(cat exp)\" out", "echo yes > exp; echo yes > out", "WB016"},
    {"content", "grep -q yes content.txt", "echo yes > content.txt", nil},
    {"sized", "test -s sized.txt", "echo yes > sized.txt", nil},
    {"fixture", "cmp given copied", "cat given > copied", nil},
    {"unheard", "test -e given", nil, nil}
  ]

  test "the rule is in the record", context do
    File.write!(Path.join(context.work, "given"), "from outside\n")

    org =
      for {title, check, block, _rule} <- @tasks,
          into: "",
          do: "* TODO #{title}\n:done-when: #{check}\n#{block(block)}"

    assert %{state: :done} = run!(context, org, [])
    lines = Operations.call!("ledger.show", %{at: context.plan}, history: context.history)
    warnings = for %{"kind" => "verdict"} = line <- lines, into: %{}, do: {line["task_id"], line["warnings"]}

    for {title, _check, _block, rule} <- @tasks do
      found = Enum.map(warnings[title], &hd(String.split(&1, ":")))
      assert found == List.wrap(rule), "#{title}: #{inspect(warnings[title])}"
    end
  end

  defp block(nil), do: ""
  defp block(script), do: "#+begin_src sh\n#{script}\n#+end_src\n"
end
