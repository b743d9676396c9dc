defmodule Workbooks.Owner do
  @moduledoc false
  # One engine owns a data directory: it alone freezes, schedules and deploys what is in there. The lock is the operating
  # system's, so a VM that was killed has it no longer. The application takes it before anything else starts and lets it
  # go when everything has stopped; see `docs/engine.md`.

  alias Workbooks.{Config, Error, Native}

  @typedoc "The right to change the data directory and what belongs to it, or `nil` for an engine that has none."
  @type t :: [reference] | nil

  @doc """
  Takes the data directory of a configuration. An engine without one starts as well, unless it is to run schedules: it
  can do everything that needs no workbooks.
  """
  @spec take(Config.t()) :: {:ok, t} | {:error, Error.t()}
  def take(config) do
    case Config.dir(config, :data_dir) do
      {:ok, dir} -> take_all(dirs(dir, config.cold_dir), [])
      {:error, error} when config.schedules -> {:error, error}
      {:error, _nowhere} -> {:ok, nil}
    end
  end

  # Cold storage that lies elsewhere could be given to two engines, and their workbooks may have the same ids.
  defp dirs(data, cold), do: if(String.starts_with?(cold, data <> "/"), do: [data], else: [data, cold])

  defp take_all([], taken), do: {:ok, taken}

  defp take_all([dir | rest], taken) do
    case Native.take_data(dir) do
      {:ok, owner} ->
        take_all(rest, [owner | taken])

      {:error, error} ->
        release(taken)
        {:error, error}
    end
  end

  @doc "Lets it go. It is free when this returns."
  @spec release(t) :: :ok
  def release(nil), do: :ok
  def release(owner), do: Enum.each(owner, &Native.data_release/1)
end
