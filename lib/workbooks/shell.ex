defmodule Workbooks.Shell do
  @moduledoc """
  A shell in which every command is WebAssembly.

      iex> {:ok, ran} = Workbooks.Shell.run("echo hello | tr a-z A-Z | wc -c")
      iex> {ran.stdout, ran.status}
      {"6\\n", 0}

  The language is that of the POSIX shell, or with `dialect: :bash` that of bash; what only bash has is an error in the
  former. A pipeline is one instance per stage, all of them at once, connected by pipes
  in memory. There is no native process and no native command anywhere. The working directory is `/`, and the only
  directory there is: a path that leads out of it is refused. `docs/shell.md` has the language, the commands and the
  limits.

  ## Options

    * `:dialect` - `:sh`, the language of POSIX, or `:bash`; a `#!` line in the script counts more
    * `:workdir` - the directory that becomes `/`; without one it is an empty one that is gone afterwards
    * `:read_only` - paths of files, wherever they lie, that the script can read and not change: writing, removing,
      renaming or linking one, or moving a directory above it, is an error to the command that tries
    * `:profile` - the memory that each command may have, and the most time there is, see `Workbooks.Policy`; `:posix`
      by default. It must grant `commands`
    * `:args` - `$1` and on
    * `:env` - a map or a list of pairs; nothing is inherited. Unless they say otherwise, `LANG` is `C.UTF-8`, `HOME` is `/`
      and `PATH` is `/bin`
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
    * `:wrote` - the files of the working directory that were made or changed
    * `:duration_us`

  ## Errors

  A `Workbooks.Error`. Its code:

  | code | what happened |
  |---|---|
  | `:outside_sandbox` | a redirection leads out of the working directory; `details` have the `:path` |
  | `:timeout` | the time is up |
  | `:output_too_large`, `:stdin_too_large`, `:script_too_long`, `:too_deep`, `:too_many_steps`, `:argv_too_long`, `:too_many_pipes`, `:too_many_jobs`, `:too_much_memory`, `:too_much_written` | a bound of the script |
  | `:not_granted` | the profile grants no commands |
  | `:cancelled`, `:busy` | the script was stopped; too many calls are waiting |
  | `:not_found`, `:io`, `:bad_option` | the working directory cannot be opened; an option makes no sense |

  The bounds and their defaults: `script` 256 KiB, `nesting` 200, `steps` 100,000, `output` 16 MiB, `argv` 256 KiB,
  `stdin` 64 MiB, `pipes` 64, `jobs` 64, `memory` 64 MiB of variables, `written` 1 GiB to files. `limits: [steps: 1_000_000]` changes one.
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
    memory: 64 * @mib,
    written: 1024 * @mib
  }

  @timeout 30_000

  @type stage :: %{name: String.t(), sha256: String.t(), status: 0..255 | nil}
  @type result :: %{
          stdout: binary,
          stderr: binary,
          status: 0..255,
          duration_us: non_neg_integer,
          stages: [stage],
          missing: [String.t()],
          wrote: [String.t()]
        }

  @type option ::
          {:dialect, :sh | :bash}
          | {:workdir, Path.t()}
          | {:read_only, [Path.t()]}
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
    with {:ok, runtime} <- Kernel.runtime(), do: Native.call_registry(runtime, :words)
  end

  @doc "`words/0`, or it raises."
  @spec words!() :: [String.t()]
  def words!, do: Error.bang(words())

  @doc """
  Runs a script.

      iex> {:ok, ran} = Workbooks.Shell.run("nosuch || echo instead; exit 3")
      iex> {ran.stdout, ran.status, ran.missing}
      {"instead\\n", 3, ["nosuch"]}

      iex> {:ok, ran} = Workbooks.Shell.run("a=(x y); [[ ${a[1]} == y ]] && echo {1..3}", dialect: :bash)
      iex> ran.stdout
      "1 2 3\\n"

      iex> {:error, error} = Workbooks.Shell.run("cat < ../secret")
      iex> {error.code, error.details}
      {:outside_sandbox, %{path: "../secret"}}
  """
  @spec run(binary, [option]) :: {:ok, result} | {:error, Error.t()}
  def run(script, opts \\ []) when is_binary(script) and is_list(opts) do
    with {:ok, order} <- order(opts),
         {stream, order} = Map.pop!(order, :stream),
         {:ok, runtime} <- Kernel.runtime(),
         do: Native.run_shell(runtime, Map.put(order, :script, script), stream)
  end

  @doc "`run/2`, or it raises."
  @spec run!(binary, [option]) :: result
  def run!(script, opts \\ []), do: Error.bang(run(script, opts))

  defp order(opts) do
    {profile, opts} = Keyword.pop(opts, :profile, :posix)
    {timeout, opts} = Keyword.pop(opts, :timeout, @timeout)
    profile = Policy.profile(profile)

    order = %{
      dialect: "sh",
      args: [],
      env: [],
      stdin: "",
      workdir: nil,
      read_only: [],
      commands: nil,
      memory: profile.memory_mib * @mib,
      time: profile.time_s * 1000,
      limits: @limits,
      stream: nil
    }

    if "commands" in profile.capabilities,
      do: adjust(order, [{:timeout, timeout} | opts]),
      else: {:error, not_granted(profile)}
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

  defp option(:dialect, dialect, order) when dialect in [:sh, :bash],
    do: %{order | dialect: Atom.to_string(dialect)}

  defp option(:workdir, nil, order), do: order

  defp option(:workdir, dir, order) when is_binary(dir) and dir != "",
    do: %{order | workdir: Path.expand(dir)}

  defp option(:read_only, paths, order) when is_list(paths),
    do: if(words?(paths), do: %{order | read_only: Enum.map(paths, &Path.expand/1)})

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

  defp not_granted(profile) do
    text = "the profile `#{profile.name}` does not grant `commands`"
    Error.new(:not_granted, text, "use one that does: :posix", %{capability: "commands"})
  end
end
