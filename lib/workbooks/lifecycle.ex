defmodule Workbooks.Lifecycle do
  @moduledoc """
  A workbook's life.

      created -> active -> suspended -> frozen
                   ^ resume   |           |
                   +----------+-----------+

  | state | its disk | moves |
  |---|---|---|
  | `:created` | none yet | `activate/1`, `archive/1`, `delete/1` |
  | `:active` | open | `suspend/1`, `freeze/1`, `archive/1`, `delete/1` |
  | `:suspended` | closed | `resume/1`, `freeze/1`, `archive/1`, `delete/1` |
  | `:frozen` | in cold storage | `resume/1`, `archive/1`, `delete/1` |
  | `:archived` | in cold storage, for good | `delete/1` |
  | `:deleted` | gone | none; the id is not given again |

  Each workbook has a supervised process. It suspends the workbook after 15 idle minutes and freezes it after 24 idle
  hours (`config :workbooks, suspend_after: .., freeze_after: ..`); asking for the `disk/1` is what counts as use. States
  are on disk, so a restart of the VM finds every workbook where it was.

  `freeze/1` closes the disk, waits for the calls that use it, and copies it to cold storage. `resume/1` copies it back,
  checks it page by page, and clears the volume `tmp`, and only that one.

      {:ok, :created} = Workbooks.Lifecycle.create("report-2031")
      {:ok, :active} = Workbooks.Lifecycle.activate("report-2031")
      {:ok, disk} = Workbooks.Lifecycle.disk("report-2031")
      {:ok, :frozen} = Workbooks.Lifecycle.freeze("report-2031")

  ## Persistence

  A component that declares `:persist` is asked for a checkpoint before `Workbooks.Deploy` swaps it out. What it answers is
  kept in the volume `memory`, and the new one is handed it before its first input. An upgrade whose old components do not
  answer does not happen. `docs/deploy.md` has the messages.
  """

  alias Workbooks.{Error, OQL, VFS}
  alias Workbooks.Lifecycle.{Keeper, Record, State, Supervisor}

  @type id :: String.t()
  @type state :: :created | :active | :suspended | :frozen | :archived | :deleted
  @type moved :: {:ok, state} | {:error, Error.t()}

  @doc "Makes a workbook. An id has letters, digits, `-` and `_`, and at most 128 of them."
  @spec create(id) :: moved
  def create(id) do
    with :ok <- check(id),
         {:ok, config} <- Supervisor.fetch_config(),
         :ok <- Record.create(config, State.new(id, System.os_time(:second))),
         do: {:ok, :created}
  end

  @doc "Opens the disk of a new workbook."
  @spec activate(id) :: moved
  def activate(id), do: move(id, :activate)

  @doc "Closes the disk of an active workbook."
  @spec suspend(id) :: moved
  def suspend(id), do: move(id, :suspend)

  @doc "Puts the disk into cold storage."
  @spec freeze(id) :: moved
  def freeze(id), do: move(id, :freeze)

  @doc "Wakes a suspended or frozen workbook, without its `tmp`."
  @spec resume(id) :: moved
  def resume(id), do: move(id, :resume)

  @doc "Puts the disk into cold storage for good."
  @spec archive(id) :: moved
  def archive(id), do: move(id, :archive)

  @doc "Deletes the disk and its cold copy."
  @spec delete(id) :: moved
  def delete(id), do: move(id, :delete)

  @doc "Where a workbook is in its life. It is answered at once, also while a move is being made."
  @spec state(id) :: moved
  def state(id), do: with({:ok, keeper} <- keeper(id), do: Keeper.state(keeper))

  @doc "The open disk of an active workbook. Ask for it when it is needed: it is closed when the workbook sleeps."
  @spec disk(id) :: {:ok, VFS.t()} | {:error, Error.t()}
  def disk(id), do: with({:ok, keeper} <- keeper(id), do: Keeper.disk(keeper))

  defp move(id, move), do: with({:ok, keeper} <- keeper(id), do: Keeper.move(keeper, move))

  defp keeper(id), do: with(:ok <- check(id), do: Supervisor.keeper(id))

  @doc """
  The open disk of a workbook, which is made or woken if it has to be. One that is archived or deleted stays so.
  """
  @spec wake(id) :: {:ok, VFS.t()} | {:error, Error.t()}
  def wake(id) do
    with {:ok, keeper} <- made(id), do: Keeper.wake(keeper)
  end

  # Of two who make it at once, one finds that the other has.
  defp made(id) do
    with {:error, %Error{code: :unknown_workbook}} <- keeper(id) do
      case create(id) do
        {:ok, :created} -> keeper(id)
        {:error, %Error{code: :exists}} -> keeper(id)
        error -> error
      end
    end
  end

  @doc false
  # An id becomes the name of a file.
  @spec check(term) :: :ok | {:error, Error.t()}
  def check(id) do
    if is_binary(id) and id =~ ~r/\A[A-Za-z0-9_-]{1,128}\z/,
      do: :ok,
      else:
        {:error,
         Error.new(:bad_option, "not an id: #{inspect(id, limit: 5)}", "use letters, digits, - and _")}
  end

  @doc ~S'''
  The names of the components that declared `:persist`, in document order, nested workflows included. Takes a plan's text,
  or what `Workbooks.OQL.tangle/1` made of it.

      iex> Workbooks.Lifecycle.durable_components("""
      ...> * Agent :workflow:
      ...> ** Remember :component:
      ...> #+begin_src rust :persist :out memory:json
      ...> #+end_src
      ...> ** Act :component:
      ...> #+begin_src js :in memory:json
      ...> #+end_src
      ...> """)
      ["Remember"]

      iex> Workbooks.Lifecycle.durable_components(Workbooks.OQL.tangle("* Agent :workflow:\n"))
      []
  '''
  @spec durable_components(OQL.org() | %{String.t() => term}) :: [String.t()] | {:error, Error.t()}
  def durable_components(org) when is_binary(org) do
    with %{} = plan <- OQL.tangle(org), do: durable_components(plan)
  end

  def durable_components(%{"worlds" => worlds}) do
    worlds |> Enum.flat_map(&durable/1) |> Enum.sort_by(& &1["line"]) |> Enum.map(& &1["name"])
  end

  # A world lists its own components before its nested workflows, wherever those stand in the text.
  defp durable(%{"components" => components, "workflows" => nested}) do
    Enum.filter(components, & &1["persist"]) ++ Enum.flat_map(nested, &durable/1)
  end

  use Workbooks.Bang,
    create: 1,
    activate: 1,
    suspend: 1,
    freeze: 1,
    resume: 1,
    archive: 1,
    delete: 1,
    state: 1,
    disk: 1,
    wake: 1
end
