defmodule Workbooks.Deploy.Options do
  @moduledoc false
  # What a deploy or a rollback was asked, judged before anything happens.

  alias Workbooks.{Author, Error}

  defstruct grant: [],
            force: false,
            identity: false,
            types: :exact,
            why: nil,
            by: nil,
            profile: nil,
            dir: nil,
            clock: &__MODULE__.now/0

  @type t :: %__MODULE__{
          grant: [String.t()],
          force: boolean,
          identity: boolean,
          types: :exact | :structural,
          why: String.t() | nil,
          by: String.t() | nil,
          profile: Workbooks.Policy.name() | nil,
          dir: Path.t() | nil,
          clock: (() -> integer)
        }

  @doc false
  def now, do: System.os_time(:millisecond)

  @spec new(keyword) :: {:ok, t} | {:error, Error.t()}
  def new(opts) do
    case Enum.find(opts, &(not option?(&1))) do
      nil -> opts |> then(&struct!(__MODULE__, &1)) |> with_reason()
      wrong -> bad("no such option: #{inspect([wrong], limit: 5)}", "see the options of Workbooks.Deploy")
    end
  end

  defp option?({:grant, uses}), do: is_list(uses) and Enum.all?(uses, &text?/1)
  defp option?({key, flag}) when key in [:force, :identity], do: is_boolean(flag)
  defp option?({:types, types}), do: types in [:exact, :structural]
  defp option?({key, text}) when key in [:why, :by, :dir], do: text == nil or text?(text)
  defp option?({:profile, name}), do: is_atom(name) or text?(name)
  defp option?({:clock, clock}), do: is_function(clock, 0)
  defp option?(_), do: false

  defp text?(text), do: is_binary(text) and String.valid?(text)

  # Whoever overrides the gate says why: the history has to answer for it.
  defp with_reason(%{force: true, why: why} = options) do
    if blank?(why),
      do: bad("`force:` needs a reason", "say why with `why:`; it is written into the history"),
      else: with_author(options)
  end

  defp with_reason(options), do: with_author(options)

  defp with_author(options),
    do: with({:ok, name} <- Author.named(options.by), do: {:ok, %{options | by: name}})

  defp blank?(text), do: text == nil or String.trim(text) == ""

  defp bad(text, hint), do: {:error, Error.new(:bad_option, text, hint)}

  @doc "What the history says about it."
  @spec note(t, map) :: map
  def note(options, more \\ %{}),
    do: Map.merge(%{at: options.clock.(), by: options.by, why: options.why}, more)
end
