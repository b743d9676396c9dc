defmodule Workbooks.Run.Options do
  @moduledoc false
  # What a run was asked, judged before it begins.

  alias Workbooks.{Author, CommandRegistry, Error}
  alias Workbooks.Workflow.ShellWorker

  @enforce_keys [:plan, :run_id, :workdir]
  defstruct [
    :plan,
    :run_id,
    :workdir,
    :history,
    width: 8,
    worker: {ShellWorker, []},
    work_timeout: :infinity,
    check_timeout: 30_000,
    clock: &__MODULE__.now/0,
    linger: 5 * 60_000,
    subscribe: false,
    accept: [],
    by: nil,
    shell: nil,
    # Who started the run, and waits to hear whether it may begin.
    starter: nil
  ]

  @type t :: %__MODULE__{}

  @known [
    :run,
    :worker,
    :workdir,
    :history,
    :width,
    :work_timeout,
    :check_timeout,
    :clock,
    :linger,
    :subscribe,
    :run_id,
    :accept,
    :by,
    :shell
  ]

  @doc false
  def now, do: System.os_time(:millisecond)

  @doc "Reads the options of a run of `plan`."
  @spec new(Path.t(), keyword) :: {:ok, t} | {:error, Error.t()}
  def new(plan, opts) do
    plan = Path.expand(plan)
    blank = %__MODULE__{plan: plan, workdir: Path.dirname(plan), run_id: nil}

    with {:ok, options} <- Enum.reduce_while(opts, {:ok, blank}, &take/2),
         :ok <- commands(),
         {:ok, by} <- by(options),
         do: {:ok, %{options | run_id: options.run_id || new_id(options.clock.()), by: by}}
  end

  # Only what is accepted is recorded with a name.
  defp by(%{accept: []}), do: {:ok, ""}
  defp by(%{by: by}), do: Author.named(by)

  # Without the shell's commands every check would fail, and FAILED would be a verdict on work that nobody looked at.
  defp commands do
    with {:ok, _names} <- CommandRegistry.names(), do: :ok
  end

  defp take({key, value}, {:ok, options}) do
    case key in @known && put(options, key, value) do
      %__MODULE__{} = options -> {:cont, {:ok, options}}
      _ -> {:halt, refused(key, value)}
    end
  end

  defp put(options, :run, fun) when is_function(fun, 1), do: %{options | worker: fun}

  defp put(options, :worker, {module, opts}) when is_atom(module) and is_list(opts),
    do: if(worker?(module), do: %{options | worker: {module, opts}})

  defp put(options, :worker, module) when is_atom(module) and module != nil,
    do: put(options, :worker, {module, []})

  defp put(options, :workdir, dir) when is_binary(dir), do: %{options | workdir: Path.expand(dir)}
  defp put(options, :history, dir) when is_binary(dir), do: %{options | history: Path.expand(dir)}
  defp put(options, :history, nil), do: options

  defp put(options, key, n) when key in [:width, :check_timeout, :linger] and is_integer(n) and n > 0,
    do: Map.put(options, key, n)

  defp put(options, :work_timeout, time) when time == :infinity or (is_integer(time) and time > 0),
    do: %{options | work_timeout: time}

  defp put(options, :clock, clock) when is_function(clock, 0), do: %{options | clock: clock}
  defp put(options, :subscribe, yes) when is_boolean(yes), do: %{options | subscribe: yes}
  defp put(options, :by, who) when is_binary(who) and who != "", do: %{options | by: who}

  defp put(options, :accept, ids) when is_list(ids),
    do: if(Enum.all?(ids, &is_binary/1), do: %{options | accept: Enum.uniq(ids)})

  defp put(options, :shell, shell) when is_function(shell, 2), do: %{options | shell: shell}

  defp put(options, :run_id, id) when is_binary(id),
    do: if(id =~ ~r/\A[A-Za-z0-9_-]{1,128}\z/, do: %{options | run_id: id})

  defp put(_options, _key, _value), do: nil

  defp worker?(module), do: Code.ensure_loaded?(module) and function_exported?(module, :perform, 2)

  defp refused(key, value) do
    text = "no such option for a run: #{inspect([{key, value}], limit: 5, printable_limit: 100)}"
    {:error, Error.new(:bad_option, text, "see the options of Workbooks.Run.start/2")}
  end

  # Sorts by time.
  defp new_id(ms) do
    time = ms |> div(1_000) |> DateTime.from_unix!() |> Calendar.strftime("%Y%m%dT%H%M%SZ")
    "#{time}-#{Base.encode16(:crypto.strong_rand_bytes(4), case: :lower)}"
  end
end
