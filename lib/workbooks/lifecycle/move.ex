defmodule Workbooks.Lifecycle.Move do
  @moduledoc false
  # One move of a workbook, with everything it does to files. Effects come first and the record after them, so that a
  # record never promises what is not on the disk. It may take as long as a guest that still uses the disk, or as the
  # copy of a large one, so a keeper lets another process do it.

  alias Workbooks.{Config, Error, VFS}
  alias Workbooks.Lifecycle.{Files, Record, State}

  @typedoc "The answer, and the workbook and its disk as they are then."
  @type done :: {{:ok, State.name()} | {:error, Error.t()}, State.t(), VFS.t() | nil}

  @doc "Makes a move at a time."
  @spec perform(Config.t(), State.t(), VFS.t() | nil, State.move(), integer) :: done
  def perform(config, life, disk, move, now) do
    with {:ok, next, before, later} <- State.move(life, move, now),
         {:ok, disk} <- Files.perform(before, config, life.id, disk),
         {:recorded, :ok, _disk} <- {:recorded, Record.write(config, next), disk} do
      # These remove files and cannot fail; what a crash leaves behind goes at the next start.
      {:ok, disk} = Files.perform(later, config, life.id, disk)
      {{:ok, next.state}, next, disk}
    else
      {:error, error} -> {{:error, error}, life, disk}
      {:error, error, disk} -> {{:error, error}, life, back(config, life, disk)}
      {:recorded, {:error, error}, disk} -> {{:error, error}, life, back(config, life, disk)}
    end
  end

  @doc "Makes the files agree with a record that was found."
  @spec settle(Config.t(), State.t(), VFS.t() | nil) :: done
  def settle(config, life, disk) do
    case Files.perform(State.settle(life), config, life.id, disk) do
      {:ok, disk} -> {{:ok, life.state}, life, disk}
      {:error, error, disk} -> {{:error, error}, life, disk}
    end
  end

  # The move did not happen, so the disk is open again if it was, and closed if it was not.
  defp back(config, life, disk) do
    effects = if life.state == :active, do: [:reopen], else: [:close]

    case Files.perform(effects, config, life.id, disk) do
      {:ok, disk} -> disk
      {:error, _error, disk} -> disk
    end
  end
end
