defmodule Workbooks.Deploy.Options do
  @moduledoc false
  # What a deploy or a rollback was asked, judged before anything happens.

  alias Workbooks.Error

  defstruct grant: [], force: false, why: nil, by: nil, profile: nil, dir: nil, clock: &__MODULE__.now/0

  @type t :: %__MODULE__{}

  @doc false
  def now, do: System.os_time(:millisecond)

  @spec new(keyword) :: {:ok, t} | {:error, Error.t()}
  def new(opts) do
    case Enum.find(opts, &(not option?(&1))) do
      nil -> opts |> then(&struct!(__MODULE__, &1)) |> named() |> reasoned()
      wrong -> bad("no such option: #{inspect([wrong], limit: 5)}", "see the options of Workbooks.Deploy")
    end
  end

  defp option?({:grant, uses}), do: is_list(uses) and Enum.all?(uses, &text?/1)
  defp option?({:force, force}), do: is_boolean(force)
  defp option?({key, text}) when key in [:why, :by, :dir], do: text == nil or text?(text)
  defp option?({:profile, name}), do: is_atom(name) or text?(name)
  defp option?({:clock, clock}), do: is_function(clock, 0)
  defp option?(_), do: false

  defp text?(text), do: is_binary(text) and String.valid?(text)

  defp named(%{by: nil} = options), do: %{options | by: System.get_env("USER") || "unknown"}
  defp named(options), do: options

  # Who overrides the gate says why, or does not.
  defp reasoned(%{force: true, why: why}) when why in [nil, ""],
    do: bad("`force:` needs a reason", "say why with `why:`; it is written into the history")

  defp reasoned(options), do: {:ok, options}

  defp bad(text, hint), do: {:error, Error.new(:bad_option, text, hint)}

  @doc "What the history says about it."
  @spec note(t, map) :: map
  def note(options, more \\ %{}),
    do: Map.merge(%{at: options.clock.(), by: options.by, why: options.why}, more)
end
