defmodule Workbooks.Native do
  @moduledoc false
  # The only module that knows the shared library. A NIF returns at once; the work happens on a thread of the library
  # and the answer comes as a message. `ask/1` is the one way to call: it makes the tag, calls and waits.
  # `await/1` turns a failure into a `Workbooks.Error` as well.

  alias Workbooks.{Config, Error}

  @on_load :load

  @type runtime :: reference
  @type kernel :: reference

  @type disk :: reference
  @type question :: reference
  @type recording :: reference
  @type sessions :: reference
  @type deployment :: reference
  @type transform :: reference
  @type component :: {:file, Path.t()} | {:bytes, binary}

  @doc "Starts the threads: workers for what blocks, guest threads for instances."
  @spec start(Config.t()) :: runtime
  def start(%Config{} = config) do
    runtime_start(%{
      workers: config.workers,
      queue: config.queue,
      cache: config.cache_dir,
      guest_threads: config.guest_threads,
      batteries: config.batteries,
      registry: config.registry_dir,
      lanes: config.lanes
    })
  end

  @doc "Loads a kernel component."
  @spec load_kernel(runtime, Path.t()) ::
          {:ok, {kernel, :cached | :compiled | {:unsaved, String.t()}}} | {:error, Error.t()}
  def load_kernel(runtime, path), do: await(&kernel_load(runtime, &1, path))

  @doc "Calls an export of the kernel with its texts."
  @spec call_kernel(kernel, String.t(), [binary]) :: {:ok, term} | {:error, Error.t()}
  def call_kernel(kernel, export, texts), do: await(&kernel_call(kernel, &1, export, texts))

  @doc "JSON to a term with string keys."
  @spec decode_json(runtime, binary) :: {:ok, term} | {:error, Error.t()}
  def decode_json(runtime, json), do: await(&json_decode(runtime, &1, json))

  @doc "Runs a component once. The reason of an error is the host's own; `Workbooks.Instance` says what it means."
  @spec run_instance(runtime, component, binary, map) :: {:ok, String.t()} | {:error, term}
  def run_instance(runtime, component, input, order),
    do: ask(&instance_run(runtime, &1, component, input, order))

  @doc "Does one thing with the registry of commands."
  @spec call_registry(runtime, tuple | :names | :words) :: {:ok, term} | {:error, term}
  def call_registry(runtime, operation), do: ask(&registry_call(runtime, &1, operation))

  @doc "Runs a script. The reason of an error is the shell's own; `Workbooks.Shell` says what it means."
  @spec run_shell(runtime, map, {pid, term} | nil) :: {:ok, map} | {:error, term}
  def run_shell(runtime, order, stream), do: ask(&shell_run(runtime, &1, order, stream))

  @doc "Lists the build lanes."
  @spec list_lanes(runtime) :: {:ok, [map]} | {:error, Error.t()}
  def list_lanes(runtime), do: await(&lanes_list(runtime, &1))

  @doc "Builds source. The reason of an error is the lane's own; `Workbooks.Lanes` says what it means."
  @spec build_lane(runtime, map, {pid, term} | nil) :: {:ok, map} | {:error, term}
  def build_lane(runtime, order, progress), do: ask(&lanes_build(runtime, &1, order, progress))

  @doc "Holds a component against a world of `wit/engine.wit`."
  @spec check_conformance(runtime, component, String.t()) :: {:ok, :ok} | {:error, term}
  def check_conformance(runtime, component, world),
    do: ask(&conformance_check(runtime, &1, component, world))

  @doc "Holds a new build of a component against the old one."
  @spec check_upgrade(runtime, component, component) :: {:ok, [map]} | {:error, term}
  def check_upgrade(runtime, old, new), do: ask(&conformance_upgrade(runtime, &1, {old, new}))

  @doc "Opens a disk."
  @spec open_disk(runtime, Path.t(), pos_integer) :: {:ok, disk} | {:error, Error.t()}
  def open_disk(runtime, path, max_pages), do: await(&disk_open(runtime, &1, path, max_pages))

  @doc "Does one thing with a disk."
  @spec call_disk(disk, tuple | :close) :: {:ok, term} | {:error, Error.t()}
  def call_disk(disk, operation), do: await(&disk_call(disk, &1, operation))

  @doc "Begins to record a run. Gives the recording, the plan's true path, and what opening found."
  @spec open_history(runtime, map) :: {:ok, {recording, Path.t(), [String.t()]}} | {:error, Error.t()}
  def open_history(runtime, opening), do: await(&history_open(runtime, &1, opening))

  @doc "Does one thing with a recording."
  @spec call_history(recording, tuple | :close) :: {:ok, term} | {:error, Error.t()}
  def call_history(recording, operation), do: await(&history_call(recording, &1, operation))

  @doc "Exchanges the text of a plan."
  @spec exchange_plan(runtime, Path.t(), binary, binary) :: {:ok, :ok | binary} | {:error, Error.t()}
  def exchange_plan(runtime, plan, expected, new),
    do: await(&history_exchange(runtime, &1, {plan, expected, new}))

  @doc "Asks a history directory."
  @spec ask_history(runtime, Path.t(), tuple | :did) :: {:ok, term} | {:error, Error.t()}
  def ask_history(runtime, dir, question), do: await(&history_ask(runtime, &1, {dir, question}))

  @doc "Does one thing with a bundle."
  @spec call_bundle(runtime, tuple) :: {:ok, term} | {:error, Error.t()}
  def call_bundle(runtime, operation), do: await(&bundle_call(runtime, &1, operation))

  @doc "Answers a question: for the schedules of a plan, or one that is JSON."
  @spec ask_schedule(runtime, {:plan | :ask, binary}) :: {:ok, term} | {:error, Error.t()}
  def ask_schedule(runtime, question), do: await(&schedule_ask(runtime, &1, question))

  @doc "Opens the sessions in a directory."
  @spec open_sessions(runtime, Path.t()) :: {:ok, sessions} | {:error, Error.t()}
  def open_sessions(runtime, dir), do: await(&session_open(runtime, &1, dir))

  @doc "Asks one thing of sessions: a verb, its parameters as JSON, and the verdict of a check as JSON."
  @spec call_sessions(sessions, String.t(), String.t(), String.t()) :: {:ok, term} | {:error, Error.t()}
  def call_sessions(sessions, verb, params, verdict),
    do: await(&session_call(sessions, &1, verb, {params, verdict}))

  @doc "Begins to change the deployed workbook in a directory. Gives the deployment, and what is live or `nil`."
  @spec begin_deploy(runtime, Path.t()) :: {:ok, {deployment, map | nil}} | {:error, Error.t()}
  def begin_deploy(runtime, dir), do: await(&deploy_begin(runtime, &1, dir))

  @doc "Takes one step of a change."
  @spec step_deploy(deployment, tuple | atom) :: {:ok, term} | {:error, Error.t()}
  def step_deploy(deployment, step), do: await(&deploy_step(deployment, &1, step))

  @doc "Asks the directory of a deployed workbook."
  @spec ask_deploy(runtime, Path.t(), tuple | atom) :: {:ok, term} | {:error, Error.t()}
  def ask_deploy(runtime, dir, question), do: await(&deploy_ask(runtime, &1, {dir, question}))

  @doc "Makes a toolkit of a source."
  @spec run_import(runtime, map) :: {:ok, map} | {:error, Error.t()}
  def run_import(runtime, order), do: await(&import_run(runtime, &1, order))

  @doc "Audits a toolkit."
  @spec run_audit(runtime, Path.t(), boolean) :: {:ok, map} | {:error, Error.t()}
  def run_audit(runtime, dir, deep), do: await(&audit_run(runtime, &1, {dir, deep}))

  @doc "Asks one thing of toolkits: a verb, its parameters as JSON, and the place."
  @spec call_toolkits(runtime, String.t(), String.t(), map) :: {:ok, term} | {:error, Error.t() | tuple}
  def call_toolkits(runtime, verb, params, place),
    do: await(&toolkit_call(runtime, &1, verb, {params, place}))

  @doc "Loads a kernel with its memory in bytes and its milliseconds for each call."
  @spec open_transform(runtime, binary, pos_integer, pos_integer) :: {:ok, transform} | {:error, term}
  def open_transform(runtime, wasm, memory, time),
    do: ask(&transform_open(runtime, &1, {wasm, memory, time}))

  @doc "Calls a kernel. The reason of an error is the host's own; `Workbooks.KernelRegistry` says what it means."
  @spec process_transform(transform, binary) :: {:ok, binary} | {:error, term}
  def process_transform(transform, input), do: ask(&transform_process(transform, &1, input))

  @doc "Answers a guest's question. Quick, so it needs no message."
  @spec dock_reply(question, {:ok, String.t()} | {:error, String.t()}) :: :ok
  def dock_reply(_question, _answer), do: :erlang.nif_error(failure())

  defp await(call) do
    with {:error, reason} <- ask(call), do: {:error, error(reason)}
  end

  defp ask(call) do
    tag = make_ref()

    with :ok <- call.(tag) do
      receive do
        {^tag, answer} -> answer
      end
    end
  end

  @doc "A failure that has no meaning of its own for the caller, as an error."
  @spec error(term) :: Error.t() | {:lane_unavailable, String.t(), String.t()}
  def error(%{"code" => _, "message" => _, "hint" => _} = refusal), do: Error.from_kernel(refusal)

  def error({:not_utf8, offset}),
    do:
      Error.new(:not_utf8, "the text is not UTF-8: byte #{offset} (the first is 0)", "save the file as UTF-8")

  def error(:bad_argument), do: Error.new(:not_utf8, "an argument is not UTF-8 text", "use UTF-8 names")
  def error({:disk, code, message, hint}), do: Error.from_disk(code, message, hint)
  def error({:import, code, message, hint}), do: Error.from_disk(code, message, hint)

  def error({:bundle, code, message, hint, diagnostics}),
    do: Error.from_bundle(code, message, hint, diagnostics)

  def error({:history, code, message, hint, run_id}),
    do: Error.from_history(code, message, hint, run_id)

  def error({:lane, code, message, hint}), do: Error.from_disk(code, message, hint)
  def error({:session, %{} = envelope}), do: Error.from_session(envelope)

  # A lane that is not there is said in the words of `Workbooks.Lanes`.
  def error({:toolkit, "lane_unavailable", _message, hint, lang}) when is_binary(lang),
    do: {:lane_unavailable, lang, hint}

  def error({:toolkit, code, message, hint, _lang}), do: Error.from_disk(code, message, hint)

  def error({:trap, why}), do: error({:crashed, "the guest trapped: #{why}"})

  def error({reason, detail}) when is_binary(detail) do
    {code, hint} = meaning(reason)
    Error.new(code, detail, hint)
  end

  def error(_), do: Error.new(:kernel_crashed, "the kernel gave an error that cannot be read", rebuild())

  defp meaning(:deadline), do: {:too_complex, "split the plan, or look for a block that is never closed"}
  defp meaning(:memory), do: {:too_complex, "split the plan"}
  defp meaning(:busy), do: {:busy, "try again later, or raise `config :workbooks, queue:`"}
  defp meaning(:cancelled), do: {:cancelled, "call again"}
  defp meaning(:not_json), do: {:not_json, "check the text at the place named"}

  defp meaning(reason) when reason in [:crashed, :panic],
    do: {:kernel_crashed, "report the text that caused it"}

  defp meaning(reason) when reason in [:unfit, :file, :engine, :not_private],
    do: {:kernel_unavailable, rebuild()}

  defp rebuild, do: "run `make build`"

  @doc false
  def load do
    case :erlang.load_nif(library(), 0) do
      :ok -> :ok
      # The application says it in the words of Workbooks.Error; failing here would only say `undef`.
      {:error, {_reason, text}} -> :persistent_term.put({__MODULE__, :failure}, to_string(text))
    end
  end

  defp library do
    case :code.priv_dir(:workbooks) do
      {:error, :bad_name} -> 'workbooks_nif'
      priv -> :filename.join(priv, 'native/workbooks_nif')
    end
  end

  # Stubs, replaced when the library loads.
  @doc false
  def runtime_start(_order), do: :erlang.nif_error(failure())
  @doc false
  def kernel_load(_runtime, _tag, _path), do: :erlang.nif_error(failure())
  @doc false
  def kernel_call(_kernel, _tag, _export, _texts), do: :erlang.nif_error(failure())
  @doc false
  def json_decode(_runtime, _tag, _json), do: :erlang.nif_error(failure())
  @doc false
  def instance_run(_runtime, _tag, _component, _input, _order), do: :erlang.nif_error(failure())
  @doc false
  def registry_call(_runtime, _tag, _operation), do: :erlang.nif_error(failure())
  @doc false
  def shell_run(_runtime, _tag, _order, _stream), do: :erlang.nif_error(failure())
  @doc false
  def lanes_list(_runtime, _tag), do: :erlang.nif_error(failure())
  @doc false
  def lanes_build(_runtime, _tag, _order, _progress), do: :erlang.nif_error(failure())
  @doc false
  def conformance_check(_runtime, _tag, _component, _world), do: :erlang.nif_error(failure())
  @doc false
  def conformance_upgrade(_runtime, _tag, _builds), do: :erlang.nif_error(failure())
  @doc false
  def disk_open(_runtime, _tag, _path, _max_pages), do: :erlang.nif_error(failure())
  @doc false
  def disk_call(_disk, _tag, _operation), do: :erlang.nif_error(failure())
  @doc false
  def deploy_begin(_runtime, _tag, _dir), do: :erlang.nif_error(failure())
  @doc false
  def deploy_step(_deployment, _tag, _step), do: :erlang.nif_error(failure())
  @doc false
  def deploy_ask(_runtime, _tag, _question), do: :erlang.nif_error(failure())
  @doc false
  def import_run(_runtime, _tag, _order), do: :erlang.nif_error(failure())
  @doc false
  def audit_run(_runtime, _tag, _order), do: :erlang.nif_error(failure())
  def bundle_call(_runtime, _tag, _operation), do: :erlang.nif_error(failure())
  @doc false
  def schedule_ask(_runtime, _tag, _question), do: :erlang.nif_error(failure())
  @doc false
  def session_open(_runtime, _tag, _dir), do: :erlang.nif_error(failure())
  @doc false
  def session_call(_sessions, _tag, _verb, _order), do: :erlang.nif_error(failure())
  @doc false
  def toolkit_call(_runtime, _tag, _verb, _order), do: :erlang.nif_error(failure())
  @doc false
  def transform_open(_runtime, _tag, _order), do: :erlang.nif_error(failure())
  @doc false
  def transform_process(_transform, _tag, _input), do: :erlang.nif_error(failure())
  @doc false
  def history_open(_runtime, _tag, _opening), do: :erlang.nif_error(failure())
  @doc false
  def history_call(_recording, _tag, _operation), do: :erlang.nif_error(failure())
  @doc false
  def history_exchange(_runtime, _tag, _order), do: :erlang.nif_error(failure())
  @doc false
  def history_ask(_runtime, _tag, _question), do: :erlang.nif_error(failure())

  defp failure do
    text = :persistent_term.get({__MODULE__, :failure}, "the native library is not loaded")
    Error.new(:kernel_unavailable, text, rebuild())
  end
end
