defmodule Workbooks.Deploy.Refusal do
  @moduledoc false
  # Why a plan does not go live. Like the refusals of a run, each has `details.diagnostics`.

  import Workbooks.Workflow.Refusal, only: [diagnostic: 2, new: 4, summary: 1]

  alias Workbooks.{Error, OQL}
  alias Workbooks.Workflow.Refusal

  @codes [:invalid_plan, :breaking, :not_granted, :build_failed, :no_checkpoint]

  @doc "Whether an error is the answer of one of the four steps, and not a failure to take it."
  @spec refusal?(Error.t()) :: boolean
  def refusal?(%Error{code: code, details: details}), do: code in @codes and is_map_key(details, :diagnostics)

  @doc "A promise of the plan that is live would be broken."
  @spec breaking([OQL.diagnostic(), ...]) :: Error.t()
  def breaking(diagnostics) do
    hint = "keep the promise, or deploy with `force:` and say why"

    new(
      :breaking,
      "the plan breaks a promise of the one that is live: #{summary(diagnostics)}",
      hint,
      diagnostics
    )
  end

  @doc "Capabilities that the plan newly asks for, and that were not granted."
  @spec not_granted([String.t(), ...]) :: Error.t()
  def not_granted(missing) do
    diagnostics =
      for use <- missing, do: diagnostic(use, "capability `#{use}` is newly asked for and not granted")

    names = Enum.map_join(missing, ", ", &"`#{&1}`")
    error = new(:not_granted, "the plan newly asks for #{names}", "grant it with `grant:`", diagnostics)
    put_in(error.details[:missing], missing)
  end

  @doc "Components of the live version that did not say what they want kept."
  @spec no_checkpoint([Refusal.failure(), ...]) :: Error.t()
  def no_checkpoint(failures) do
    diagnostics = for %{component: name} = failure <- failures, do: diagnostic(name, objection(failure))
    hint = "mend it in a version that keeps its state, or deploy with `force:` and say why"
    error = new(:no_checkpoint, summary(diagnostics), hint, diagnostics)
    put_in(error.details[:failures], failures)
  end

  @doc "What the history says of a checkpoint that was gone without."
  @spec objection(Refusal.failure()) :: String.t()
  def objection(%{component: name, why: why}), do: "component `#{name}` gave no checkpoint: #{why}"
end
