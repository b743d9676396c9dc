defmodule Workbooks.KernelRegistry do
  @moduledoc """
  Kernels by name: bytes in, bytes out, instantiated once and called in a loop.

      {:ok, levels} = Workbooks.KernelRegistry.open("levels")
      {:ok, frame} = Workbooks.KernelRegistry.process(levels, frame)

  A kernel is a core module that imports nothing and exports `memory`, `in_ptr() -> i32`, `out_ptr() -> i32` and
  `process(in_len: i32) -> i32`, which answers how many bytes stand at `out_ptr`. Every size it names is held against its
  memory. `Workbooks.Toolkits.build/2` registers the kernel of a toolkit under the toolkit's name.

  A kernel that traps (`:trap`), takes too long (`:cpu_timeout`), wants too much memory (`:memory_limit`) or lies about a
  size loses its instance; the next call starts a fresh one. Calls of
  one kernel wait for each other; open it several times to run it side by side.
  """

  alias Workbooks.{Error, JSON, Kernel, Native, Policy}
  alias Workbooks.Operations.Settings

  @enforce_keys [:ref, :name]
  defstruct @enforce_keys

  @type t :: %__MODULE__{ref: Native.transform(), name: String.t()}

  @doc "The names that are registered, with the hash of each artifact."
  @spec names() :: {:ok, %{String.t() => String.t()}} | {:error, Error.t()}
  def names do
    with {:ok, dir} <- dir() do
      case File.read(Path.join(dir, "index.json")) do
        {:ok, text} -> index(JSON.decode(text))
        {:error, :enoent} -> {:ok, %{}}
        {:error, why} -> {:error, Error.new(:io, "#{dir}: #{:file.format_error(why)}", "check the directory")}
      end
    end
  end

  @doc """
  Opens a kernel by its name.

  ## Options

    * `:profile` - its memory, and the time of each call, see `Workbooks.Policy`; `:compute` by default
  """
  @spec open(String.t(), profile: Policy.name()) :: {:ok, t} | {:error, Error.t()}
  def open(name, opts \\ []) when is_binary(name) do
    with {:ok, names} <- names(),
         {:ok, wasm} <- artifact(name, names[name]),
         do: load(wasm, [name: name] ++ opts)
  end

  @doc """
  A kernel from its bytes, without a name in the registry.

      iex> {:error, error} = Workbooks.KernelRegistry.load(<<0, "asm", 1, 0, 0, 0>>)
      iex> error.message =~ "it does not export `memory`"
      true
  """
  @spec load(binary, profile: Policy.name(), name: String.t()) :: {:ok, t} | {:error, Error.t()}
  def load(wasm, opts \\ []) when is_binary(wasm) do
    opts = Keyword.validate!(opts, profile: :compute, name: "")
    profile = Policy.profile(opts[:profile])

    with {:ok, runtime} <- Kernel.runtime(),
         {:ok, ref} <-
           Native.open_transform(runtime, wasm, profile.memory_mib * 1024 * 1024, profile.time_s * 1000),
         do: {:ok, %__MODULE__{ref: ref, name: opts[:name]}}
  end

  @doc "Calls a kernel."
  @spec process(t, binary) :: {:ok, binary} | {:error, Error.t()}
  def process(%__MODULE__{ref: ref}, input) when is_binary(input), do: Native.process_transform(ref, input)

  @doc "`names/0`, or it raises."
  @spec names!() :: %{String.t() => String.t()}
  def names!, do: Error.bang(names())

  @doc "`open/2`, or it raises."
  @spec open!(String.t(), profile: Policy.name()) :: t
  def open!(name, opts \\ []), do: Error.bang(open(name, opts))

  @doc "`load/2`, or it raises."
  @spec load!(binary, keyword) :: t
  def load!(wasm, opts \\ []), do: Error.bang(load(wasm, opts))

  @doc "`process/2`, or it raises."
  @spec process!(t, binary) :: binary
  def process!(kernel, input), do: Error.bang(process(kernel, input))

  defp dir, do: with({:ok, state} <- Settings.toolkits_dir(), do: {:ok, Path.join(state, "kernels")})

  defp index({:ok, %{"version" => 1, "entries" => entries}}), do: {:ok, entries}

  defp index(_),
    do:
      {:error, Error.new(:unknown_version, "the index of kernels cannot be read", "build the toolkits again")}

  defp artifact(name, nil),
    do:
      {:error,
       Error.new(
         :not_found,
         "no kernel is registered as `#{name}`",
         "build its toolkit: Workbooks.Toolkits.build/2"
       )}

  defp artifact(name, sha256) do
    with {:ok, dir} <- dir(),
         {:ok, wasm} <- File.read(Path.join(dir, sha256 <> ".wasm")),
         ^sha256 <- Base.encode16(:crypto.hash(:sha256, wasm), case: :lower) do
      {:ok, wasm}
    else
      _ ->
        {:error,
         Error.new(:corrupt, "the artifact of `#{name}` is not what was registered", "build it again")}
    end
  end
end
