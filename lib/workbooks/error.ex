defmodule Workbooks.Error do
  @moduledoc """
  Errors are data: a `code` from a closed set, a `message` that says what is wrong and where, a `hint` that says what
  to do about it.

      iex> {:error, error} = Workbooks.OQL.validate(<<"* Plan", 255>>)
      iex> error.code
      :not_utf8
      iex> Exception.message(error)
      "the text is not UTF-8: byte 6 (the first is 0)"

  It is an exception as well, so `raise error` works.

  | code | what happened |
  |---|---|
  | `:not_utf8` | the bytes are not UTF-8 |
  | `:too_large` | the text is longer than 16 MiB |
  | `:too_deep` | headlines nest deeper than 1,000 |
  | `:too_complex` | the text takes more time or memory than a call may have |
  | `:bad_query` | the query cannot be read; the message has the column |
  | `:bad_option` | an option is unknown or has a bad value |
  | `:unknown_task` | no task has that id |
  | `:unknown_state` | the state is not one of the plan's keywords |
  | `:not_json` | the text is not JSON, or the term has none |
  | `:kernel_unavailable` | the kernel component is missing or unfit |
  | `:kernel_crashed` | the kernel failed on this text: a bug; the next call works |
  | `:busy` | too many calls are waiting |
  | `:cancelled` | the call was interrupted |
  | `:not_found` | there is no such file |
  | `:unfit` | the component cannot be used for this |
  | `:unknown_volume`, `:invalid_path`, `:path_conflict`, `:file_too_large`, `:not_a_file`, `:own_file` | the disk does not hold such a file |
  | `:denied`, `:many_statements`, `:sql` | the disk does not run such a statement |
  | `:value_too_large`, `:schema_too_large`, `:too_many_rows`, `:output_too_large`, `:timeout`, `:memory`, `:disk_full` | a limit of the disk |
  | `:not_a_disk`, `:unknown_version`, `:corrupt` | the file cannot be used |
  | `:io` | the machine refused |
  | `:closed` | the disk is closed |
  | `:illegal_move` | a workbook in that state cannot go there |
  | `:unknown_workbook`, `:exists` | no workbook has that id; one has it already |
  """

  @codes [
    :not_utf8,
    :too_large,
    :too_deep,
    :too_complex,
    :bad_query,
    :bad_option,
    :unknown_task,
    :unknown_state,
    :not_json,
    :kernel_unavailable,
    :kernel_crashed,
    :busy,
    :cancelled,
    :not_found,
    :unfit,
    :unknown_volume,
    :invalid_path,
    :path_conflict,
    :file_too_large,
    :not_a_file,
    :own_file,
    :denied,
    :many_statements,
    :sql,
    :value_too_large,
    :schema_too_large,
    :too_many_rows,
    :output_too_large,
    :timeout,
    :memory,
    :disk_full,
    :not_a_disk,
    :unknown_version,
    :corrupt,
    :io,
    :closed,
    :illegal_move,
    :unknown_workbook,
    :exists
  ]

  @enforce_keys [:code, :message]
  defexception [:code, :message, hint: ""]

  @type code ::
          unquote(Enum.reduce(Enum.reverse(@codes), fn code, rest -> {:|, [], [code, rest]} end))

  @type t :: %__MODULE__{code: code, message: String.t(), hint: String.t()}

  @doc "The closed set of codes."
  @spec codes() :: [code]
  def codes, do: @codes

  @doc false
  @spec new(code, String.t(), String.t()) :: t
  def new(code, message, hint) when code in @codes,
    do: %__MODULE__{code: code, message: message, hint: hint}

  # From the kernel's JSON. A code that is not in the set cannot become an atom.
  @doc false
  @spec from_kernel(map) :: t
  def from_kernel(%{"code" => name, "message" => message, "hint" => hint}) do
    case code(name) do
      nil -> new(:kernel_crashed, "the kernel gave an unknown error `#{name}`: #{message}", hint)
      code -> new(code, message, hint)
    end
  end

  # From the disk, whose codes are all in the set.
  @doc false
  @spec from_disk(String.t(), String.t(), String.t()) :: t
  def from_disk(name, message, hint), do: new(code(name) || :io, message, hint)

  defp code(name), do: Enum.find(@codes, &(Atom.to_string(&1) == name))
end
