defmodule Workbooks.Deploy.Store do
  @moduledoc false
  # The versions of a workbook on disk, see `native/records/deploy`: `workbooks/<id>` in the data directory.

  alias Workbooks.{Error, JSON, Kernel, Lifecycle, Native, VFS}

  @type change :: Native.deployment()
  @type live :: %{version: pos_integer, restoring: Path.t() | nil, dir: Path.t()}

  @doc "Changes a workbook, if nobody else does at this moment. A rollback that was interrupted is finished first."
  @spec change(String.t(), (change, live | nil -> answer)) :: answer | {:error, Error.t()} when answer: term
  def change(id, work) do
    with {:ok, runtime} <- Kernel.runtime(),
         {:ok, _config} <- Lifecycle.Supervisor.fetch_config(),
         {:ok, {change, live}} <- Native.begin_deploy(runtime, dir(id)) do
      try do
        with {:ok, live} <- settle(id, change, decode(live)), do: work.(change, live)
      after
        Native.step_deploy(change, :close)
      end
    end
  end

  @doc "What is live. Finishes a rollback that was interrupted."
  @spec live(String.t()) :: {:ok, live | nil} | {:error, Error.t()}
  def live(id) do
    case ask(id, :live) do
      {:ok, %{"restoring" => path}} when path != nil -> change(id, fn _change, live -> {:ok, live} end)
      {:ok, live} -> {:ok, decode(live)}
      error -> error
    end
  end

  defp decode(nil), do: nil

  defp decode(%{"version" => n, "restoring" => path, "dir" => dir}),
    do: %{version: n, restoring: path, dir: dir}

  @doc "Asks the store."
  @spec ask(String.t(), atom | tuple) :: {:ok, term} | {:error, Error.t()}
  def ask(id, question) do
    with {:ok, runtime} <- Kernel.runtime(),
         {:ok, _config} <- Lifecycle.Supervisor.fetch_config(),
         do: Native.ask_deploy(runtime, dir(id), question)
  end

  @doc "The ids of everything that is deployed, sorted."
  @spec ids() :: [String.t()]
  def ids do
    [root(), "*", "current"]
    |> Path.join()
    |> Path.wildcard()
    |> Enum.map(&(&1 |> Path.dirname() |> Path.basename()))
    |> Enum.sort()
  end

  @doc "What is live under each id, or what is wrong with it."
  @spec list() :: {:ok, [map]} | {:error, Error.t()}
  def list do
    with {:ok, runtime} <- Kernel.runtime(), do: Native.ask_deploy(runtime, root(), :list)
  end

  @doc "Where the scheduler of this VM writes down what it runs."
  @spec schedules() :: Path.t()
  def schedules, do: Path.join(data(), "schedules")

  @doc "Puts a version together: its plan, what is to be known about it, and files by their names."
  @spec stage(change, String.t(), map, [{String.t(), Path.t()}]) :: {:ok, pos_integer} | {:error, Error.t()}
  def stage(change, plan, about, files) do
    with {:ok, json} <- JSON.encode(about), do: Native.step_deploy(change, {:stage, plan, json, files})
  end

  @doc "Copies the disk into the version that is staged."
  @spec snapshot(change, VFS.t()) :: :ok | {:error, Error.t()}
  def snapshot(change, disk),
    do: with({:ok, path} <- Native.step_deploy(change, :snapshot), do: VFS.backup(disk, path))

  @doc "Makes the staged version live."
  @spec commit(change, map) :: {:ok, live} | {:error, Error.t()}
  def commit(change, note) do
    with {:ok, json} <- JSON.encode(note),
         {:ok, live} <- Native.step_deploy(change, {:commit, json}),
         do: {:ok, decode(live)}
  end

  @doc "Makes the version before live, and gives its disk back. What the newer one left on the disk is kept beside it."
  @spec roll_back(String.t(), change, VFS.t(), map) :: {:ok, live} | {:error, Error.t()}
  def roll_back(id, change, disk, note) do
    with {:ok, json} <- JSON.encode(note),
         {:ok, path} <- Native.step_deploy(change, :left),
         :ok <- VFS.backup(disk, path),
         {:ok, live} <- Native.step_deploy(change, {:roll_back, json}),
         do: settle(id, change, decode(live))
  end

  # A rollback is done when the disk is that of the version, too. Until then nobody may use either.
  defp settle(_id, _change, nil), do: {:ok, nil}
  defp settle(_id, _change, %{restoring: nil} = live), do: {:ok, live}

  defp settle(id, change, %{restoring: path}) do
    with {:ok, disk} <- Lifecycle.wake(id),
         :ok <- VFS.restore(disk, path),
         {:ok, live} <- Native.step_deploy(change, :restored),
         do: {:ok, decode(live)}
  end

  @doc "Where a workbook's versions are."
  @spec dir(String.t()) :: Path.t()
  def dir(id), do: Path.join(root(), id)

  defp root, do: Path.join(data(), "workbooks")

  defp data, do: Path.expand(Lifecycle.Supervisor.config().data_dir)
end
