defmodule Workbooks.Server do
  @moduledoc """
  The operations over HTTP, WebSocket and server-sent events: the same router that `wbx serve` starts.

  It is off in an application until the configuration says otherwise:

      config :workbooks, server: [port: 4280]

  Or an application supervises one of its own, beside its endpoint:

      children = [{Workbooks.Server, port: 4280}]

  ## Options

    * `:port` - the port, 4280 by default; 0 takes a free one
    * `:bind` - the IP address, `"127.0.0.1"` by default. A wider one needs `:tls` or `:behind_proxy`
    * `:tls` - `[certificate, key]`, the paths of two PEM files
    * `:behind_proxy` - `true` where a proxy in front does TLS
    * `:listen` - `false` for a server that is only asked by `call/5`
    * `:announce` - `true` writes `runtime.json`, by which `wbx` finds this engine
    * `:directories` - where agents that come to `/mcp` may work, none by default. Without any they may read plans below the
      current directory, and run nothing
    * `:grace` - how many milliseconds requests have to end when it stops, 10,000 by default
    * `:name` - the name of the process, `Workbooks.Server` by default

  Whoever asks needs a token, on loopback too: `wbx token create`, or the engine's own, see `info/1`. `docs/server.md` has
  the routes. The listener closes when its process ends, however that ends.
  """
  use GenServer
  require Logger

  alias Workbooks.{Error, Kernel, Native, Operations}
  alias Workbooks.Operations.Settings

  @port 4280
  @grace 10_000
  @defaults [
    port: @port,
    bind: "127.0.0.1",
    tls: nil,
    behind_proxy: false,
    listen: true,
    announce: false,
    directories: [],
    grace: @grace,
    name: __MODULE__
  ]
  @scopes [:read, :write, :run, :admin]

  @type option ::
          {:port, :inet.port_number()}
          | {:bind, String.t()}
          | {:tls, [Path.t()] | nil}
          | {:behind_proxy, boolean}
          | {:listen, boolean}
          | {:announce, boolean}
          | {:directories, [Path.t()]}
          | {:grace, non_neg_integer}
          | {:name, atom}

  @type response :: %{status: pos_integer, headers: [{String.t(), String.t()}], body: binary}

  @doc false
  def child_spec(opts) do
    opts = options!(opts)

    %{
      id: opts[:name],
      start: {__MODULE__, :start_link, [opts]},
      # It drains for as long as it may, and then has a moment for its goodbyes.
      shutdown: opts[:grace] + 5_000
    }
  end

  @doc "Starts a server. It listens when this returns."
  @spec start_link([option]) :: GenServer.on_start()
  def start_link(opts \\ []) do
    opts = options!(opts)
    GenServer.start_link(__MODULE__, opts, name: opts[:name])
  end

  @doc false
  # The options with their defaults, or an exception that says which is wrong.
  def options!(opts) do
    opts = Keyword.validate!(opts, @defaults)

    for {key, value} <- opts, not valid?(key, value) do
      raise ArgumentError, "config :workbooks, :server: #{inspect(key)} cannot be #{inspect(value)}"
    end

    opts
  end

  defp valid?(:port, port), do: is_integer(port) and port in 0..65_535
  defp valid?(:bind, bind), do: is_binary(bind)
  defp valid?(:tls, nil), do: true
  defp valid?(:tls, [certificate, key]), do: is_binary(certificate) and is_binary(key)
  defp valid?(:directories, dirs), do: is_list(dirs) and Enum.all?(dirs, &is_binary/1)
  defp valid?(:grace, grace), do: is_integer(grace) and grace >= 0
  defp valid?(:name, name), do: is_atom(name) and name != nil
  defp valid?(key, value) when key in [:behind_proxy, :listen, :announce], do: is_boolean(value)
  defp valid?(_key, _value), do: false

  @doc """
  Where it listens, and the engine's own token, which allows everything and lives as long as the server.

      iex> {:ok, _pid} = Workbooks.Server.start_link(port: 0, name: :documented)
      iex> %{url: "http://127.0.0.1:" <> _port, token: "wbt_" <> _} = Workbooks.Server.info(:documented)
      iex> GenServer.stop(:documented)
      :ok
  """
  @spec info(GenServer.server()) :: %{url: String.t() | nil, token: String.t()}
  def info(server \\ __MODULE__), do: GenServer.call(server, :info)

  @doc """
  Answers a request of this VM: the routes without a socket, for a Plug behind the host's own authentication.

      iex> {:ok, _pid} = Workbooks.Server.start_link(listen: false, name: :in_process)
      iex> {:ok, response} = Workbooks.Server.call("GET", "/health", [], "", server: :in_process)
      iex> {response.status, response.body}
      {200, ~s({"status":"ok","version":"0.1.0"})}
      iex> {:ok, response} = Workbooks.Server.call("POST", "/api/operation.list", [], "", server: :in_process)
      iex> response.status
      401
      iex> opts = [server: :in_process, scopes: [:read]]
      iex> {:ok, response} = Workbooks.Server.call("POST", "/api/operation.list", [], "", opts)
      iex> response.status
      200
      iex> GenServer.stop(:in_process)
      :ok

  ## Options

    * `:server` - which one, `Workbooks.Server` by default
    * `:scopes` - what whoever asks may do, of `:read`, `:write`, `:run` and `:admin`: the caller vouches for them. Without
      it the headers need a token
    * `:who` - whom `:scopes` are for, so that one of many cannot use up what all may have at once
    * `:into` - a function that hears `{:head, status, headers}` and then `{:data, binary}` as they come, for streams. The
      answer is then `:ok`
  """
  @spec call(String.t(), String.t(), [{String.t(), String.t()}], iodata, keyword) ::
          {:ok, response} | :ok | {:error, Error.t()}
  def call(method, path, headers, body, opts \\ []) do
    opts = Keyword.validate!(opts, [:scopes, :into, server: __MODULE__, who: "host"])
    scopes = opts[:scopes] && Enum.map(opts[:scopes], &scope!/1)

    asked = %{
      method: method,
      path: path,
      headers: headers,
      body: IO.iodata_to_binary(body),
      scopes: scopes,
      who: opts[:who]
    }

    opts[:server] |> GenServer.call(:native) |> Native.call_server(asked) |> hear(opts[:into])
  end

  @doc "`call/5`, or it raises."
  @spec call!(String.t(), String.t(), [{String.t(), String.t()}], iodata, keyword) :: response | :ok
  def call!(method, path, headers, body, opts \\ []), do: Error.bang(call(method, path, headers, body, opts))

  defp scope!(scope) when scope in @scopes, do: Atom.to_string(scope)

  defp scope!(scope),
    do: raise(ArgumentError, "unknown scope #{inspect(scope)}: it is one of #{inspect(@scopes)}")

  defp hear({:error, _} = error, _into), do: error

  defp hear({:ok, tag}, nil), do: collect(tag, nil, [])
  defp hear({:ok, tag}, into), do: pass(tag, into)

  defp collect(tag, head, pieces) do
    receive do
      {^tag, {:head, status, headers}} -> collect(tag, {status, headers}, pieces)
      {^tag, {:data, piece}} -> collect(tag, head, [pieces, piece])
      {^tag, :ok} -> response(head, pieces)
    end
  end

  defp response({status, headers}, pieces),
    do: {:ok, %{status: status, headers: headers, body: IO.iodata_to_binary(pieces)}}

  defp pass(tag, into) do
    receive do
      {^tag, :ok} ->
        :ok

      {^tag, said} ->
        into.(said)
        pass(tag, into)
    end
  end

  @impl true
  def init(opts) do
    # So that `terminate/2` is called, and requests are answered before the socket closes.
    Process.flag(:trap_exit, true)

    with {:ok, runtime} <- Kernel.runtime(),
         {:ok, {native, url, token}} <- Native.start_server(runtime, order(opts)) do
      watch_dispatcher()
      if url, do: Logger.info("workbooks: listening at #{url}")
      {:ok, %{native: native, url: url, token: token, grace: opts[:grace]}}
    else
      {:error, %Error{} = error} -> {:stop, error}
    end
  end

  defp order(opts) do
    %{
      settings: Settings.new(),
      here: File.cwd!(),
      dispatcher: Process.whereis(Operations),
      listen: if(opts[:listen], do: {opts[:bind], opts[:port]}),
      tls: opts[:tls] && List.to_tuple(opts[:tls]),
      behind_proxy: opts[:behind_proxy],
      announce: opts[:announce],
      directories: opts[:directories]
    }
  end

  @impl true
  def handle_call(:info, _from, state), do: {:reply, Map.take(state, [:url, :token]), state}
  def handle_call(:native, _from, state), do: {:reply, state.native, state}

  @impl true
  def handle_info({:workbooks_server_log, text}, state) do
    Logger.error("workbooks: #{text}")
    {:noreply, state}
  end

  # The process that answers what is live was restarted: the server asks the new one.
  def handle_info({:DOWN, _ref, :process, _pid, _reason}, state) do
    Process.send_after(self(), :dispatcher, 10)
    {:noreply, state}
  end

  def handle_info(:dispatcher, state) do
    Native.server_dispatcher(state.native, Process.whereis(Operations))
    watch_dispatcher()
    {:noreply, state}
  end

  def handle_info(_stray, state), do: {:noreply, state}

  defp watch_dispatcher, do: Process.monitor(Operations)

  @impl true
  def terminate(_reason, state), do: Native.server_stop(state.native, state.grace)
end
