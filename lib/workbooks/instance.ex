defmodule Workbooks.Instance do
  @moduledoc """
  A component, called in a fresh sandbox each time.

      {:ok, answer} = Workbooks.Instance.run("probe.wasm", "input", profile: :minimal)

  Nothing survives a call; what should last goes on the disk. A guest reaches what its profile grants and nothing else,
  see `Workbooks.Policy`. It runs on threads of its own, for the process that called: when that process dies the guest
  is stopped and its memory is back.

  ## Options

    * `:profile` - an atom or a string, `:compute` by default; unknown names are `:compute`
    * `:capabilities` - names; of what the profile grants, only these
    * `:vfs` - a `Workbooks.VFS` disk for `vfs-query`
    * `:session` - a map with `:id` and `:tenant`, for `session-info`
    * `:timeout` - milliseconds; it can lower the profile's time, not raise it
    * `:memory` - bytes; it can lower the profile's memory, not raise it
    * `:stream` - a pid that hears `{Workbooks.Instance, :stdout | :stderr, bytes}` while the guest runs, or
      `{pid, tag}` to hear `{tag, :stdout | :stderr, bytes}`

  ## Errors

  A `Workbooks.Error`. Its code:

  | code | what happened |
  |---|---|
  | `:cpu_timeout` | the time is up, also when the guest was waiting in a host call |
  | `:memory_limit` | the guest wanted more memory than it may have |
  | `:trap` | a panic, a stack overflow, too much output; an exit, with what it wrote last to standard error |
  | `:not_granted` | it imports what its profile does not grant; `details` have the `:import` and the `:capability` |
  | `:not_a_component` | a core module, or bytes that are not wasm |
  | `:nonconforming`, `:unfit` | a component of another world; `details` have the `:findings` |
  | `:cancelled` | the instance was stopped |
  | `:busy` | too many calls are waiting |
  | `:not_found`, `:not_utf8`, `:bad_option`, `:closed` | a file, an input, an option or a disk that cannot be used |
  """
  use GenServer

  alias Workbooks.{Component, Dock, Error, JSON, Kernel, Native, Policy, VFS}

  @type component :: Path.t() | binary
  @type option ::
          {:profile, Policy.name()}
          | {:capabilities, [String.t()]}
          | {:vfs, VFS.t()}
          | {:session, %{optional(:id) => term, optional(:tenant) => term}}
          | call_option
  @type call_option ::
          {:timeout, pos_integer} | {:memory, pos_integer} | {:stream, pid | {pid, term}}

  # What a guest may print, and what it may answer with.
  @output 8 * 1024 * 1024
  @for_a_call [:timeout, :memory, :stream]

  @doc "Calls `run` of a component once."
  @spec run(component, String.t(), [option]) :: {:ok, String.t()} | {:error, Error.t()}
  def run(component, input, opts \\ []) when is_binary(component) and is_binary(input) and is_list(opts) do
    with {:ok, order} <- order(opts), do: perform(Component.source(component), input, order)
  end

  @doc "`run/3`, or it raises."
  @spec run!(component, String.t(), [option]) :: String.t()
  def run!(component, input, opts \\ []), do: Error.bang(run(component, input, opts))

  @doc """
  Starts a process that stands for a component with its profile, disk and session: `:component` and the options above.

  The process holds no guest. It is there to be supervised and stopped: its end ends the calls under way.
  """
  @spec start_link([option | {:component, component} | GenServer.option()]) ::
          GenServer.on_start() | {:error, Error.t()}
  def start_link(opts) do
    {component, opts} = Keyword.pop!(opts, :component)
    {name, opts} = Keyword.split(opts, [:name])

    with {:ok, order} <- order(opts),
         do: GenServer.start_link(__MODULE__, {Component.source(component), order}, name)
  end

  @doc "Calls the component that a process stands for. The guest runs for the caller, not for that process."
  @spec call(GenServer.server(), String.t(), [call_option]) :: {:ok, String.t()} | {:error, Error.t()}
  def call(instance, input, opts \\ []) when is_binary(input) and is_list(opts) do
    with {:ok, {component, order}} <- fetch(instance),
         {:ok, order} <- adjust(order, opts, @for_a_call),
         do: perform(component, input, order)
  end

  @doc "`call/3`, or it raises."
  @spec call!(GenServer.server(), String.t(), [call_option]) :: String.t()
  def call!(instance, input, opts \\ []), do: Error.bang(call(instance, input, opts))

  @doc "Stops the process. Calls under way end with `:cancelled`."
  @spec stop(GenServer.server()) :: :ok
  def stop(instance), do: GenServer.stop(instance)

  @impl true
  def init({component, order}), do: {:ok, {component, %{order | owner: self()}}}

  @impl true
  def handle_call(:fetch, _from, state), do: {:reply, {:ok, state}, state}

  defp fetch(instance) do
    GenServer.call(instance, :fetch, :infinity)
  catch
    :exit, _ -> {:error, Error.new(:cancelled, "the instance was stopped", "start it again")}
  end

  defp perform(component, input, order) do
    with {:ok, runtime} <- Kernel.runtime(),
         do: Native.run_instance(runtime, component, input, %{order | dock: Dock.whereis()})
  end

  defp order(opts) do
    {session, opts} = Keyword.pop(opts, :session, %{})
    {profile, opts} = Keyword.pop(opts, :profile, :compute)
    {only, opts} = Keyword.pop(opts, :capabilities)
    profile = narrow(Policy.profile(profile), only)

    order = %{
      capabilities: profile.capabilities,
      memory: profile.memory_mib * 1024 * 1024,
      time: profile.time_s * 1000,
      output: @output,
      session: nil,
      disk: nil,
      dock: nil,
      stream: nil,
      owner: nil
    }

    with true <- only == nil or is_list(only) || bad_option(:capabilities, only),
         {:ok, json} <- session(session, profile),
         do: adjust(%{order | session: json}, opts, [:vfs | @for_a_call])
  end

  defp narrow(profile, only) when is_list(only),
    do: %{profile | capabilities: Enum.filter(profile.capabilities, &(&1 in only))}

  defp narrow(profile, _everything), do: profile

  # Most calls say nothing about the session, and JSON costs a tenth of such a call.
  defp session(session, profile) when session == %{} do
    with nil <- :persistent_term.get({__MODULE__, profile}, nil),
         {:ok, _} = encoded <- encode(session, profile) do
      :persistent_term.put({__MODULE__, profile}, encoded)
      encoded
    end
  end

  defp session(%{} = session, profile), do: encode(session, profile)
  defp session(other, _profile), do: bad_option(:session, other)

  defp encode(session, profile) do
    JSON.encode(%{
      id: session[:id],
      tenant: session[:tenant],
      profile: profile.name,
      caps: profile.capabilities
    })
  end

  defp adjust(order, opts, known) do
    Enum.reduce_while(opts, {:ok, order}, fn {key, value}, {:ok, order} ->
      case key in known && option(key, value, order) do
        %{} = order -> {:cont, {:ok, order}}
        _ -> {:halt, bad_option(key, value)}
      end
    end)
  end

  defp option(:timeout, ms, order) when is_integer(ms) and ms > 0, do: %{order | time: min(ms, order.time)}

  defp option(:memory, bytes, order) when is_integer(bytes) and bytes > 0,
    do: %{order | memory: min(bytes, order.memory)}

  defp option(:stream, pid, order) when is_pid(pid), do: %{order | stream: {pid, __MODULE__}}
  defp option(:stream, {pid, tag}, order) when is_pid(pid), do: %{order | stream: {pid, tag}}
  defp option(:vfs, %VFS{ref: ref}, order), do: %{order | disk: ref}
  defp option(_key, _value, _order), do: nil

  defp bad_option(key, value) do
    text = "no such option for an instance: #{inspect([{key, value}], limit: 5)}"
    {:error, Error.new(:bad_option, text, "see the options of Workbooks.Instance")}
  end
end
