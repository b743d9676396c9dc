defmodule Workbooks.Workflow.Value do
  @moduledoc false
  # What flows between components. A plan writes `name:type`; `string`, or no type, is text, and every other type is JSON.

  alias Workbooks.{Error, JSON}

  @enforce_keys [:text, :term]
  defstruct [:text, :term]

  @typedoc "As a component gives and gets it, and what it means: the text itself, or the term that JSON stands for."
  @type t :: %__MODULE__{text: String.t(), term: term}

  @doc """
  The name in `name:type`.

      iex> Workbooks.Workflow.Value.name("report: list<string>")
      "report"
  """
  @spec name(String.t()) :: String.t()
  def name(value), do: value |> String.split(":", parts: 2) |> hd() |> String.trim()

  @doc """
  How a value of that type travels.

      iex> for value <- ["a", "a:string", "a:json", "a:list<string>"], do: Workbooks.Workflow.Value.type(value)
      [:string, :string, :json, :json]
  """
  @spec type(String.t() | nil) :: :string | :json
  def type(nil), do: :string

  def type(value) do
    case String.split(value, ":", parts: 2) do
      [_name] -> :string
      [_name, type] -> if String.trim(type) in ["", "string"], do: :string, else: :json
    end
  end

  @doc "The type of what a component gets: several values come as one JSON object."
  @spec input_type([String.t()]) :: :string | :json
  def input_type([]), do: :string
  def input_type([value]), do: type(value)
  def input_type([_ | _]), do: :json

  @doc "Reads what a component gave for `value`."
  @spec read(binary, String.t() | nil) :: {:ok, t} | {:error, String.t()}
  def read(text, value) do
    cond do
      not String.valid?(text) -> {:error, "its output is not UTF-8"}
      type(value) == :string -> {:ok, %__MODULE__{text: text, term: text}}
      true -> json(text, value)
    end
  end

  defp json(text, value) do
    case JSON.decode(text) do
      {:ok, term} -> {:ok, %__MODULE__{text: text, term: term}}
      {:error, %Error{message: why}} -> {:error, "its output `#{value}` is not JSON: #{why}"}
    end
  end

  @doc "What a workflow is given: a text, or a term that becomes JSON."
  @spec given(term) :: {:ok, String.t()} | {:error, Error.t()}
  def given(text) when is_binary(text) do
    if String.valid?(text),
      do: {:ok, text},
      else: {:error, Error.new(:not_utf8, "the input is not UTF-8", "give text")}
  end

  def given(term), do: JSON.encode(term)

  @doc "What a component gets for its inputs: one as it is, several as an object by their names."
  @spec joined([{String.t(), t}]) :: {:ok, String.t()} | {:error, String.t()}
  def joined([{_name, value}]), do: {:ok, value.text}

  def joined(values) do
    case values |> keyed() |> JSON.encode() do
      {:ok, json} -> {:ok, json}
      {:error, %Error{message: why}} -> {:error, why}
    end
  end

  @doc """
  Terms by the names of their values. Where two values of different types share a name, each keeps its whole text.

      iex> alias Workbooks.Workflow.Value
      iex> Value.keyed([{"a:string", %Value{text: "x", term: "x"}}, {"b:json", %Value{text: "1", term: 1}}])
      %{"a" => "x", "b" => 1}
  """
  @spec keyed([{String.t(), t}]) :: %{String.t() => term}
  def keyed(values) do
    counts = values |> Enum.uniq_by(&elem(&1, 0)) |> Enum.frequencies_by(fn {value, _} -> name(value) end)

    Map.new(values, fn {value, %__MODULE__{term: term}} ->
      name = name(value)
      {if(counts[name] == 1, do: name, else: value), term}
    end)
  end
end
