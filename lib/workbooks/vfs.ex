defmodule Workbooks.VFS do
  @moduledoc ~S'''
  A workbook's disk: one SQLite file with three volumes, `:workspace`, `:memory` and `:tmp`.

      iex> path = Path.join(System.tmp_dir!(), "vfs-doc-#{System.os_time()}.sqlite")
      iex> {:ok, disk} = Workbooks.VFS.open(path, clock: fn -> 1_700_000_000 end)
      iex> Workbooks.VFS.write(disk, "notes/a.txt", "hello")
      :ok
      iex> Workbooks.VFS.append!(disk, "notes/a.txt", " again")
      iex> Workbooks.VFS.read(disk, "notes/a.txt")
      {:ok, "hello again"}
      iex> Workbooks.VFS.stat(disk, "notes/a.txt")
      {:ok, %{size: 11, mtime: 1_700_000_000}}
      iex> Workbooks.VFS.query(disk, "SELECT path FROM vfs")
      {:ok, [["notes/a.txt"]]}
      iex> Workbooks.VFS.close(disk)
      :ok
      iex> File.rm(path)
      :ok

  A disk belongs to no process: send it around, use it from many. It closes when it is closed or when nobody knows it
  any more. What a function wrote when it returned survives the end of the VM. `docs/disk.md` has the rules of paths,
  the limits, and what SQL may do.

  Every function that can fail has a twin with `!` that raises the `Workbooks.Error` instead.
  '''

  alias Workbooks.{Error, Kernel, Native}

  @enforce_keys [:ref, :clock]
  defstruct [:ref, :clock]

  @type t :: %__MODULE__{ref: Native.disk(), clock: (() -> integer)}
  @type volume :: :workspace | :memory | :tmp
  @type error :: {:error, Error.t()}
  @type stat :: %{size: non_neg_integer, mtime: integer}
  @type entry :: %{path: String.t(), size: non_neg_integer, mtime: integer}

  # 1 GiB in pages of 4 KiB.
  @max_pages 262_144
  @query_time 5_000
  # How often a disk that is being closed is looked at while others still use it.
  @closing 5

  @doc """
  Opens the disk at `path`, and makes it when there is none.

  ## Options

    * `:max_pages` - pages of 4 KiB that the file may grow to; 262,144 (1 GiB) by default
    * `:clock` - a function that gives the time of writes, in seconds since 1970
  """
  @spec open(Path.t(), max_pages: pos_integer, clock: (() -> integer)) :: {:ok, t} | error
  def open(path, opts \\ []) when is_binary(path) do
    opts = Keyword.validate!(opts, max_pages: @max_pages, clock: fn -> System.os_time(:second) end)

    with {:ok, runtime} <- Kernel.runtime(),
         {:ok, ref} <- Native.open_disk(runtime, Path.expand(path), opts[:max_pages]),
         do: {:ok, %__MODULE__{ref: ref, clock: opts[:clock]}}
  end

  @doc "Closes the disk to new calls, waits for those under way, and closes the file."
  @spec close(t) :: :ok | error
  def close(%__MODULE__{ref: ref} = disk) do
    with {:ok, false} <- Native.call_disk(ref, :close) do
      Process.sleep(@closing)
      close(disk)
    else
      {:ok, true} -> :ok
      error -> error
    end
  end

  @doc "The content of a file."
  @spec read(t, String.t(), volume) :: {:ok, binary} | error
  def read(disk, path, volume \\ :workspace), do: call(disk, {:read, name(volume), path})

  @doc "Makes `content` the whole of a file, new or not."
  @spec write(t, String.t(), binary, volume) :: :ok | error
  def write(disk, path, content, volume \\ :workspace),
    do: call(disk, {:write, name(volume), path, content, disk.clock.()})

  @doc "Adds `content` to the end of a file, new or not."
  @spec append(t, String.t(), binary, volume) :: :ok | error
  def append(disk, path, content, volume \\ :workspace),
    do: call(disk, {:append, name(volume), path, content, disk.clock.()})

  @doc "Deletes a file, and says whether there was one."
  @spec delete(t, String.t(), volume) :: {:ok, boolean} | error
  def delete(disk, path, volume \\ :workspace), do: call(disk, {:delete, name(volume), path})

  @doc "Deletes every file of a volume, and says how many there were."
  @spec clear(t, volume) :: {:ok, non_neg_integer} | error
  def clear(disk, volume), do: call(disk, {:clear, name(volume)})

  @doc "Every file of a volume, by path."
  @spec list(t, volume) :: {:ok, [entry]} | error
  def list(disk, volume \\ :workspace), do: call(disk, {:list, name(volume)})

  @doc "The size and time of a file."
  @spec stat(t, String.t(), volume) :: {:ok, stat} | error
  def stat(disk, path, volume \\ :workspace), do: call(disk, {:stat, name(volume), path})

  @doc """
  Runs one SQL statement as a guest's would run, and gives its rows. A BLOB is `%{"base64" => ".."}`.

  `:timeout` is in milliseconds, 5,000 by default.
  """
  @spec query(t, String.t(), timeout: pos_integer) :: {:ok, [[term]]} | error
  def query(disk, sql, opts \\ []) do
    [timeout: time] = Keyword.validate!(opts, timeout: @query_time)
    call(disk, {:query, sql, time})
  end

  @doc "Writes a volume to a directory that is absent or empty, and says how many files it has."
  @spec export(t, Path.t(), volume) :: {:ok, non_neg_integer} | error
  def export(disk, dir, volume), do: call(disk, {:export, name(volume), Path.expand(dir)})

  @doc "Makes a volume hold exactly what is below a directory, and says how many files that is."
  @spec import(t, Path.t(), volume) :: {:ok, non_neg_integer} | error
  def import(disk, dir, volume),
    do: call(disk, {:import, name(volume), Path.expand(dir), disk.clock.()})

  @doc "Copies the disk to one file, while others go on using it."
  @spec backup(t, Path.t()) :: :ok | error
  def backup(disk, path), do: call(disk, {:backup, Path.expand(path)})

  @doc "Makes the disk what a backup holds."
  @spec restore(t, Path.t()) :: :ok | error
  def restore(disk, path), do: call(disk, {:restore, Path.expand(path)})

  for {name, arity} <- [
        open: 1,
        open: 2,
        close: 1,
        read: 2,
        read: 3,
        write: 3,
        write: 4,
        append: 3,
        append: 4,
        delete: 2,
        delete: 3,
        clear: 2,
        list: 1,
        list: 2,
        stat: 2,
        stat: 3,
        query: 2,
        query: 3,
        export: 3,
        import: 3,
        backup: 2,
        restore: 2
      ] do
    args = Macro.generate_arguments(arity, __MODULE__)
    @doc "`#{name}/#{arity}`, or it raises."
    def unquote(:"#{name}!")(unquote_splicing(args)),
      do: Error.bang(apply(__MODULE__, unquote(name), [unquote_splicing(args)]))
  end

  defp call(%__MODULE__{ref: ref}, operation) do
    with {:ok, :ok} <- Native.call_disk(ref, operation), do: :ok
  end

  # A name that is no volume is the disk's to refuse.
  defp name(volume) when is_atom(volume), do: Atom.to_string(volume)
end
