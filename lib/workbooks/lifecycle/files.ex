defmodule Workbooks.Lifecycle.Files do
  @moduledoc false
  # The disk of a workbook and its cold copy: the effects of `Workbooks.Lifecycle.State`.

  alias Workbooks.{Config, Error, VFS}
  alias Workbooks.Lifecycle.{Record, State}

  # The disk and what SQLite keeps beside it.
  @live ["disk.sqlite", "disk.sqlite-wal", "disk.sqlite-shm"]

  @doc "Does effects in order, up to the first that fails. Gives the disk as it is then: open or `nil`."
  @spec perform([State.effect()], Config.t(), String.t(), VFS.t() | nil) ::
          {:ok, VFS.t() | nil} | {:error, Error.t(), VFS.t() | nil}
  def perform(effects, config, id, disk) do
    Enum.reduce_while(effects, {:ok, disk}, fn effect, {:ok, disk} ->
      case effect(effect, config, id, disk) do
        {:ok, disk} -> {:cont, {:ok, disk}}
        {:error, error} -> {:halt, {:error, error, disk}}
      end
    end)
  end

  defp effect(:open, config, id, nil), do: VFS.open(live(config, id))
  defp effect(:open, _config, _id, disk), do: {:ok, disk}

  # A workbook that was active has a disk. Opening one that is gone would make an empty one, and the next freeze would
  # put that in the place of the copy in cold storage.
  defp effect(:reopen, config, id, nil) do
    with :ok <- there(config, id), do: VFS.open(live(config, id))
  end

  defp effect(:reopen, _config, _id, disk), do: {:ok, disk}

  defp effect(:close, _config, _id, nil), do: {:ok, nil}
  defp effect(:close, _config, _id, disk), do: with(:ok <- VFS.close(disk), do: {:ok, nil})

  defp effect(:backup, config, id, nil) do
    with :ok <- there(config, id),
         :ok <- make(config.cold_dir),
         {:ok, disk} <- VFS.open(live(config, id)) do
      copied = VFS.backup(disk, cold(config, id))
      with :ok <- VFS.close(disk), :ok <- copied, do: {:ok, nil}
    end
  end

  # What a thaw that was interrupted left behind goes first.
  defp effect(:thaw, config, id, nil) do
    with {:ok, nil} <- effect(:remove_live, config, id, nil),
         {:ok, disk} <- VFS.open(live(config, id)) do
      with {:error, error} <- VFS.restore(disk, cold(config, id)) do
        VFS.close(disk)
        effect(:remove_live, config, id, nil)
        {:error, error}
      else
        :ok -> {:ok, disk}
      end
    end
  end

  defp effect(:clear_tmp, _config, _id, disk), do: with({:ok, _} <- VFS.clear(disk, :tmp), do: {:ok, disk})

  defp effect(:remove_live, config, id, disk) do
    Enum.each(@live, &File.rm(Path.join(Record.dir(config, id), &1)))
    {:ok, disk}
  end

  defp effect(:remove_cold, config, id, disk) do
    File.rm(cold(config, id))
    {:ok, disk}
  end

  defp live(config, id), do: Path.join(Record.dir(config, id), "disk.sqlite")
  defp cold(config, id), do: Path.join(config.cold_dir, "#{id}.sqlite")

  defp there(config, id) do
    if File.regular?(live(config, id)) do
      :ok
    else
      text = "the disk of workbook `#{id}` is gone: there is no `#{live(config, id)}`"

      {:error,
       Error.new(:corrupt, text, "restore it from a copy, or put the one in cold storage in its place")}
    end
  end

  defp make(dir) do
    with {:error, reason} <- File.mkdir_p(dir) do
      text = "cold storage: #{:file.format_error(reason)}"
      {:error, Error.new(:io, text, "check `config :workbooks, cold_dir:`")}
    end
  end
end
