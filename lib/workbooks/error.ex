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
  | `:already_running` | somebody runs the plan at this moment; `details` has the `:run_id` |
  | `:no_history`, `:not_sealed` | no run of the plan is known; the run was never sealed |
  | `:not_private` | others may write what only the user should |
  | `:not_telemetry`, `:not_a_ledger` | the file is something else |
  | `:conflict` | two others edited the plan at once, or deploy the workbook |
  | `:cycle` | the tasks of the plan, or its components, wait for each other |
  | `:not_granted` | the policy does not grant what a workflow asks for; `details` has what is `:missing` |
  | `:unknown_run`, `:not_waiting` | no run has that id; the task waits for no report |
  | `:token_invalid_format`, `:token_unsupported_version`, `:token_bad_signature`, `:token_scope_mismatch`, `:token_unknown_node`, `:token_workflow_hash_mismatch`, `:token_session_locked` | the token of a session does not fit, see `Workbooks.Session` |
  | `:session_locked`, `:session_not_found`, `:session_corrupt`, `:session_unknown_version`, `:session_invariant_violation` | a session is held, gone or damaged |
  | `:store_io`, `:store_busy`, `:store_bad_snapshot`, `:store_bad_workflow`, `:store_bad_keyring` | the directory of sessions cannot be used |
  | `:bundle_invalid_format`, `:bundle_unsupported_version`, `:bundle_integrity_failed`, `:bundle_missing_snapshot`, `:bundle_missing_pinned_workflow`, `:bundle_event_order_invalid`, `:bundle_manifest_order_invalid` | the bundle of a session is refused |
  | `:diagnostics` | the plan has diagnostics, and is not bundled; `details` has the `:diagnostics` |
  | `:not_a_bundle`, `:unsafe_entry`, `:changed` | the bundle is none, would do harm, or is not what its manifest says |
  | `:bad_schedule`, `:unknown_zone` | the schedule of a workflow cannot be read; there is no such time zone |
  | `:bad_source`, `:build_failed` | a lane cannot read the source as a project; its compiler refused it, see `Workbooks.Lanes` |
  | `:validation_error` | what was sent to a session breaks a rule; the message says which |
  | `:no_toolkits`, `:unknown_toolkit`, `:unknown_skill`, `:unknown_recipe`, `:invalid_name` | there is no such toolkit, skill or recipe |
  | `:invalid_manifest`, `:unreadable_org`, `:file_refused`, `:bad_record` | a file of a toolkit cannot be used; the message names it |
  | `:bad_signature`, `:not_the_author`, `:execution_is_off`, `:posix_is_off` | a toolkit may not do this, see `Workbooks.Toolkits` |
  | `:nothing_to_build`, `:not_fetched`, `:hash_mismatch`, `:bad_archive`, `:lane_unavailable`, `:reserved_name`, `:registry_full` | a toolkit was not built |
  | `:bad_rows`, `:fetch_failed` | a source of rows gave none |
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
    :exists,
    :already_running,
    :no_history,
    :not_sealed,
    :not_private,
    :not_telemetry,
    :not_a_ledger,
    :conflict,
    :cycle,
    :not_granted,
    :unknown_run,
    :not_waiting,
    :token_invalid_format,
    :token_unsupported_version,
    :token_bad_signature,
    :token_scope_mismatch,
    :token_unknown_node,
    :token_workflow_hash_mismatch,
    :token_session_locked,
    :session_locked,
    :session_not_found,
    :session_corrupt,
    :session_unknown_version,
    :session_invariant_violation,
    :store_io,
    :store_busy,
    :store_bad_snapshot,
    :store_bad_workflow,
    :store_bad_keyring,
    :bundle_invalid_format,
    :bundle_unsupported_version,
    :bundle_integrity_failed,
    :bundle_missing_snapshot,
    :bundle_missing_pinned_workflow,
    :bundle_event_order_invalid,
    :bundle_manifest_order_invalid,
    :diagnostics,
    :not_a_bundle,
    :unsafe_entry,
    :changed,
    :bad_schedule,
    :unknown_zone,
    :bad_source,
    :build_failed,
    :no_toolkits,
    :unknown_toolkit,
    :unknown_skill,
    :unknown_recipe,
    :invalid_name,
    :invalid_manifest,
    :unreadable_org,
    :file_refused,
    :bad_record,
    :bad_signature,
    :not_the_author,
    :execution_is_off,
    :posix_is_off,
    :nothing_to_build,
    :not_fetched,
    :hash_mismatch,
    :bad_archive,
    :lane_unavailable,
    :reserved_name,
    :registry_full,
    :bad_rows,
    :fetch_failed,
    :validation_error
  ]

  @enforce_keys [:code, :message]
  defexception [:code, :message, hint: "", details: %{}]

  @type code ::
          unquote(Enum.reduce(Enum.reverse(@codes), fn code, rest -> {:|, [], [code, rest]} end))

  @type t :: %__MODULE__{code: code, message: String.t(), hint: String.t(), details: map}

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

  # From the history, whose codes are all in the set.
  @doc false
  @spec from_history(String.t(), String.t(), String.t(), String.t() | nil) :: t
  def from_history(name, message, hint, nil), do: from_disk(name, message, hint)

  def from_history(name, message, hint, run_id),
    do: %{from_disk(name, message, hint) | details: %{run_id: run_id}}

  # From a bundle, whose codes are all in the set.
  @doc false
  @spec from_bundle(String.t(), String.t(), String.t(), [map] | nil) :: t
  def from_bundle(name, message, hint, nil), do: from_disk(name, message, hint)

  def from_bundle(name, message, hint, diagnostics),
    do: %{from_disk(name, message, hint) | details: %{diagnostics: diagnostics}}

  # From a session, whose codes are all in the set. The rest of its envelope is in the details.
  @doc false
  @spec from_session(map) :: t
  def from_session(%{"code" => name, "message" => message, "suggestion" => suggestion} = envelope) do
    error = new(code(String.downcase(name)) || :validation_error, message, suggestion)
    %{error | details: %{retry: envelope["retry"], facts: envelope["details"]}}
  end

  defp code(name), do: Enum.find(@codes, &(Atom.to_string(&1) == name))
end
