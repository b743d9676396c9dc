defmodule Workbooks.Workflow.Source do
  @moduledoc false
  # A plan as it is given: the path of a file, of a directory with a `workbook.org`, or of such a directory as a bundle; or
  # its text. What the plan names by `:dir` or `:file` lies in the directory of the plan, and nowhere else.

  alias Workbooks.{Bundle, Error}

  @enforce_keys [:org, :dir]
  defstruct [:org, :dir, :disk]

  @typedoc "A path, or a text. Nobody guesses which."
  @type plan :: Path.t() | {:org, Workbooks.OQL.org()}
  @type t :: %__MODULE__{org: Workbooks.OQL.org(), dir: Path.t() | nil, disk: Path.t() | nil}

  @doc "Reads a plan and gives it to `work`. A bundle is unpacked for as long as that takes."
  @spec using(plan, Path.t() | nil, (t -> result)) :: result | {:error, Error.t()} when result: term
  def using(plan, dir, work) do
    if is_binary(plan) and Path.extname(plan) == ".wbundle" and not File.dir?(plan),
      do: unpacked(plan, work),
      else: with({:ok, source} <- read(plan, dir), do: work.(source))
  end

  defp unpacked(bundle, work) do
    name = "workbooks-" <> Base.encode16(:crypto.strong_rand_bytes(16), case: :lower)
    private = Path.join(System.tmp_dir!(), name)
    book = Path.join(private, "workbook")

    try do
      with :ok <- File.mkdir(private),
           :ok <- File.chmod(private, 0o700),
           {:ok, _manifest} <- Bundle.unpack(bundle, book),
           {:ok, source} <- file(book) do
        work.(source)
      else
        {:error, reason} when is_atom(reason) ->
          {:error,
           Error.new(:io, "`#{private}`: #{:file.format_error(reason)}", "check the temporary directory")}

        error ->
          error
      end
    after
      File.rm_rf(private)
    end
  end

  @doc "Reads a plan. `dir` is where a plan that is given as text lies."
  @spec read(plan, Path.t() | nil) :: {:ok, t} | {:error, Error.t()}
  def read({:org, org}, dir) when is_binary(org),
    do: {:ok, %__MODULE__{org: org, dir: dir && Path.expand(dir)}}

  def read(path, _dir) when is_binary(path) do
    if String.valid?(path) and not String.contains?(path, <<0>>),
      do: file(Path.expand(path)),
      else: {:error, Error.new(:not_found, "this is no path of a plan", "give a text as {:org, text}")}
  end

  def read(_other, _dir),
    do: {:error, Error.new(:bad_option, "a plan is a path or {:org, text}", "give one of them")}

  defp file(path) do
    if File.dir?(path),
      do:
        with({:ok, source} <- text(Path.join(path, "workbook.org")), do: {:ok, %{source | disk: disk(path)}}),
      else: text(path)
  end

  defp disk(dir) do
    disk = Path.join(dir, "vfs.sqlite")
    if File.regular?(disk), do: disk
  end

  defp text(path) do
    case File.read(path) do
      {:ok, org} ->
        {:ok, %__MODULE__{org: org, dir: Path.dirname(path)}}

      {:error, reason} ->
        text = "the plan `#{String.slice(path, 0, 200)}`: #{:file.format_error(reason)}"
        code = if reason in [:enoent, :enametoolong, :enotdir], do: :not_found, else: :io
        {:error, Error.new(code, text, "check the path; a text is given as {:org, text}")}
    end
  end

  @doc "A path that the plan names. One that leads out of the plan's directory, by dots or by a link, is refused."
  @spec inside(t, String.t()) :: {:ok, Path.t()} | {:error, String.t()}
  def inside(%__MODULE__{dir: nil}, path),
    do: {:error, "`#{path}` is in no directory: the plan was given as text"}

  def inside(%__MODULE__{dir: dir}, path) do
    case :filelib.safe_relative_path(path, dir) do
      :unsafe -> {:error, "`#{path}` leads out of the plan's directory"}
      safe -> {:ok, dir |> Path.join(safe) |> Path.expand()}
    end
  end
end
