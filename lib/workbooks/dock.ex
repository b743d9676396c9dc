defmodule Workbooks.Dock do
  @moduledoc """
  What guests may ask of the host, and who answers.

  Most of the Dock is answered without the BEAM. `llm-complete` and `browse-fetch` come here, and handlers answer them:

      config :workbooks, dock: [llm: {MyApp.Model, :complete}, browse: MyApp.Browser]

  See `Workbooks.Dock.Handler`. Where there is none, the guest is told so. `docs/dock.md` has every function.
  """
  use GenServer

  alias Workbooks.{Config, JSON, Native}
  alias Workbooks.Dock.Handler

  @tasks Workbooks.Dock.Tasks
  @kinds %{"llm-complete" => :llm, "browse-fetch" => :browse}

  @doc """
  Sets a handler at run time, in place of the one in config.

      Workbooks.Dock.put_handler(:llm, fn prompt, _session -> {:ok, String.upcase(prompt)} end)
  """
  @spec put_handler(:llm | :browse, Handler.t()) :: :ok
  def put_handler(kind, handler) do
    handlers = Keyword.put(Application.get_env(:workbooks, :dock, []), kind, handler)
    %Config{} = Config.new!(dock: handlers)
    Application.put_env(:workbooks, :dock, handlers)
  end

  @doc false
  @spec whereis() :: pid | nil
  def whereis, do: Process.whereis(__MODULE__)

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
  def handle_info({:workbooks_dock, id, question, import, text, session}, state) do
    kind = Map.fetch!(@kinds, import)

    case Application.get_env(:workbooks, :dock, [])[kind] do
      nil ->
        Native.dock_reply(question, {:error, "no #{kind} handler is configured"})
        {:noreply, state}

      handler ->
        task = Task.Supervisor.async_nolink(@tasks, fn -> answer(handler, kind, text, session) end)

        {:noreply,
         %{
           questions: Map.put(state.questions, task.ref, {id, question, kind}),
           tasks: Map.put(state.tasks, id, task)
         }}
    end
  end

  # The guest was stopped: nobody waits for the answer.
  def handle_info({:workbooks_dock_over, id}, state) do
    case Map.fetch(state.tasks, id) do
      {:ok, task} ->
        Task.Supervisor.terminate_child(@tasks, task.pid)
        {:noreply, forget(state, task.ref)}

      :error ->
        {:noreply, state}
    end
  end

  def handle_info({ref, answer}, state) when is_map_key(state.questions, ref),
    do: {:noreply, reply(state, ref, answer)}

  def handle_info({:DOWN, ref, :process, _pid, _reason}, state) when is_map_key(state.questions, ref) do
    {_id, _question, kind} = state.questions[ref]
    {:noreply, reply(state, ref, {:error, "the #{kind} handler crashed"})}
  end

  def handle_info(_stray, state), do: {:noreply, state}

  defp answer(handler, kind, text, session) do
    {:ok, session} = JSON.decode(session)

    case Handler.ask(handler, text, session) do
      {outcome, answer} when outcome in [:ok, :error] and is_binary(answer) -> {outcome, answer}
      _ -> {:error, "the #{kind} handler gave no text"}
    end
  end

  defp reply(state, ref, answer) do
    {_id, question, _kind} = state.questions[ref]
    Native.dock_reply(question, answer)
    forget(state, ref)
  end

  defp forget(state, ref) do
    Process.demonitor(ref, [:flush])
    {{id, _question, _kind}, questions} = Map.pop!(state.questions, ref)
    %{questions: questions, tasks: Map.delete(state.tasks, id)}
  end
end
