defmodule Workbooks.Bundle do
  @moduledoc """
  A workbook as one file: the plan, the plan as a page, its artifacts, and of its disk the work.

      iex> dir = Path.join(System.tmp_dir!(), "bundle-doc-\#{System.os_time()}")
      iex> File.mkdir_p!(dir)
      iex> File.write!(dir <> "/report.org", "* Report :workflow:\\n")
      iex> {:ok, manifest} = Workbooks.Bundle.create(dir <> "/report.org", dir <> "/report.wbundle")
      iex> manifest["id"]
      "report"
      iex> {:ok, _did} = Workbooks.Bundle.sign(dir <> "/report.wbundle", history: dir <> "/history")
      iex> {:ok, %{intact: true, signed: true}} = Workbooks.Bundle.verify(dir <> "/report.wbundle")
      iex> {:ok, _manifest} = Workbooks.Bundle.unpack(dir <> "/report.wbundle", dir <> "/copy")
      iex> File.read!(dir <> "/copy/workbook.org")
      "* Report :workflow:\\n"

  Sharing exposes the work, never the session: `memory` and `tmp` are not in the file unless they are asked for.
  `docs/bundles.md` has the format and its limits.
  """

  alias Workbooks.{Error, History, Kernel, Native}

  @typedoc "What is in a bundle: `format`, `id`, `volumes`, `private_included`, `created` and `files`."
  @type manifest :: %{String.t() => term}

  @type verification :: %{
          id: String.t(),
          intact: boolean,
          signed: boolean,
          did: String.t() | nil,
          manifest: String.t()
        }

  @doc """
  Makes a bundle of a plan, or of a directory with a `workbook.org`, at `output`.

  A plan with diagnostics is refused with the code `:diagnostics`, and the error's details have them.

  ## Options

    * `:id` - the workbook's name; by default that of the file or directory
    * `:private` - take `memory` and `tmp` along, and the tables that guests made
    * `:disk` - another disk than the `vfs.sqlite` in the directory
    * `:created` - the time in the manifest, in seconds since 1970; by default that of the newest input
  """
  @spec create(Path.t(), Path.t(), keyword) :: {:ok, manifest} | {:error, Error.t()}
  def create(source, output, opts \\ []) do
    with {:ok, opts} <- options(opts, id: nil, private: false, disk: nil, created: nil) do
      order = opts |> Map.new() |> Map.update!(:disk, &(&1 && Path.expand(&1)))
      call({:create, Path.expand(source), Path.expand(output), order})
    end
  end

  @doc "`create/3`, or an exception."
  @spec create!(Path.t(), Path.t(), keyword) :: manifest
  def create!(source, output, opts \\ []), do: bang(create(source, output, opts))

  @doc "Unpacks a bundle into a directory that is absent or empty. Refused, it writes nothing."
  @spec unpack(Path.t(), Path.t()) :: {:ok, manifest} | {:error, Error.t()}
  def unpack(bundle, dir), do: call({:unpack, Path.expand(bundle), Path.expand(dir)})

  @doc "`unpack/2`, or an exception."
  @spec unpack!(Path.t(), Path.t()) :: manifest
  def unpack!(bundle, dir), do: bang(unpack(bundle, dir))

  @doc """
  Signs a bundle with the user's key, and gives its did:key.

  ## Options

    * `:history` - the history directory, where the key is; by default the user's
  """
  @spec sign(Path.t(), history: Path.t()) :: {:ok, String.t()} | {:error, Error.t()}
  def sign(bundle, opts \\ []) do
    with {:ok, [history: dir]} <- options(opts, history: nil),
         {:ok, dir} <- History.directory(dir),
         do: call({:sign, Path.expand(bundle), dir})
  end

  @doc "`sign/2`, or an exception."
  @spec sign!(Path.t(), history: Path.t()) :: String.t()
  def sign!(bundle, opts \\ []), do: bang(sign(bundle, opts))

  @doc "Holds a bundle against its signature. One that cannot be opened is an error: nobody can stand for it."
  @spec verify(Path.t()) :: {:ok, verification} | {:error, Error.t()}
  def verify(bundle) do
    with {:ok, found} <- call({:verify, Path.expand(bundle)}) do
      {:ok,
       %{
         id: found["id"],
         intact: found["intact"],
         signed: found["signed"],
         did: found["did"],
         manifest: found["manifest"]
       }}
    end
  end

  @doc "`verify/1`, or an exception."
  @spec verify!(Path.t()) :: verification
  def verify!(bundle), do: bang(verify(bundle))

  defp options(opts, defaults) do
    with {:error, unknown} <- Keyword.validate(opts, defaults) do
      text = "unknown option #{Enum.map_join(unknown, ", ", &inspect/1)}"
      {:error, Error.new(:bad_option, text, "see the options of Workbooks.Bundle")}
    end
  end

  defp bang({:ok, value}), do: value
  defp bang({:error, error}), do: raise(error)

  defp call(operation) do
    with {:ok, runtime} <- Kernel.runtime(), do: Native.call_bundle(runtime, operation)
  end
end
