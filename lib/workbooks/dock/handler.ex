defmodule Workbooks.Dock.Handler do
  @moduledoc """
  Answers what guests ask of the world outside: a prompt (`llm`) or a URL (`browse`).

      defmodule MyApp.Model do
        @behaviour Workbooks.Dock.Handler

        @impl true
        def answer(prompt, session), do: MyApp.LLM.complete(prompt, tenant: session["tenant"])
      end

  A handler is such a module, a `{module, function}`, or a function of two arguments. Each question runs in a process of
  its own, which is killed when the guest is stopped. A crash is an error for the guest and for nobody else.
  """

  @typedoc "Who asks: what `session-info` answers, decoded."
  @type session :: %{String.t() => term}
  @type answer :: {:ok, String.t()} | {:error, String.t()}
  @type t :: module | {module, atom} | (String.t(), session -> answer)

  @doc "The answer to a prompt or a URL."
  @callback answer(text :: String.t(), session) :: answer

  @doc false
  @spec valid?(term) :: boolean
  def valid?({kind, handler}) when kind in [:llm, :browse], do: handler?(handler)
  def valid?(_), do: false

  defp handler?({module, function}) when is_atom(module) and is_atom(function), do: true

  defp handler?(handler),
    do: is_function(handler, 2) or (is_atom(handler) and handler not in [nil, true, false])

  @doc false
  @spec ask(t, String.t(), session) :: answer
  def ask({module, function}, text, session), do: apply(module, function, [text, session])
  def ask(module, text, session) when is_atom(module), do: module.answer(text, session)
  def ask(function, text, session), do: function.(text, session)
end
