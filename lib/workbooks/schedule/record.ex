defmodule Workbooks.Schedule.Record do
  @moduledoc false
  # What was run, on disk. Each schedule has a directory, and in it one file: its number, then `.json`.
  #
  # A change is a new file with the next number, made by a link, which succeeds for one of all who try, in this VM or in
  # another. Whoever then sees no higher number has the change; the file before goes. So a due time is taken once.

  alias Workbooks.{Error, JSON}

  @version 1

  @enforce_keys [:schedule, :since]
  defstruct [:schedule, :since, :last, :completed, n: 0]

  @type t :: %__MODULE__{
          schedule: map,
          since: integer,
          last: integer | nil,
          completed: integer | nil,
          n: non_neg_integer
        }
  @type key :: {String.t(), [String.t()]}

  @doc "The newest record."
  @spec read(Path.t(), key) :: {:ok, t | nil} | {:error, Error.t()}
  def read(root, key) do
    place = place(root, key)

    case newest(place) do
      0 -> {:ok, nil}
      n -> with {:ok, json} <- file(place, n), {:ok, record} <- JSON.decode(json), do: record(record, n)
    end
    |> again(root, key)
  end

  # Between the listing and the reading somebody else may have moved on.
  defp again({:error, :enoent}, root, key), do: read(root, key)
  defp again({:error, reason}, _root, _key) when is_atom(reason), do: {:error, io(reason)}
  defp again({:error, %Error{code: :not_json}}, _root, key), do: {:error, corrupt(key)}
  defp again({:error, :corrupt}, _root, key), do: {:error, corrupt(key)}
  defp again(other, _root, _key), do: other

  @doc "Puts a record in place of the one that it was made from. `:taken` when somebody else was faster."
  @spec write(Path.t(), key, t) :: {:ok, t} | :taken | {:error, Error.t()}
  def write(root, key, record) do
    place = place(root, key)
    n = record.n + 1
    fresh = Path.join(place, ".#{n}.#{System.pid()}.#{System.unique_integer([:positive])}")

    with {:ok, json} <- JSON.encode(body(key, record)),
         :ok <- make(root, place),
         :ok <- synced(fresh, [:write, :raw], &:file.write(&1, json)),
         :ok <- File.ln(fresh, Path.join(place, "#{n}.json")),
         :ok <- sync_dir(place) do
      settle(place, %{record | n: n})
    end
    |> tap(fn _ -> File.rm(fresh) end)
    |> said()
  end

  # One that had fallen behind could take a number that is free again.
  defp settle(place, record) do
    if newest(place) == record.n do
      for n <- numbers(place), n < record.n, do: File.rm(Path.join(place, "#{n}.json"))
      {:ok, record}
    else
      File.rm(Path.join(place, "#{record.n}.json"))
      :taken
    end
  end

  defp said({:error, :eexist}), do: :taken
  defp said({:error, reason}) when is_atom(reason), do: {:error, io(reason)}
  defp said(other), do: other

  defp newest(place), do: place |> numbers() |> Enum.max(fn -> 0 end)

  defp numbers(place) do
    for name <- ls(place), {n, ".json"} <- [Integer.parse(name)], do: n
  end

  defp ls(dir) do
    case File.ls(dir) do
      {:ok, names} -> names
      {:error, _} -> []
    end
  end

  defp file(place, n), do: File.read(Path.join(place, "#{n}.json"))

  defp body({workbook, path}, record) do
    %{
      version: @version,
      workbook: workbook,
      path: path,
      schedule: record.schedule,
      since: record.since,
      last: record.last,
      completed: record.completed
    }
  end

  defp record(%{"version" => @version, "schedule" => %{} = schedule, "since" => since} = found, n)
       when is_integer(since) do
    {:ok,
     %__MODULE__{schedule: schedule, since: since, last: found["last"], completed: found["completed"], n: n}}
  end

  defp record(%{"version" => version}, _n) when version != @version do
    text = "the record of a schedule has version #{inspect(version)}, and this program knows #{@version}"
    {:error, Error.new(:unknown_version, text, "use the version of Workbooks that wrote it")}
  end

  defp record(_, _n), do: {:error, :corrupt}

  defp corrupt({workbook, path}) do
    text = "the record of `#{Enum.join(path, " / ")}` in workbook `#{workbook}` is damaged"
    Error.new(:corrupt, text, "remove it, and the schedule begins anew")
  end

  defp io(reason),
    do:
      Error.new(
        :io,
        "the record of a schedule: #{:file.format_error(reason)}",
        "check the scheduler's directory"
      )

  # The directory of a schedule.
  defp place(root, key), do: Path.join(root, name(key))

  # Names of people's choosing make no good file names.
  defp name({workbook, path}) do
    digest = :crypto.hash(:sha256, :erlang.term_to_binary({workbook, path}, minor_version: 2))
    Base.encode16(digest, case: :lower)
  end

  # A new directory is there only when the one above it knows.
  defp make(root, place) do
    if File.dir?(place),
      do: :ok,
      else: with(:ok <- File.mkdir_p(place), do: sync_dir(root))
  end

  defp sync_dir(dir), do: synced(dir, [:read, :raw, :directory], fn _ -> :ok end)

  defp synced(path, modes, work) do
    with {:ok, file} <- :file.open(path, modes) do
      try do
        with :ok <- work.(file), do: :file.sync(file)
      after
        :file.close(file)
      end
    end
  end
end
