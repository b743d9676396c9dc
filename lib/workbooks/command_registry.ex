defmodule Workbooks.CommandRegistry do
  @moduledoc """
  The commands of the shell, and of guests that may start commands: the batteries, and what was registered beside them.

  A command is WebAssembly: a core module of WASI preview 1 that exports `_start`, or a component that exports
  `wasi:cli/run`. It is kept by content, as `<sha256>.wasm` in `config :workbooks, registry_dir:`, so it is there
  after a restart and for every process of the user. Its bytes are compared with that hash when they are first loaded and
  whenever the file has changed.

      :ok = Workbooks.CommandRegistry.register("shout", "build/shout.wasm")
      {:ok, %{stdout: "HI"}} = Workbooks.Shell.run("printf hi | shout")

  A name that is registered again is swapped at once; calls under way finish on the old bytes.
  """

  alias Workbooks.{Error, Kernel, Native}

  @doc """
  Registers a command, given by its bytes or by the path of its file.

  ## Options

    * `:arg_mode` - `:argv` (the default), or `:stdin1` for a command that reads its argument from the first line of
      its input
    * `:root` - the directory that the file must lie in, the current one by default; a path that leads out of it, also
      through a link, is `:path_not_confined`

  A name has letters, digits, `_`, `.` and `-`. The names of the batteries are reserved. There is room for 4,096
  commands.

  A refusal is `:reserved_name`, `:invalid_name`, `:path_not_confined`, `:registry_full` or `:not_a_command`.

      iex> {:error, error} = Workbooks.CommandRegistry.register("grep", <<0, "asm", 1, 0, 0, 0>>)
      iex> error.code
      :reserved_name

      iex> {:error, error} = Workbooks.CommandRegistry.register("shout", "../shout.wasm")
      iex> error.code
      :path_not_confined
  """
  @spec register(String.t(), Path.t() | binary, arg_mode: :argv | :stdin1, root: Path.t()) ::
          :ok | {:error, Error.t()}
  def register(name, command, opts \\ []) when is_binary(name) and is_binary(command) do
    with {:ok, mode, root} <- options(opts),
         {:ok, :ok} <- call(operation(command, name, mode, root)),
         do: :ok
  end

  @doc "Forgets a registered command."
  @spec unregister(String.t()) :: :ok | {:error, Error.t()}
  def unregister(name) when is_binary(name) do
    case call({:unregister, name}) do
      {:ok, true} -> :ok
      {:ok, false} -> {:error, Error.new(:not_found, "no command is registered as `#{name}`", "see names/0")}
      error -> error
    end
  end

  @doc """
  Every name, sorted.

      iex> {:ok, names} = Workbooks.CommandRegistry.names()
      iex> Enum.filter(~w(awk cat grep jq sort teleport), & &1 in names)
      ~w(awk cat grep jq sort)
  """
  @spec names() :: {:ok, [String.t()]} | {:error, Error.t()}
  def names, do: call(:names)

  @doc """
  The SHA-256 of a command's bytes, in hex; `nil` when there is no such command.

      iex> Workbooks.CommandRegistry.sha256("teleport")
      {:ok, nil}
  """
  @spec sha256(String.t()) :: {:ok, String.t() | nil} | {:error, Error.t()}
  def sha256(name) when is_binary(name), do: call({:find, name})

  defp operation(<<0, "asm", _::binary>> = wasm, name, mode, _root), do: {:register, name, mode, wasm}
  defp operation(path, name, mode, root), do: {:register_file, name, mode, root, path}

  defp options(opts) do
    {mode, opts} = Keyword.pop(opts, :arg_mode, :argv)
    {root, opts} = Keyword.pop_lazy(opts, :root, &File.cwd!/0)

    case opts do
      [] when mode in [:argv, :stdin1] and is_binary(root) -> {:ok, mode, root}
      _ -> {:error, bad_option([arg_mode: mode, root: root] ++ opts)}
    end
  end

  defp bad_option(opts) do
    text = "no such options for a command: #{inspect(opts, limit: 5)}"
    Error.new(:bad_option, text, "see the options of Workbooks.CommandRegistry.register/3")
  end

  @doc "`register/3`, or it raises."
  @spec register!(String.t(), Path.t() | binary, keyword) :: :ok
  def register!(name, command, opts \\ []), do: Error.bang(register(name, command, opts))

  @doc "`unregister/1`, or it raises."
  @spec unregister!(String.t()) :: :ok
  def unregister!(name), do: Error.bang(unregister(name))

  @doc "`names/0`, or it raises."
  @spec names!() :: [String.t()]
  def names!, do: Error.bang(names())

  @doc "`sha256/1`, or it raises."
  @spec sha256!(String.t()) :: String.t() | nil
  def sha256!(name), do: Error.bang(sha256(name))

  defp call(operation) do
    with {:ok, runtime} <- Kernel.runtime(), do: Native.call_registry(runtime, operation)
  end
end
