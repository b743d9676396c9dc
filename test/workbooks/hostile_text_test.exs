defmodule Workbooks.HostileTextTest do
  # Text from strangers: a right answer or a clear error, never a crash, never a hang.
  # The clock is part of it, so no other test runs beside.
  use ExUnit.Case, async: false

  alias Workbooks.{Error, OQL}

  @mib 1024 * 1024

  @questions [
    parse_headlines: &OQL.parse_headlines/1,
    query: &__MODULE__.query/1,
    lint: &OQL.lint/1,
    tangle: &OQL.tangle/1,
    validate: &OQL.validate/1,
    check_upgrade: &__MODULE__.check_upgrade/1,
    render: &OQL.render/1,
    tasks: &OQL.tasks/1,
    set_state: &__MODULE__.set_state/1
  ]

  def query(text), do: OQL.query(text, ~S[(todo "TODO")])
  def check_upgrade(text), do: OQL.check_upgrade(text, text)
  def set_state(text), do: OQL.set_state(text, "no-such-task", "DONE")

  for {name, _} <- @questions do
    test "#{name} refuses text that is not UTF-8" do
      assert {:error, %Error{code: :not_utf8, message: message}} =
               ask(unquote(name), <<"* Plan ", 0xC3, 0x28>>)

      assert message == "the text is not UTF-8: byte 7 (the first is 0)"
    end

    test "#{name} refuses text beyond 16 MiB" do
      assert {:error, %Error{code: :too_large}} = ask(unquote(name), String.duplicate("a", 16 * @mib + 1))
    end

    test "#{name} refuses headlines nested deeper than 1,000" do
      assert {:error, %Error{code: :too_deep}} = ask(unquote(name), nested(5_000))
    end

    # A text that keeps the kernel busy for too long is refused as too complex.
    test "#{name} answers or refuses odd text" do
      for {what, text} <- odd_texts() do
        answer = ask(unquote(name), text)
        assert answered?(unquote(name), answer), "#{what}: #{inspect(answer, limit: 3)}"
      end
    end
  end

  test "a nesting of 1,000 is fine" do
    assert length(OQL.tasks(nested(1_000))) == 1_000
    workflows = Enum.map_join(1..1_000, &"#{String.duplicate("*", &1)} W#{&1} :workflow:\n")
    assert %{"worlds" => [%{"name" => "W1"}]} = OQL.tangle(workflows)
  end

  test "100,000 headlines are fine" do
    assert length(OQL.parse_headlines(many(100_000))) == 100_000
    assert OQL.validate(many(100_000)) == []
  end

  test "exactly 16 MiB is fine" do
    assert OQL.validate(String.duplicate("a", 16 * @mib)) == []
  end

  test "titles keep their bytes" do
    for title <- ["🚀 déjà vu", "tab\there", "nul\0here", "a *bold* move"] do
      assert [%{"title" => ^title}] = OQL.parse_headlines("* #{title}\n")
    end
  end

  test "a BOM and CRLF change nothing" do
    plan = Workbooks.WorkedPlans.broken()
    assert OQL.validate("\uFEFF" <> String.replace(plan, "\n", "\r\n")) == OQL.validate(plan)
  end

  test "a query that cannot be read names its column" do
    assert {:error, %Error{code: :bad_query, message: message}} = OQL.query("* A\n", "(tags")
    assert message =~ "column"
  end

  defp ask(name, text), do: @questions[name].(text)

  defp answered?(_name, {:error, %Error{code: code}}),
    do: code in [:too_large, :too_deep, :too_complex, :unknown_task]

  defp answered?(:render, answer), do: is_binary(answer)
  defp answered?(:tangle, answer), do: is_map(answer)
  defp answered?(_name, answer), do: is_list(answer)

  defp odd_texts do
    [
      {"100,000 headlines", many(100_000)},
      {"16 MiB of short headlines", many(900_000)},
      {"280 KB of unclosed quotes", String.duplicate("#+begin_quote\n", 20_000)},
      {"unclosed source blocks", String.duplicate("* A :workflow:\n#+begin_src js :in a:b\n", 5_000)},
      {"unclosed drawers", String.duplicate("* A\n:PROPERTIES:\n:A: b\n", 5_000)},
      {"stars", String.duplicate("*", 100_000)},
      {"emphasis that never ends", String.duplicate("*a ", 30_000)},
      {"links that never end", String.duplicate("[[", 50_000)},
      {"one long line of tags", "* A " <> String.duplicate(":a", 50_000) <> ":\n"},
      {"NULs", String.duplicate("* \0\n", 1_000)},
      {"CRLF", String.duplicate("* TODO A\r\nb\r\n", 1_000)},
      {"a BOM", "\uFEFF* A\n"},
      {"tabs", String.duplicate("*\tA\t:x:\n", 1_000)},
      {"emoji", String.duplicate("* 👩‍👩‍👧‍👦 :🚀:\n", 1_000)}
    ]
  end

  defp many(n), do: String.duplicate("* TODO Task :tag:\n", n)
  defp nested(n), do: Enum.map_join(1..n, &"#{String.duplicate("*", &1)} H\n")
end
