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

  @type refusal ::
          :reserved_name | :invalid_name | :path_not_confined | :registry_full | :not_a_command | Error.t()

  @doc """
  Registers a command, given by its bytes or by the path of its file.

  ## Options

    * `:arg_mode` - `:argv` (the default), or `:stdin1` for a command that reads its argument from the first line of
      its input
    * `:root` - the directory that the file must lie in, the current one by default; a path that leads out of it, also
      through a link, is `:path_not_confined`

  A name has letters, digits, `_`, `.` and `-`. The names of the batteries are reserved. There is room for 4,096
  commands.

      iex> Workbooks.CommandRegistry.register("grep", <<0, "asm", 1, 0, 0, 0>>)
      {:error, :reserved_name}

      iex> Workbooks.CommandRegistry.register("what?", <<0, "asm", 1, 0, 0, 0>>)
      {:error, :invalid_name}

      iex> Workbooks.CommandRegistry.register("shout", <<0, "asm", 1, 0, 0, 0>>)
      {:error, :not_a_command}

      iex> Workbooks.CommandRegistry.register("shout", "../shout.wasm")
      {:error, :path_not_confined}
  """
  @spec register(String.t(), Path.t() | binary, arg_mode: :argv | :stdin1, root: Path.t()) ::
          :ok | {:error, refusal}
  def register(name, command, opts \\ []) when is_binary(name) and is_binary(command) do
    with {:ok, mode, root} <- options(opts),
         {:ok, :ok} <- call(operation(command, name, mode, root)),
         do: :ok
  end

  @doc "Forgets a registered command."
  @spec unregister(String.t()) :: :ok | {:error, :not_found | refusal}
  def unregister(name) when is_binary(name) do
    case call({:unregister, name}) do
      {:ok, true} -> :ok
      {:ok, false} -> {:error, :not_found}
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
  @spec sha256(String.t()) ::
          {:ok, String.t() | nil} | {:error, {:artifact_integrity, String.t()} | Error.t()}
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

  defp call(operation) do
    with {:ok, runtime} <- Kernel.runtime(),
         {:error, reason} <- Native.call_registry(runtime, operation),
         do: {:error, reason(reason)}
  end

  defp reason(reason) when is_atom(reason) and reason != :bad_argument, do: reason
  defp reason({:artifact_integrity, _name} = reason), do: reason
  defp reason({:file, why}), do: Error.new(:not_found, why, "check the path")
  defp reason(other), do: Native.error(other)
end
