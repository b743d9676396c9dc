defmodule Workbooks.BangTest do
  @moduledoc "One error shape: whatever answers `{:error, %Workbooks.Error{}}` has a twin that raises it."
  use ExUnit.Case, async: true

  # `Workbooks.OQL` and `Workbooks.Workflow.Todo` keep the bare answers that the reference shows, and what rests on them
  # does as well. An exchange that finds another text has a third answer. `engine?` is a question, `start_link` OTP's own.
  @without [
    {Workbooks.OQL, :all},
    {Workbooks.Lifecycle, :durable_components},
    {Workbooks.Lifecycle, :check},
    {Workbooks.History, :states},
    {Workbooks.History, :exchange},
    {Workbooks.Conformance, :engine?},
    {Workbooks.Instance, :start_link},
    {Workbooks.Workflow.Todo, :run},
    {Workbooks.Workflow.Todo, :tasks},
    {Workbooks.Testing, :run_scripted},
    {Workbooks.Error, :bang}
  ]

  test "every documented function that can fail has a twin with a bang" do
    {:ok, modules} = :application.get_key(:workbooks, :modules)

    missing =
      for module <- modules,
          name <- failing(module),
          {module, :all} not in @without and {module, name} not in @without,
          twin = String.to_atom("#{name}!"),
          not Enum.any?(module.__info__(:functions), fn {known, _} -> known == twin end),
          do: "#{inspect(module)}.#{name}"

    assert missing == []
  end

  # The documented functions of a module whose spec has the error of ours.
  defp failing(module) do
    with {:docs_v1, _, _, _, %{}, _, docs} <- Code.fetch_docs(module),
         {:ok, specs} <- Code.Typespec.fetch_specs(module) do
      documented = for {{:function, name, arity}, _, _, %{}, _} <- docs, do: {name, arity}

      for {{name, arity}, forms} <- specs,
          {name, arity} in documented,
          not String.ends_with?("#{name}", "!"),
          Enum.any?(forms, &fails?(module, name, &1)),
          uniq: true,
          do: name
    else
      _ -> []
    end
  end

  defp fails?(_module, name, form) do
    {:"::", _, [_call, answer]} = name |> Code.Typespec.spec_to_quoted(form) |> plain()
    text = Macro.to_string(answer)
    String.contains?(text, ["Workbooks.Error.t()", "error()", "moved()"])
  end

  defp plain({:when, _, [spec | _]}), do: spec
  defp plain(spec), do: spec
end
