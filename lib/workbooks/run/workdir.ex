defmodule Workbooks.Run.Workdir do
  @moduledoc false
  # The directory that workers and checks see, and nothing else of the machine. A run keeps the one it began with: a link
  # that points elsewhere later does not carry its checks along.

  alias Workbooks.Error

  @enforce_keys [:path, :identity]
  defstruct [:path, :identity]

  @type t :: %__MODULE__{path: Path.t(), identity: {integer, integer}}

  # More links than this in one path are a loop.
  @links 40

  @doc "Finds the directory behind a path. The history must not lie in it: what is there could be written by a guest."
  @spec open(Path.t(), Path.t()) :: {:ok, t} | {:error, Error.t()}
  def open(path, history) do
    with {:ok, real} <- real(path),
         {:ok, identity} <- identity(real),
         {:ok, history} <- real(history),
         :ok <- apart(real, history, path),
         do: {:ok, %__MODULE__{path: real, identity: identity}}
  end

  @doc "Whether the directory is still the one it was."
  @spec same?(t) :: boolean
  def same?(%__MODULE__{path: path, identity: identity}),
    do: identity(path) == {:ok, identity} and real(path) == {:ok, path}

  defp identity(path) do
    case File.stat(path) do
      {:ok, %{type: :directory, major_device: device, inode: inode}} -> {:ok, {device, inode}}
      {:ok, _} -> refused(path, "is not a directory")
      {:error, reason} -> refused(path, "cannot be used: #{:file.format_error(reason)}")
    end
  end

  defp apart(workdir, history, path) do
    if List.starts_with?(Path.split(history), Path.split(workdir)) do
      text =
        "the history directory lies inside the working directory `#{path}`, where a guest could write to it"

      {:error, Error.new(:bad_option, text, "give another `workdir:`, or `history:` outside of it")}
    else
      :ok
    end
  end

  @doc "A path without links. One that does not exist yet is real as far as it does."
  @spec real(Path.t()) :: {:ok, Path.t()} | {:error, Error.t()}
  def real(path), do: path |> Path.expand() |> Path.split() |> follow("/", @links)

  defp follow(_names, at, 0), do: refused(at, "is a link that leads in a circle")
  defp follow([], at, _links), do: {:ok, at}

  defp follow([name | names], at, links) do
    here = Path.join(at, name)

    case File.read_link(here) do
      {:ok, target} -> follow(Path.split(Path.expand(target, at)) ++ names, "/", links - 1)
      {:error, _} -> follow(names, here, links)
    end
  end

  defp refused(path, why),
    do: {:error, Error.new(:bad_option, "the working directory `#{path}` #{why}", "check `workdir:`")}
end
