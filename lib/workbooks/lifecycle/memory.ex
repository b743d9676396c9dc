defmodule Workbooks.Lifecycle.Memory do
  @moduledoc false
  # What a `:persist` component keeps, in the volume `memory` of its workbook's disk. `docs/deploy.md` has the rules.
  #
  #     persist/<workflow>.<component>/checkpoint   what it answered to the checkpoint message
  #     persist/<workflow>.<component>/from         the version that answered
  #     persist/<workflow>.<component>/started      the version that has taken it over
  #     persist/<workflow>.<component>/state        the file `state` of a shell component
  #
  # A checkpoint is for the versions after the one that made it. So one that was written for a deploy which then did not
  # happen is for nobody, and the version that made it goes on as if it had not been asked.

  alias Workbooks.{Error, JSON, VFS}

  @type key :: [String.t()]

  @doc "The message that asks for a checkpoint."
  @spec checkpoint_message(key, pos_integer) :: String.t()
  def checkpoint_message(key, version),
    do: message(%{workbooks: "checkpoint", component: List.last(key), workflow: hd(key), version: version})

  @doc "The message that hands a checkpoint over."
  @spec start_message(key, pos_integer, %{text: String.t(), from: pos_integer}) :: String.t()
  def start_message(key, version, %{text: text, from: from}) do
    message(%{
      workbooks: "start",
      component: List.last(key),
      workflow: hd(key),
      version: version,
      from: from,
      checkpoint: text
    })
  end

  # Titles, numbers and a checkpoint that was judged to be text.
  defp message(map) do
    {:ok, json} = JSON.encode(map)
    json
  end

  @doc "Keeps checkpoints of a version."
  @spec keep(VFS.t(), pos_integer, [{key, String.t()}]) :: :ok | {:error, Error.t()}
  def keep(disk, version, checkpoints) do
    files =
      for {key, text} <- checkpoints,
          file <- [{"checkpoint", text}, {"from", Integer.to_string(version)}],
          do: {key, file}

    Enum.reduce_while(files, :ok, fn {key, {name, content}}, :ok ->
      case VFS.write(disk, path(key, name), content, :memory) do
        :ok -> {:cont, :ok}
        {:error, error} -> {:halt, {:error, error}}
      end
    end)
  end

  @doc "The checkpoint that a version has still to take over, if there is one."
  @spec due(VFS.t(), key, pos_integer) :: %{text: String.t(), from: pos_integer} | nil
  def due(disk, key, version) do
    with from when from != nil and from < version <- number(disk, key, "from"),
         started when started < version <- number(disk, key, "started") || 0,
         {:ok, text} <- VFS.read(disk, path(key, "checkpoint"), :memory),
         true <- String.valid?(text) do
      %{text: text, from: from}
    else
      _ -> nil
    end
  end

  @doc "A version has taken its checkpoint over."
  @spec started(VFS.t(), key, pos_integer) :: :ok | {:error, Error.t()}
  def started(disk, key, version),
    do: VFS.write(disk, path(key, "started"), Integer.to_string(version), :memory)

  @doc "The file `state` of a shell component."
  @spec state(VFS.t(), key) :: {:ok, binary} | {:error, Error.t()}
  def state(disk, key) do
    case VFS.read(disk, path(key, "state"), :memory) do
      {:error, %Error{code: :not_found}} -> {:ok, ""}
      answer -> answer
    end
  end

  @spec put_state(VFS.t(), key, binary) :: :ok | {:error, Error.t()}
  def put_state(disk, key, state), do: VFS.write(disk, path(key, "state"), state, :memory)

  @doc ~S"""
  Where a file of a component is. Titles are any text, and a path is not.

      iex> Workbooks.Lifecycle.Memory.path(["Agent", "Remember all/everything"], "checkpoint")
      "persist/Agent.Remember%20all%2Feverything/checkpoint"
  """
  @spec path(key, String.t()) :: String.t()
  def path(key, file), do: Path.join(["persist", key |> Enum.map_join(".", &encode/1) |> bounded(), file])

  defp encode(title), do: URI.encode(title, &(&1 in ?a..?z or &1 in ?A..?Z or &1 in ?0..?9 or &1 in ~c"-_"))

  # A name on the disk has at most 255 bytes.
  defp bounded(name) when byte_size(name) <= 255, do: name

  defp bounded(name) do
    hash = :crypto.hash(:sha256, name) |> Base.encode16(case: :lower)
    binary_part(name, 0, 190) <> "~" <> hash
  end

  # A guest may write there what it likes; what is no number is not there.
  defp number(disk, key, name) do
    with {:ok, text} <- VFS.read(disk, path(key, name), :memory),
         {number, ""} <- Integer.parse(text) do
      number
    else
      _ -> nil
    end
  end
end
