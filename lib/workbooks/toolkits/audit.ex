defmodule Workbooks.Toolkits.Audit do
  @moduledoc """
  A verdict per dependency: which scripts of a toolkit run in the sandbox, which need work, and which cannot.

  Every file in `scripts/` is read and never run. The findings and a fix-up plan go into `manifest.org`, in place of the
  last ones, and not a byte besides. The plan is one that `Workbooks.Run` can work off: the check of each task is the
  audit itself, as a command of the shell.
  """

  alias Workbooks.{Error, Operations}

  @typedoc "Keys are strings: `scripts`, each with `file`, `interpreter`, `class` and `findings`, and `summary`."
  @type report :: %{String.t() => term}

  @doc """
  Audits the toolkit in a directory. With `deep: true` also the directories below `scripts/`.

      iex> dir = Path.join(System.tmp_dir!(), "workbooks-doc-audit-\#{System.os_time()}")
      iex> File.mkdir_p!(Path.join(dir, "scripts"))
      iex> File.write!(Path.join(dir, "manifest.org"), "#+TOOLKIT: demo\\n* Demo :toolkit:\\n")
      iex> File.write!(Path.join(dir, "scripts/fetch.sh"), "curl -s example.org\\n")
      iex> {:ok, report} = Workbooks.Toolkits.Audit.run(dir)
      iex> plan = File.read!(Path.join(dir, "manifest.org"))
      iex> File.rm_rf!(dir)
      iex> {report["summary"], plan =~ ":done-when: audit scripts/fetch.sh --expect ready"}
      {%{"ready" => 0, "convertible" => 1, "blocked" => 0}, true}
  """
  @spec run(Path.t(), keyword) :: {:ok, report} | {:error, Error.t()}
  def run(dir, opts \\ []) do
    with {:ok, deep} <- deep(opts), do: Operations.call("toolkit.audit", %{dir: Path.expand(dir), deep: deep})
  end

  defp deep([]), do: {:ok, false}
  defp deep(deep: deep) when is_boolean(deep), do: {:ok, deep}

  defp deep(opts),
    do: {:error, Error.new(:bad_option, "#{inspect(opts)} is no option of an audit", "use deep: true")}

  use Workbooks.Bang, run: 1, run: 2
end
