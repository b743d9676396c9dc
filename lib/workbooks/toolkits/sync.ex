defmodule Workbooks.Toolkits.Sync do
  @moduledoc """
  Mirrors the rows of a federation to `:task:` nodes of an Org file, again and again.

      {:ok, sync} = Workbooks.Toolkits.Sync.start_link(toolkit: "quakes", file: "quakes.org", every: 900_000)

  A pass renews the titles and drawers of the rows' nodes, adds nodes for new rows, and marks those of rows that are gone
  with `:GONE: yes`. What people wrote stays. A pass that fails changes nothing and is told to the log; the next one comes
  as if nothing had been. The file is exchanged whole, and only if nobody has edited it in between.

  ## Options

    * `:toolkit`, `:file` - required
    * `:every` - milliseconds between two passes, 15 minutes by default
    * `:name` - a name for the process
    * everything that `Workbooks.Toolkits.query/3` takes
  """
  use GenServer
  require Logger

  alias Workbooks.{Error, History, Toolkits}
  alias Workbooks.Toolkits.Source

  @every :timer.minutes(15)

  @doc "Starts to mirror. The first pass begins at once."
  @spec start_link(keyword) :: GenServer.on_start()
  def start_link(opts) do
    {name, opts} = Keyword.split(opts, [:name])
    GenServer.start_link(__MODULE__, opts, name)
  end

  @doc "Makes a pass now: `:ok`, or why not."
  @spec pass(GenServer.server()) :: :ok | Toolkits.error()
  def pass(sync), do: GenServer.call(sync, :pass, :infinity)

  @doc "One pass without a process."
  @spec once(String.t(), Path.t(), keyword) :: :ok | Toolkits.error()
  def once(toolkit, file, opts \\ []) do
    with {:ok, before} <- read(file),
         {:ok, answer, place} <- Source.fetch(toolkit, opts),
         {:ok, %{"org" => text}} <-
           Toolkits.ask("mirror", %{id: toolkit, answer: answer, org: before}, place),
         do: write(file, before, text)
  end

  @impl true
  def init(opts) do
    {toolkit, opts} = Keyword.pop!(opts, :toolkit)
    {file, opts} = Keyword.pop!(opts, :file)
    {every, opts} = Keyword.pop(opts, :every, @every)
    {:ok, %{toolkit: toolkit, file: Path.expand(file), every: every, opts: opts}, {:continue, :pass}}
  end

  @impl true
  def handle_continue(:pass, state) do
    perform(state)
    {:noreply, schedule(state)}
  end

  @impl true
  def handle_info(:pass, state) do
    perform(state)
    {:noreply, schedule(state)}
  end

  def handle_info(_late_answer, state), do: {:noreply, state}

  @impl true
  def handle_call(:pass, _from, state), do: {:reply, perform(state), state}

  defp schedule(state) do
    Process.send_after(self(), :pass, state.every)
    state
  end

  defp perform(state) do
    with {:error, reason} <- once(state.toolkit, state.file, state.opts) do
      Logger.warning("workbooks: #{state.toolkit} was not mirrored: #{reason.message}")
      {:error, reason}
    end
  end

  defp read(file) do
    case File.read(file) do
      {:ok, text} -> {:ok, text}
      {:error, :enoent} -> {:ok, ""}
      {:error, why} -> {:error, Error.new(:io, "#{file}: #{:file.format_error(why)}", "check the path")}
    end
  end

  defp write(_file, same, same), do: :ok

  defp write(file, before, text) do
    with :ok <- present(file),
         {:changed, _} <- History.exchange(file, before, text),
         do: {:error, Error.new(:conflict, "#{file} was edited during the pass", "the next pass tries again")}
  end

  # Only what is there can be exchanged.
  defp present(file) do
    case File.write(file, "", [:exclusive]) do
      :ok -> :ok
      {:error, :eexist} -> :ok
      {:error, why} -> {:error, Error.new(:io, "#{file}: #{:file.format_error(why)}", "check the path")}
    end
  end

  use Workbooks.Bang, pass: 1, once: 2, once: 3
end
