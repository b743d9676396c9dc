defmodule Workbooks.Kernel do
  @moduledoc false
  # Owns the loaded kernel. Loading may compile for seconds, so it does not hold up the application; a call that comes
  # earlier waits for it. A kernel that cannot be loaded is an error of each call, not of the application.

  use GenServer
  require Logger

  alias Workbooks.{Config, Error, Native}

  @doc false
  @spec start_link(Config.t()) :: GenServer.on_start()
  def start_link(%Config{} = config), do: GenServer.start_link(__MODULE__, config, name: __MODULE__)

  @doc "Calls an export of the kernel."
  @spec call(String.t(), [binary]) :: {:ok, term} | {:error, Error.t()}
  def call(export, texts) do
    with {:ok, %{kernel: {:ok, kernel}}} <- fetch() do
      Native.call_kernel(kernel, export, texts)
    else
      {:ok, %{kernel: error}} -> error
      error -> error
    end
  end

  @doc "The worker threads, for calls that need no kernel."
  @spec runtime() :: {:ok, Native.runtime()} | {:error, Error.t()}
  def runtime do
    with {:ok, %{runtime: runtime}} <- fetch(), do: runtime
  end

  # A term that all processes share without copying; only a call during start-up has to ask.
  defp fetch do
    case :persistent_term.get(__MODULE__, nil) do
      nil -> GenServer.call(__MODULE__, :fetch, :infinity)
      loaded -> {:ok, loaded}
    end
  catch
    :exit, _ ->
      {:error, Error.new(:kernel_unavailable, "the :workbooks application is not running", "start it first")}
  end

  @impl true
  def init(config) do
    Process.flag(:trap_exit, true)
    {:ok, config, {:continue, :load}}
  end

  @impl true
  def handle_continue(:load, config) do
    loaded = load(config)
    :persistent_term.put(__MODULE__, loaded)
    {:noreply, loaded}
  end

  @impl true
  def handle_call(:fetch, _from, loaded), do: {:reply, {:ok, loaded}, loaded}

  @impl true
  def terminate(_reason, _loaded), do: :persistent_term.erase(__MODULE__)

  defp load(config) do
    runtime = Native.start(config)

    case Native.load_kernel(runtime, config.kernel) do
      {:ok, {kernel, origin}} ->
        report(origin)
        %{runtime: {:ok, runtime}, kernel: {:ok, kernel}}

      {:error, error} ->
        Logger.error("workbooks: no kernel: #{error.message} (#{error.hint})")
        %{runtime: {:ok, runtime}, kernel: {:error, error}}
    end
  rescue
    error in Error ->
      Logger.error("workbooks: #{error.message} (#{error.hint})")
      %{runtime: {:error, error}, kernel: {:error, error}}
  end

  defp report({:unsaved, why}), do: Logger.warning("workbooks: compiled code is not kept: #{why}")
  defp report(_), do: :ok
end
