defmodule Workbooks.Toolkits.Import do
  @moduledoc """
  An existing tool becomes a toolkit: a Claude skill, an MCP config, a package, a folder.

  Nothing is run and nothing is fetched. Scripts are carried as they are and audited at the end, see
  `Workbooks.Toolkits.Audit`. The kinds and what becomes of each are in `docs/import-and-audit.md`.
  """

  alias Workbooks.{Error, Operations}

  @kinds ~w(claude-skill markdown folder mcp-server openapi npm-cli pip-cli cursor-rules agents-md)

  @typedoc "What was made. Keys are strings: `id`, `kind`, `dir`, `skills`, `scripts`, `skipped`, and `audit` or `audit_skipped`."
  @type imported :: %{String.t() => term}

  @doc """
  Makes a toolkit of a directory or a file.

  Options: `as:`, the kind, which is detected when it is not said; `output:`, the directory to make, `./<id>` by
  default. A directory that is there already is refused.

      iex> dir = Path.join(System.tmp_dir!(), "workbooks-doc-import-\#{System.os_time()}")
      iex> File.mkdir_p!(dir)
      iex> File.write!(Path.join(dir, "notes.md"), "# Notes\\n\\nRead me.\\n")
      iex> {:ok, made} = Workbooks.Toolkits.Import.run(Path.join(dir, "notes.md"), output: Path.join(dir, "notes"))
      iex> {made["id"], made["kind"], made["skills"]}
      {"notes", "markdown", ["overview", "notes"]}
      iex> {:error, error} = Workbooks.Toolkits.Import.run(Path.join(dir, "notes.md"), output: Path.join(dir, "notes"))
      iex> File.rm_rf!(dir)
      iex> error.code
      :exists
  """
  @spec run(Path.t(), keyword) :: {:ok, imported} | {:error, Error.t()}
  def run(source, opts \\ []) do
    with {:ok, opts} <- options(opts) do
      Operations.call("toolkit.import", %{
        source: Path.expand(source),
        kind: opts[:as],
        output: opts[:output] && Path.expand(opts[:output])
      })
    end
  end

  @doc "The kinds that `as:` takes."
  @spec kinds() :: [String.t()]
  def kinds, do: @kinds

  defp options(opts) do
    case Keyword.split(opts, [:as, :output]) do
      {known, []} -> kind(known, known[:as])
      {_, [{name, _} | _]} -> bad("there is no option #{inspect(name)}", "use :as and :output")
    end
  end

  defp kind(opts, nil), do: {:ok, opts}
  defp kind(opts, kind) when is_atom(kind), do: kind(Keyword.put(opts, :as, dashed(kind)), dashed(kind))
  defp kind(opts, kind) when kind in @kinds, do: {:ok, opts}

  defp kind(_, kind),
    do: bad("#{inspect(kind)} is no kind of import", "use one of #{Enum.join(@kinds, ", ")}")

  defp dashed(kind), do: kind |> Atom.to_string() |> String.replace("_", "-")

  defp bad(message, hint), do: {:error, Error.new(:bad_option, message, hint)}

  use Workbooks.Bang, run: 1, run: 2
end
