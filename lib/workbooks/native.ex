defmodule Workbooks.Native do
  @moduledoc false
  # The only module that knows the shared library. A NIF returns at once; the work happens on a thread of the library
  # and the answer comes as a message. `ask/1` is the one way to call: it makes the tag, calls, waits, and turns a failure
  # into a `Workbooks.Error`.

  alias Workbooks.{Config, Error, Places}

  @on_load :load

  @type runtime :: reference
  @type kernel :: reference

  @type disk :: reference
  @type question :: reference
  @type operation :: reference
  @type recording :: reference
  @type server :: reference
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
      guest_threads: config.guest_threads,
      engine: %{
        environment: Places.environment(),
        places: Places.list(Map.take(config, Config.places())),
        without: if(config.data_dir, do: [], else: ["data_dir"]),
        profiles:
          for({name, one} <- config.profiles, do: {name, one.memory_mib, one.time_s, one.capabilities})
      }
    })
  end

  @doc "Takes a data directory; who has it is in the error's details."
  @spec take_data(Path.t()) :: {:ok, reference} | {:error, Error.t()}
  def take_data(dir) do
    with {:error, reason} <- data_take(dir), do: {:error, Error.from_native(reason)}
  end

  @doc "Who works here, as git or the system says."
  @spec author(runtime) :: {:ok, String.t()} | {:error, Error.t()}
  def author(runtime), do: ask(&engine_author(runtime, &1))

  @doc "Loads a kernel component."
  @spec load_kernel(runtime, Path.t()) ::
          {:ok, {kernel, :cached | :compiled | {:unsaved, String.t()}}} | {:error, Error.t()}
  def load_kernel(runtime, path), do: ask(&kernel_load(runtime, &1, path))

  @doc "Calls an export of the kernel with its texts."
  @spec call_kernel(kernel, String.t(), [binary]) :: {:ok, term} | {:error, Error.t()}
  def call_kernel(kernel, export, texts), do: ask(&kernel_call(kernel, &1, export, texts))

  @doc "JSON to a term with string keys."
  @spec decode_json(runtime, binary) :: {:ok, term} | {:error, Error.t()}
  def decode_json(runtime, json), do: ask(&json_decode(runtime, &1, json))

  @doc "Runs a component once."
  @spec run_instance(runtime, component, binary, map) :: {:ok, String.t()} | {:error, Error.t()}
  def run_instance(runtime, component, input, order),
    do: ask(&instance_run(runtime, &1, component, input, order))

  @doc "Does one thing with the registry of commands."
  @spec call_registry(runtime, tuple | :names | :words) :: {:ok, term} | {:error, Error.t()}
  def call_registry(runtime, operation), do: ask(&registry_call(runtime, &1, operation))

  @doc "Runs a script."
  @spec run_shell(runtime, map, {pid, term} | nil) :: {:ok, map} | {:error, Error.t()}
  def run_shell(runtime, order, stream), do: ask(&shell_run(runtime, &1, order, stream))

  @doc "Reads the check of a task."
  @spec read_check(map) :: {:fit, String.t(), String.t(), String.t()} | {:unfit, String.t()} | nil
  def read_check(said), do: acceptance_read(said)

  @doc "Asks a check, and gives its verdict."
  @spec run_check(runtime, map) :: {:ok, map} | {:error, Error.t()}
  def run_check(runtime, order), do: ask(&acceptance_check(runtime, &1, order))

  @doc "Lists the build lanes."
  @spec list_lanes(runtime) :: {:ok, [map]} | {:error, Error.t()}
  def list_lanes(runtime), do: ask(&lanes_list(runtime, &1))

  @doc "Builds source."
  @spec build_lane(runtime, map, {pid, term} | nil) :: {:ok, map} | {:error, Error.t()}
  def build_lane(runtime, order, progress), do: ask(&lanes_build(runtime, &1, order, progress))

  @doc "Holds a component against a world of `wit/engine.wit`."
  @spec check_conformance(runtime, component, String.t()) :: {:ok, :ok} | {:error, Error.t()}
  def check_conformance(runtime, component, world),
    do: ask(&conformance_check(runtime, &1, component, world))

  @doc "Holds a new build of a component against the old one."
  @spec check_upgrade(runtime, component, component) :: {:ok, [map]} | {:error, Error.t()}
  def check_upgrade(runtime, old, new), do: ask(&conformance_upgrade(runtime, &1, {old, new}))

  @doc "Opens a disk."
  @spec open_disk(runtime, Path.t(), pos_integer) :: {:ok, disk} | {:error, Error.t()}
  def open_disk(runtime, path, max_pages), do: ask(&disk_open(runtime, &1, path, max_pages))

  @doc "Does one thing with a disk."
  @spec call_disk(disk, tuple | :close) :: {:ok, term} | {:error, Error.t()}
  def call_disk(disk, operation), do: ask(&disk_call(disk, &1, operation))

  @doc "Takes a plan for a run. Gives the recording, which is not open yet, and the plan's true path."
  @spec claim_history(runtime, map) :: {:ok, {recording, Path.t()}} | {:error, Error.t()}
  def claim_history(runtime, claim), do: ask(&history_claim(runtime, &1, claim))

  @doc "Does one thing with a recording."
  @spec call_history(recording, tuple | atom) :: {:ok, term} | {:error, Error.t()}
  def call_history(recording, operation), do: ask(&history_call(recording, &1, operation))

  @doc "Exchanges the text of a plan."
  @spec exchange_plan(runtime, Path.t(), binary, binary) :: {:ok, :ok | binary} | {:error, Error.t()}
  def exchange_plan(runtime, plan, expected, new),
    do: ask(&history_exchange(runtime, &1, {plan, expected, new}))

  @doc "Asks a history directory."
  @spec ask_history(runtime, Path.t(), tuple | :did) :: {:ok, term} | {:error, Error.t()}
  def ask_history(runtime, dir, question), do: ask(&history_ask(runtime, &1, {dir, question}))

  @doc "Does one thing with a bundle."
  @spec call_bundle(runtime, tuple) :: {:ok, term} | {:error, Error.t()}
  def call_bundle(runtime, operation), do: ask(&bundle_call(runtime, &1, operation))

  @doc "Opens the sessions in a directory."
  @spec open_sessions(runtime, Path.t()) :: {:ok, sessions} | {:error, Error.t()}
  def open_sessions(runtime, dir), do: ask(&session_open(runtime, &1, dir))

  @doc "Begins to change the deployed workbook in a directory. Gives the deployment, and what is live or `nil`."
  @spec begin_deploy(runtime, Path.t()) :: {:ok, {deployment, map | nil}} | {:error, Error.t()}
  def begin_deploy(runtime, dir), do: ask(&deploy_begin(runtime, &1, dir))

  @doc "Takes one step of a change."
  @spec step_deploy(deployment, tuple | atom) :: {:ok, term} | {:error, Error.t()}
  def step_deploy(deployment, step), do: ask(&deploy_step(deployment, &1, step))

  @doc "Asks the directory of a deployed workbook."
  @spec ask_deploy(runtime, Path.t(), tuple | atom) :: {:ok, term} | {:error, Error.t()}
  def ask_deploy(runtime, dir, question), do: ask(&deploy_ask(runtime, &1, {dir, question}))

  @doc "Loads a kernel with its memory in bytes and its milliseconds for each call."
  @spec open_transform(runtime, binary, pos_integer, pos_integer) :: {:ok, transform} | {:error, Error.t()}
  def open_transform(runtime, wasm, memory, time),
    do: ask(&transform_open(runtime, &1, {wasm, memory, time}))

  @doc "Calls a kernel."
  @spec process_transform(transform, binary) :: {:ok, binary} | {:error, Error.t()}
  def process_transform(transform, input), do: ask(&transform_process(transform, &1, input))

  @doc "Asks for an operation. `dispatcher` answers what is live; `stream` hears the events."
  @spec call_operation(runtime, String.t(), map, pid | nil, {pid, term} | nil) ::
          {:ok, term} | {:error, Error.t()}
  def call_operation(runtime, name, order, dispatcher, stream),
    do: ask(&operation_call(runtime, &1, name, order, {dispatcher, stream}))

  @doc "Answers an operation that is live."
  @spec reply_operation(operation, {:ok, term} | {:error, Error.t()}) :: :ok
  def reply_operation(operation, {:error, %Error{} = error}),
    do: operation_reply(operation, {:error, Error.to_frame(error)})

  def reply_operation(operation, {:ok, answer}), do: operation_reply(operation, {:ok, answer})

  @doc "Tells how an operation that is live goes."
  @spec tell_operation(operation, map) :: :ok
  def tell_operation(operation, event), do: operation_event(operation, event)

  @doc "The frame that a line is: its id, the name of an operation, and parameters."
  @spec read_frame(runtime, binary) :: {:ok, {non_neg_integer, String.t(), term}} | {:error, Error.t()}
  def read_frame(runtime, line), do: ask(&frame_read(runtime, &1, line))

  @doc "Starts a server for the calling process. Gives it, its URL, and the engine's own token."
  @spec start_server(runtime, map) :: {:ok, {server, String.t() | nil, String.t()}} | {:error, Error.t()}
  def start_server(runtime, order) do
    with {:error, reason} <- server_start(runtime, order), do: {:error, Error.from_native(reason)}
  end

  @doc "Asks a server. The answer comes in messages that begin with the tag."
  @spec call_server(server, map) :: {:ok, reference} | {:error, Error.t()}
  def call_server(server, asked) do
    tag = make_ref()

    case server_call(server, tag, asked) do
      :ok -> {:ok, tag}
      {:error, reason} -> {:error, Error.from_native(reason)}
    end
  end

  @doc "Answers a guest's question. Quick, so it needs no message."
  @spec dock_reply(question, {:ok, String.t()} | {:error, String.t()}) :: :ok
  def dock_reply(_question, _answer), do: :erlang.nif_error(failure())

  defp ask(call) do
    tag = make_ref()

    answer =
      with :ok <- call.(tag) do
        receive do
          {^tag, answer} -> answer
        end
      end

    with {:error, failure} <- answer, do: {:error, Error.from_native(failure)}
  end

  @doc false
  def load do
    case :erlang.load_nif(library(), 0) do
      :ok -> :ok
      # The application says it in the words of Workbooks.Error; failing here would only say `undef`.
      {:error, {_reason, text}} -> :persistent_term.put({__MODULE__, :failure}, to_string(text))
    end
  end

  @doc "Whether the library is loaded, and why not."
  @spec loaded() :: :ok | {:error, Error.t()}
  def loaded do
    case :persistent_term.get({__MODULE__, :failure}, nil) do
      nil -> :ok
      _text -> {:error, failure()}
    end
  end

  defp library do
    case :code.priv_dir(:workbooks) do
      {:error, :bad_name} -> ~c"workbooks_nif"
      priv -> :filename.join(priv, ~c"native/workbooks_nif")
    end
  end

  # Stubs, replaced when the library loads.
  @doc false
  def runtime_start(_order), do: :erlang.nif_error(failure())
  @doc false
  def engine_variables, do: :erlang.nif_error(failure())
  @doc false
  def engine_places(_environment, _given), do: :erlang.nif_error(failure())
  @doc false
  def engine_author(_runtime, _tag), do: :erlang.nif_error(failure())
  @doc false
  def policy_table, do: :erlang.nif_error(failure())
  @doc false
  def data_take(_dir), do: :erlang.nif_error(failure())
  @doc false
  def data_release(_owner), do: :erlang.nif_error(failure())
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
  def acceptance_read(_said), do: :erlang.nif_error(failure())
  @doc false
  def acceptance_check(_runtime, _tag, _order), do: :erlang.nif_error(failure())
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
  def bundle_call(_runtime, _tag, _operation), do: :erlang.nif_error(failure())
  @doc false
  def operation_call(_runtime, _tag, _name, _order, _doors), do: :erlang.nif_error(failure())
  @doc false
  def operation_reply(_operation, _answer), do: :erlang.nif_error(failure())
  @doc false
  def operation_event(_operation, _event), do: :erlang.nif_error(failure())
  @doc false
  def frame_read(_runtime, _tag, _line), do: :erlang.nif_error(failure())
  @doc false
  def server_start(_runtime, _order), do: :erlang.nif_error(failure())
  @doc false
  def server_stop(_server, _grace), do: :erlang.nif_error(failure())
  @doc false
  def server_dispatcher(_server, _dispatcher), do: :erlang.nif_error(failure())
  @doc false
  def server_call(_server, _tag, _asked), do: :erlang.nif_error(failure())
  @doc false
  def session_open(_runtime, _tag, _dir), do: :erlang.nif_error(failure())
  @doc false
  def transform_open(_runtime, _tag, _order), do: :erlang.nif_error(failure())
  @doc false
  def transform_process(_transform, _tag, _input), do: :erlang.nif_error(failure())
  @doc false
  def history_claim(_runtime, _tag, _opening), do: :erlang.nif_error(failure())
  @doc false
  def history_call(_recording, _tag, _operation), do: :erlang.nif_error(failure())
  @doc false
  def history_exchange(_runtime, _tag, _order), do: :erlang.nif_error(failure())
  @doc false
  def history_ask(_runtime, _tag, _question), do: :erlang.nif_error(failure())

  defp failure do
    text = :persistent_term.get({__MODULE__, :failure}, "the native library is not loaded")
    Error.new(:kernel_unavailable, text, "run `make build`")
  end
end
