defmodule Workbooks.Lifecycle.Record do
  @moduledoc false
  # Where a workbook is in its life, on disk: `<data_dir>/<id>/state.json`. A record appears whole or not at all, and is
  # on the storage when the function returns.

  alias Workbooks.{Config, Error, JSON}
  alias Workbooks.Lifecycle.State

  @version 1

  @doc "Writes the first record of a workbook; there must be none."
  @spec create(Config.t(), State.t()) :: :ok | {:error, Error.t()}
  def create(config, life) do
    case put(config, life, &File.ln/2) do
      {:error, :eexist} -> {:error, Error.new(:exists, "workbook `#{life.id}` exists", "choose another id")}
      other -> said(other, life.id)
    end
  end

  @doc "Writes a record in place of the one before."
  @spec write(Config.t(), State.t()) :: :ok | {:error, Error.t()}
  def write(config, life), do: config |> put(life, &File.rename/2) |> said(life.id)

  @spec read(Config.t(), String.t()) :: {:ok, State.t()} | {:error, Error.t()}
  def read(config, id) do
    with {:ok, json} <- file(config, id),
         {:ok, record} <- JSON.decode(json),
         do: life(id, record)
  end

  @doc "The ids of all workbooks, sorted."
  @spec ids(Config.t()) :: [String.t()]
  def ids(config) do
    [config.data_dir, "*", "state.json"]
    |> Path.join()
    |> Path.wildcard()
    |> Enum.map(&(&1 |> Path.dirname() |> Path.basename()))
    |> Enum.sort()
  end

  @doc "The directory of a workbook."
  @spec dir(Config.t(), String.t()) :: Path.t()
  def dir(config, id), do: Path.join(config.data_dir, id)

  defp file(config, id) do
    case File.read(Path.join(dir(config, id), "state.json")) do
      {:ok, json} ->
        {:ok, json}

      {:error, :enoent} ->
        {:error, Error.new(:unknown_workbook, "there is no workbook `#{id}`", "create it first")}

      {:error, reason} ->
        said({:error, reason}, id)
    end
  end

  defp life(id, %{"version" => @version, "state" => name, "since" => since, "used" => used})
       when is_integer(since) and is_integer(used) do
    case Enum.find(State.names(), &(Atom.to_string(&1) == name)) do
      nil -> corrupt(id)
      state -> {:ok, %State{id: id, state: state, since: since, used: used}}
    end
  end

  defp life(id, %{"version" => version}) when version != @version do
    text =
      "the record of workbook `#{id}` has version #{inspect(version)}, and this program knows #{@version}"

    {:error, Error.new(:unknown_version, text, "use the version of Workbooks that wrote it")}
  end

  defp life(id, _), do: corrupt(id)

  defp corrupt(id),
    do: {:error, Error.new(:corrupt, "the record of workbook `#{id}` is damaged", "restore its state.json")}

  defp put(config, life, place) do
    dir = dir(config, life.id)
    fresh = Path.join(dir, ".state.json.#{System.unique_integer([:positive])}")
    record = %{version: @version, state: life.state, since: life.since, used: life.used}

    with {:ok, json} <- JSON.encode(record),
         :ok <- File.mkdir_p(dir),
         :ok <- synced(fresh, [:write, :raw], &:file.write(&1, json)),
         :ok <- place.(fresh, Path.join(dir, "state.json")) do
      synced(dir, [:read, :raw, :directory], fn _ -> :ok end)
    end
    |> tap(fn _ -> File.rm(fresh) end)
  end

  defp synced(path, modes, work) do
    with {:ok, file} <- :file.open(path, modes) do
      try do
        with :ok <- work.(file), do: :file.sync(file)
      after
        :file.close(file)
      end
    end
  end

  defp said({:error, reason}, id) when is_atom(reason) do
    text = "the record of workbook `#{id}`: #{:file.format_error(reason)}"
    {:error, Error.new(:io, text, "check `config :workbooks, data_dir:`")}
  end

  defp said(other, _id), do: other
end
