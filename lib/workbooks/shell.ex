defmodule Workbooks.Shell do
  @moduledoc """
  A shell in which every command is WebAssembly.

      iex> {:ok, ran} = Workbooks.Shell.run("echo hello | tr a-z A-Z | wc -c")
      iex> {ran.stdout, ran.status}
      {"6\\n", 0}

  The language is that of the POSIX shell. A pipeline is one instance per stage, all of them at once, connected by pipes
  in memory. There is no native process and no native command anywhere. The working directory is `/`, and the only
  directory there is: a path that leads out of it is refused. `docs/shell.md` has the language, the commands and the
  limits.

  ## Options

    * `:workdir` - the directory that becomes `/`; without one it is an empty one that is gone afterwards
    * `:profile` - the memory that each command may have, and the most time there is, see `Workbooks.Policy`; `:posix`
      by default. It must grant `commands`
    * `:args` - `$1` and on
    * `:env` - a map or a list of pairs; nothing is inherited
    * `:stdin` - a binary
    * `:timeout` - milliseconds, 30,000 by default; the profile may allow less
    * `:commands` - the names that may be started, every one by default
    * `:limits` - bounds of the script, see below
    * `:stream` - a pid that hears `{Workbooks.Shell, :stdout | :stderr, bytes}` while the script runs, or `{pid, tag}`

  ## Result

    * `:stdout`, `:stderr` - what was printed
    * `:status` - the exit status; a script with a syntax error has 2, as in any shell
    * `:stages` - the commands that were started, in order, each with its `:name`, the `:sha256` of its module and its
      `:status` (`nil` when it was stopped)
    * `:missing` - names that are no commands; each had the status 127
    * `:duration_us`

  ## Errors

  | reason | what happened |
  |---|---|
  | `{:outside_sandbox, path}` | a redirection leads out of the working directory |
  | `:timeout` | the time is up |
  | `:output_too_large`, `:stdin_too_large`, `:script_too_long`, `:too_deep`, `:too_many_steps`, `:argv_too_long`, `:too_many_pipes`, `:too_many_jobs`, `:too_much_memory` | a bound of the script |
  | `{:not_granted, "commands"}` | the profile grants no commands |
  | `:cancelled`, `:busy` | the script was stopped; too many calls are waiting |

  A bad option, or a working directory that cannot be opened, is a `Workbooks.Error`.

  The bounds and their defaults: `script` 256 KiB, `nesting` 200, `steps` 100,000, `output` 16 MiB, `argv` 256 KiB,
  `stdin` 64 MiB, `pipes` 64, `jobs` 64, `memory` 64 MiB of variables. `limits: [steps: 1_000_000]` changes one.
  """

  alias Workbooks.{Error, Kernel, Native, Policy}

  @kib 1024
  @mib 1024 * 1024

  @limits %{
    script: 256 * @kib,
    nesting: 200,
    steps: 100_000,
    output: 16 * @mib,
    argv: 256 * @kib,
    stdin: 64 * @mib,
    pipes: 64,
    jobs: 64,
    memory: 64 * @mib
  }

  @timeout 30_000

  @type stage :: %{name: String.t(), sha256: String.t(), status: 0..255 | nil}
  @type result :: %{
          stdout: binary,
          stderr: binary,
          status: 0..255,
          duration_us: non_neg_integer,
          stages: [stage],
          missing: [String.t()]
        }

  @type reason ::
          {:outside_sandbox, String.t()}
          | {:not_granted, String.t()}
          | :timeout
          | :output_too_large
          | :stdin_too_large
          | :script_too_long
          | :too_deep
          | :too_many_steps
          | :argv_too_long
          | :too_many_pipes
          | :too_many_jobs
          | :too_much_memory
          | :cancelled
          | :busy
          | Error.t()

  @type option ::
          {:workdir, Path.t()}
          | {:profile, Policy.name()}
          | {:args, [binary]}
          | {:env, %{optional(binary) => binary} | [{binary, binary}]}
          | {:stdin, binary}
          | {:timeout, pos_integer}
          | {:commands, [String.t()]}
          | {:limits, keyword(pos_integer)}
          | {:stream, pid | {pid, term}}

  @doc """
  Every word that a script may call: builtins and commands, sorted.

      iex> {:ok, words} = Workbooks.Shell.words()
      iex> Enum.filter(~w(cd grep sh teleport), & &1 in words)
      ~w(cd grep sh)
  """
  @spec words() :: {:ok, [String.t()]} | {:error, Error.t()}
  def words do
    with {:ok, runtime} <- Kernel.runtime(),
         {:error, reason} <- Native.call_registry(runtime, :words),
         do: {:error, Native.error(reason)}
  end

  @doc """
  Runs a script.

      iex> {:ok, ran} = Workbooks.Shell.run("nosuch || echo instead; exit 3")
      iex> {ran.stdout, ran.status, ran.missing}
      {"instead\\n", 3, ["nosuch"]}

      iex> Workbooks.Shell.run("cat < ../secret")
      {:error, {:outside_sandbox, "../secret"}}
  """
  @spec run(binary, [option]) :: {:ok, result} | {:error, reason}
  def run(script, opts \\ []) when is_binary(script) and is_list(opts) do
    with {:ok, order} <- order(opts),
         {stream, order} = Map.pop!(order, :stream),
         {:ok, runtime} <- Kernel.runtime(),
         {:error, reason} <- Native.run_shell(runtime, Map.put(order, :script, script), stream),
         do: {:error, reason(reason)}
  end

  defp order(opts) do
    {profile, opts} = Keyword.pop(opts, :profile, :posix)
    {timeout, opts} = Keyword.pop(opts, :timeout, @timeout)
    profile = Policy.profile(profile)

    order = %{
      args: [],
      env: [],
      stdin: "",
      workdir: nil,
      commands: nil,
      memory: profile.memory_mib * @mib,
      time: profile.time_s * 1000,
      limits: @limits,
      stream: nil
    }

    if "commands" in profile.capabilities,
      do: adjust(order, [{:timeout, timeout} | opts]),
      else: {:error, {:not_granted, "commands"}}
  end

  defp adjust(order, opts) do
    Enum.reduce_while(opts, {:ok, order}, fn {key, value}, {:ok, order} ->
      case option(key, value, order) do
        %{} = order -> {:cont, {:ok, order}}
        nil -> {:halt, bad_option(key, value)}
      end
    end)
  end

  defp option(:timeout, ms, order) when is_integer(ms) and ms > 0, do: %{order | time: min(ms, order.time)}
  defp option(:stdin, bytes, order) when is_binary(bytes), do: %{order | stdin: bytes}
  defp option(:workdir, nil, order), do: order

  defp option(:workdir, dir, order) when is_binary(dir) and dir != "",
    do: %{order | workdir: Path.expand(dir)}

  defp option(:args, words, order) when is_list(words), do: if(words?(words), do: %{order | args: words})

  defp option(:env, env, order) when is_map(env) or is_list(env),
    do: if(Enum.all?(env, &variable?/1), do: %{order | env: Enum.to_list(env)})

  defp option(:commands, names, order) when is_list(names),
    do: if(words?(names), do: %{order | commands: names})

  defp option(:limits, limits, order) when is_map(limits) or is_list(limits) do
    if Enum.all?(limits, &limit?/1), do: %{order | limits: Enum.into(limits, order.limits)}
  end

  defp option(:stream, pid, order) when is_pid(pid), do: %{order | stream: {pid, __MODULE__}}
  defp option(:stream, {pid, tag}, order) when is_pid(pid), do: %{order | stream: {pid, tag}}
  defp option(_key, _value, _order), do: nil

  defp words?(words), do: Enum.all?(words, &is_binary/1)

  defp variable?({name, value}),
    do: is_binary(value) and is_binary(name) and name =~ ~r/\A[A-Za-z_][A-Za-z0-9_]*\z/

  defp variable?(_), do: false

  defp limit?({name, value}), do: is_map_key(@limits, name) and is_integer(value) and value > 0
  defp limit?(_), do: false

  defp bad_option(key, value) do
    text = "no such option for the shell: #{inspect([{key, value}], limit: 5)}"
    {:error, Error.new(:bad_option, text, "see the options of Workbooks.Shell")}
  end

  defp reason({:outside_sandbox, _path} = reason), do: reason
  defp reason({:busy, _}), do: :busy
  defp reason({:workdir, why}), do: Error.new(:not_found, why, "check the path")
  defp reason(reason) when is_atom(reason) and reason != :bad_argument, do: reason
  defp reason(other), do: Native.error(other)
end
