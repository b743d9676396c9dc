defmodule Workbooks.Error do
  alias Workbooks.Error.Codes

  @moduledoc """
  Errors are data: a `code` from a closed set, a `message` that says what is wrong and where, a `hint` that says what
  to do about it, `details` for programs, and whether the same call can succeed later (`retryable`).

      iex> {:error, error} = Workbooks.OQL.validate(<<"* Plan", 255>>)
      iex> error.code
      :not_utf8
      iex> Exception.message(error)
      "the text is not UTF-8: byte 6 (the first is 0)"

  It is an exception as well, so `raise error` works, and every function that can fail has a twin with `!` that does.
  Public functions give `{:ok, _} | {:error, %Workbooks.Error{}}`. The exceptions: `Workbooks.OQL` answers bare values, and
  so do `Workbooks.Conformance.engine?/1`, `Workbooks.Workflow.Todo` and `Workbooks.Lifecycle.durable_components/1`.

  Each code is declared beside what raises it. These are all of them:

  | code | what happened |
  |---|---|
  #{Enum.map_join(Codes.all(), "\n", fn {code, meaning} -> "| `#{inspect(code)}` | #{meaning} |" end)}
  """

  @codes Keyword.keys(Codes.all())
  @passing Codes.passing()

  @enforce_keys [:code, :message]
  defexception [:code, :message, hint: "", details: %{}, retryable: false]

  @type code ::
          unquote(Enum.reduce(Enum.reverse(@codes), fn code, rest -> {:|, [], [code, rest]} end))

  @type t :: %__MODULE__{
          code: code,
          message: String.t(),
          hint: String.t(),
          details: map,
          retryable: boolean
        }

  @doc "The closed set of codes."
  @spec codes() :: [code]
  def codes, do: @codes

  @doc """
  An error.

      iex> error = Workbooks.Error.new(:unknown_run, "there is no run `r`", "see Workbooks.Run.list/0", %{run_id: "r"})
      iex> {error.details, error.retryable}
      {%{run_id: "r"}, false}
  """
  @spec new(code, String.t(), String.t(), map) :: t
  def new(code, message, hint, details \\ %{}) when code in @codes,
    do: %__MODULE__{code: code, message: message, hint: hint, details: details, retryable: code in @passing}

  @doc "The value, or the error raised: what a function with `!` makes of its twin's answer."
  @spec bang(:ok | {:ok, value} | {:error, t}) :: :ok | value when value: term
  def bang(:ok), do: :ok
  def bang({:ok, value}), do: value
  def bang({:error, %__MODULE__{} = error}), do: raise(error)

  # The one way in which a failure of the native side becomes an error.
  @doc false
  @spec from_native(tuple) :: t
  def from_native({:failure, name, message, hint, retryable, details, pointer}) do
    %__MODULE__{
      code: Map.fetch!(by_name(), String.downcase(name)),
      message: message,
      hint: hint,
      retryable: retryable,
      details: if(pointer, do: Map.put(details, :pointer, pointer), else: details)
    }
  end

  # As operations and frames carry it.
  @doc false
  @spec from_frame(map) :: t
  def from_frame(%{"code" => name, "message" => message, "hint" => hint}),
    do: new(Map.fetch!(by_name(), String.downcase(name)), message, hint)

  # As frames carry it.
  @doc false
  @spec to_frame(t) :: map
  def to_frame(%__MODULE__{} = error) do
    {pointer, details} = Map.pop(error.details, :pointer)

    %{
      code: error.code,
      message: error.message,
      hint: error.hint,
      retryable: error.retryable,
      details: details,
      pointer: pointer
    }
  end

  @by_name Map.new(@codes, &{Atom.to_string(&1), &1})
  defp by_name, do: @by_name
end
