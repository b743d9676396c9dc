defmodule Workbooks.Workflow.Refusal do
  @moduledoc false
  # Why a plan is not run: errors whose `details.diagnostics` have the kernel's shape, so that whoever shows them needs to
  # know one shape alone.

  alias Workbooks.{Error, OQL}

  @type failure :: %{component: String.t(), why: String.t()}

  @doc "The plan does not cohere."
  @spec invalid_plan([map]) :: Error.t()
  def invalid_plan(diagnostics) do
    new(
      :invalid_plan,
      "the plan does not cohere: #{summary(diagnostics)}",
      "see `wbx lint --all`",
      diagnostics
    )
  end

  @doc "Components that cannot be built."
  @spec build_failed([failure, ...]) :: Error.t()
  def build_failed(failures) do
    diagnostics =
      for %{component: name, why: why} <- failures,
          do: diagnostic(name, "component `#{name}` cannot be built: #{why}")

    error = new(:build_failed, summary(diagnostics), "mend the source; nothing has run", diagnostics)
    put_in(error.details[:failures], failures)
  end

  @doc "An error with its diagnostics."
  @spec new(Error.code(), String.t(), String.t(), [OQL.diagnostic()]) :: Error.t()
  def new(code, message, hint, diagnostics),
    do: %{Error.new(code, message, hint) | details: %{diagnostics: diagnostics}}

  @doc "A diagnostic in the kernel's shape."
  @spec diagnostic(String.t(), String.t()) :: OQL.diagnostic()
  def diagnostic(scope, message), do: %{"level" => "error", "message" => message, "scope" => scope}

  @doc "The first of the errors, and how many more there are."
  @spec summary([OQL.diagnostic(), ...]) :: String.t()
  def summary(diagnostics) do
    [first | more] = Enum.filter(diagnostics, &(&1["level"] == "error"))
    place = if first["scope"] == "", do: "", else: " (`#{first["scope"]}`)"
    first["message"] <> place <> if(more == [], do: "", else: ", and #{length(more)} more")
  end
end
