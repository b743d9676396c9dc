defmodule Workbooks.Workflow.Source do
  @moduledoc false
  # A plan as it is given: its text, a file, or a directory with a `workbook.org`. What the plan names by `:dir` or `:file`
  # lies in the directory of the plan, and nowhere else.

  alias Workbooks.Error

  @enforce_keys [:org, :dir]
  defstruct [:org, :dir]

  @typedoc "What has a line end, or begins as Org does, is a text; `{:text, org}` leaves no doubt."
  @type plan :: String.t() | {:text, Workbooks.OQL.org()}
  @type t :: %__MODULE__{org: Workbooks.OQL.org(), dir: Path.t() | nil}

  @doc "Reads a plan. `dir` is where a plan that is given as text lies."
  @spec read(plan, Path.t() | nil) :: {:ok, t} | {:error, Error.t()}
  def read({:text, org}, dir) when is_binary(org),
    do: {:ok, %__MODULE__{org: org, dir: dir && Path.expand(dir)}}

  def read(plan, dir) when is_binary(plan) do
    if plan =~ ~r/\n|\A(\*|#\+|\z)/, do: read({:text, plan}, dir), else: file(Path.expand(plan))
  end

  defp file(path) do
    path = if File.dir?(path), do: Path.join(path, "workbook.org"), else: path

    case File.read(path) do
      {:ok, org} ->
        {:ok, %__MODULE__{org: org, dir: Path.dirname(path)}}

      {:error, reason} ->
        text = "the plan `#{path}`: #{:file.format_error(reason)}"
        {:error, Error.new(if(reason == :enoent, do: :not_found, else: :io), text, "check the path")}
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
