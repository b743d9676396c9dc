defmodule Workbooks.Operations do
  @moduledoc """
  Everything that can be asked of Workbooks, by name: the same table that every other door uses.

      iex> Workbooks.Operations.call("plan.set_state", %{org: "* TODO Rest\\n", task: "rest", state: "DONE"})
      {:ok, %{"org" => "* DONE Rest\\n"}}

      iex> {:error, error} = Workbooks.Operations.call("plan.query", %{org: "* A\\n", query: 7})
      iex> {error.code, error.details.pointer}
      {:bad_option, "/query"}

  `docs/reference/operations.md` lists the operations with what they take and give. Parameters are maps, lists, strings,
  numbers and atoms; answers are maps with string keys. The functions of `Workbooks.Session`, `Workbooks.Toolkits` and
  the others are the same operations in the words of Elixir.

  Operations of Rust are carried out there. *Live* ones, which this application owns, come back to a supervised process
  here, which starts a task for each; a crash of such a task is an error `:internal` and a line in the log.
  """
  use GenServer
  require Logger

  alias Workbooks.{Error, Kernel, Native}
  alias Workbooks.Operations.{Live, Settings}

  @tasks Workbooks.Operations.Tasks
  # How long a task has to put things in order when nobody waits for it any more.
  @grace 5_000

  @type option ::
          {:here, Path.t()}
          | {:toolkits, Path.t()}
          | {:history, Path.t()}
          | {:sessions, Native.sessions()}
          | {:workdir, Path.t()}
          | {:verdict, map}
          | {:now, integer}
          | {:as, :term | :json}
          | {:stream, pid | {pid, term}}

  @doc """
  Asks for an operation.

  ## Options

    * `:here` - where relative paths begin, the current directory by default
    * `:toolkits`, `:history` - directories in place of the configured ones
    * `:sessions`, `:workdir`, `:verdict` - for sessions, see `Workbooks.Session`
    * `:now` - the time of the call, in milliseconds since 1970; by default the system's
    * `:as` - `:json` gives the answer as the text that it is
    * `:stream` - a pid that hears `{Workbooks.Operations, :event, event}`, or `{pid, tag}`
  """
  @spec call(String.t(), map, [option]) :: {:ok, term} | {:error, Error.t()}
  def call(name, params \\ %{}, opts \\ []) when is_binary(name) and is_map(params) do
    opts =
      Keyword.validate!(opts, [
        :toolkits,
        :history,
        :sessions,
        :workdir,
        :verdict,
        :now,
        :stream,
        here: nil,
        as: :term
      ])

    with {:ok, runtime} <- Kernel.runtime() do
      order = %{
        params: params,
        form: opts[:as],
        settings: Settings.new(),
        here: opts[:here] || File.cwd!(),
        toolkits: opts[:toolkits],
        history: opts[:history],
        sessions: opts[:sessions],
        workdir: opts[:workdir],
        verdict: opts[:verdict],
        now: opts[:now]
      }

      Native.call_operation(runtime, name, order, Process.whereis(__MODULE__), stream(opts[:stream]))
    end
  end

  @doc "`call/3`, or it raises."
  @spec call!(String.t(), map, [option]) :: term
  def call!(name, params \\ %{}, opts \\ []), do: Error.bang(call(name, params, opts))

  defp stream(nil), do: nil
  defp stream(pid) when is_pid(pid), do: {pid, __MODULE__}
  defp stream({pid, tag}) when is_pid(pid), do: {pid, tag}

  @doc false
  def child_spec(_opts) do
    children = [
      {Task.Supervisor, name: @tasks},
      %{id: __MODULE__, start: {__MODULE__, :start_link, []}}
    ]

    %{
      id: __MODULE__,
      type: :supervisor,
      start: {Supervisor, :start_link, [children, [strategy: :one_for_all]]}
    }
  end

  @doc false
  def start_link, do: GenServer.start_link(__MODULE__, nil, name: __MODULE__)

  # Questions under way: the task's monitor to the question, and the question's id to the task.
  @impl true
  def init(nil), do: {:ok, %{questions: %{}, tasks: %{}}}

  @impl true
  def handle_info({:workbooks_operation, id, question, name, params}, state) do
    tell = fn event -> Native.tell_operation(question, event) end
    task = Task.Supervisor.async_nolink(@tasks, fn -> Live.perform(name, params, tell) end)

    {:noreply,
     %{
       questions: Map.put(state.questions, task.ref, {id, question, name}),
       tasks: Map.put(state.tasks, id, task)
     }}
  end

  # Whoever asked is gone. A run is cancelled by its task, which needs a moment; nothing else needs one.
  def handle_info({:workbooks_operation_over, id}, state) do
    with {:ok, task} <- Map.fetch(state.tasks, id) do
      send(task.pid, {__MODULE__, :over})
      Process.send_after(self(), {:overdue, task}, @grace)
    end

    {:noreply, state}
  end

  def handle_info({:overdue, task}, state) do
    Task.Supervisor.terminate_child(@tasks, task.pid)
    {:noreply, if(is_map_key(state.questions, task.ref), do: forget(state, task.ref), else: state)}
  end

  def handle_info({ref, answer}, state) when is_map_key(state.questions, ref),
    do: {:noreply, reply(state, ref, answer)}

  def handle_info({:DOWN, ref, :process, _pid, reason}, state) when is_map_key(state.questions, ref) do
    {_id, _question, name} = state.questions[ref]
    Logger.error("workbooks: #{name} crashed: #{Exception.format_exit(reason)}")
    hint = "this is a bug in Workbooks; the log has more about it"
    {:noreply, reply(state, ref, {:error, Error.new(:internal, "`#{name}` crashed", hint)})}
  end

  def handle_info(_stray, state), do: {:noreply, state}

  defp reply(state, ref, answer) do
    {_id, question, _name} = state.questions[ref]
    Native.reply_operation(question, answer)
    forget(state, ref)
  end

  defp forget(state, ref) do
    Process.demonitor(ref, [:flush])
    {{id, _question, _name}, questions} = Map.pop!(state.questions, ref)
    %{questions: questions, tasks: Map.delete(state.tasks, id)}
  end
end
