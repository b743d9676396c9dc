defmodule Workbooks.Schedule.Record do
  @moduledoc false
  # What was run, on disk. Each schedule has a directory, and in it one file: its number, then `.json`.
  #
  # A change is a new file with the next number. It is made by a hard link, which succeeds for one of all schedulers that
  # try, in this VM or in another. The one that then sees no higher number has made the change, and removes the file before.
  # So a due time is taken by one scheduler.

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
      n -> read(root, key, place, n)
    end
  end

  defp read(root, key, place, n) do
    with {:ok, json} <- file(place, n),
         {:ok, body} <- JSON.decode(json),
         {:ok, record} <- record(body, n) do
      {:ok, record}
    else
      # Between the listing and the reading another scheduler wrote the next record and removed this one.
      {:error, :enoent} -> read(root, key)
      {:error, :corrupt} -> {:error, corrupt(key, place)}
      {:error, %Error{code: :not_json}} -> {:error, corrupt(key, place)}
      {:error, %Error{} = error} -> {:error, error}
      {:error, reason} -> {:error, io(reason)}
    end
  end

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
    |> answer()
  end

  # A scheduler that read an old record long ago may take a number that was removed since. It then sees a higher one, and
  # has not got the change.
  defp settle(place, record) do
    if newest(place) == record.n do
      for n <- numbers(place), n < record.n, do: File.rm(Path.join(place, "#{n}.json"))
      {:ok, record}
    else
      File.rm(Path.join(place, "#{record.n}.json"))
      :taken
    end
  end

  defp answer({:error, :eexist}), do: :taken
  defp answer({:error, reason}) when is_atom(reason), do: {:error, io(reason)}
  defp answer(other), do: other

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

  defguardp is_moment(value) when is_integer(value) or is_nil(value)

  defp record(%{"version" => @version, "schedule" => %{} = schedule, "since" => since} = body, n)
       when is_integer(since) and is_moment(:erlang.map_get("last", body)) and
              is_moment(:erlang.map_get("completed", body)) do
    {:ok,
     %__MODULE__{schedule: schedule, since: since, last: body["last"], completed: body["completed"], n: n}}
  end

  defp record(%{"version" => version}, _n) when version != @version do
    text = "the record of a schedule has version #{inspect(version)}, and this program knows #{@version}"
    {:error, Error.new(:unknown_version, text, "use the version of Workbooks that wrote it")}
  end

  defp record(_, _n), do: {:error, :corrupt}

  defp corrupt({workbook, path}, place) do
    text = "the record of `#{Enum.join(path, " / ")}` in workbook `#{workbook}` is damaged"
    Error.new(:corrupt, text, "remove `#{place}`, and the schedule begins anew")
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

  # Titles may hold anything, so the directory is named by a hash of them.
  defp name({workbook, path}) do
    digest = :crypto.hash(:sha256, :erlang.term_to_binary({workbook, path}, minor_version: 2))
    Base.encode16(digest, case: :lower)
  end

  # A new directory survives a power cut only when the directory above it is synced as well.
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
