defmodule Workbooks.Config do
  @moduledoc """
  What can be configured, in one struct. The application refuses to start with an unknown key or a bad value.

      config :workbooks,
        workers: 4,
        cache_dir: "/var/cache/workbooks",
        profiles: %{"research" => %{memory_mib: 128, time_s: 20, capabilities: ["vfs", "net"]}},
        dock: [llm: {MyApp.Model, :complete}]

  | key | default | meaning |
  |---|---|---|
  | `:workers` | twice the cores | threads for what blocks: the kernel, disks, conformance |
  | `:guest_threads` | the cores | threads that instances share |
  | `:queue` | 4,096 | calls that may wait for each kind of thread; one more is `:busy` |
  | `:cache_dir` | the user's cache directory | compiled WebAssembly; created with mode 0700 |
  | `:kernel` | `priv/wasm/oql.wasm` | the kernel component |
  | `:batteries` | `priv/wasm/commands` | the commands that come with Workbooks |
  | `:lanes` | `priv/wasm/lanes` | the compilers of the build lanes, see `Workbooks.Lanes` |
  | `:registry_dir` | `commands` in the user's state directory | registered commands, see `Workbooks.CommandRegistry` |
  | `:profiles` | none | profiles beside the built-in ones, see `Workbooks.Policy` |
  | `:dock` | none | who answers `llm-complete` and `browse-fetch`, see `Workbooks.Dock` |
  | `:data_dir` | the user's data directory | workbooks: their states and disks. `nil` is an engine without workbooks |
  | `:cold_dir` | `cold` in the data directory | disks of frozen and archived workbooks |
  | `:history_dir` | `history` in the user's state directory | what runs leave, see `Workbooks.History` |
  | `:sessions_dir` | `sessions` in the user's state directory | agent sessions, see `Workbooks.Session` |
  | `:schedules` | `false` | whether this VM runs the schedules of deployed workbooks |
  | `:server` | `false` | options of `Workbooks.Server`, which then listens |
  | `:suspend_after` | 15 minutes, in seconds | idle time after which a workbook is suspended |
  | `:freeze_after` | 24 hours, in seconds | idle time after which it is frozen |
  | `:toolkits_root` | `toolkits` or `../toolkits` | where toolkits are; `WB_TOOLKITS_ROOT` goes before it |
  | `:toolkits_dir` | `toolkits` in the user's state directory | grants, kernels and components, see `Workbooks.Toolkits` |
  | `:posix_toolkits` | `false` | whether toolkits of the shape `posix` may start native programs |

  `docs/engine.md` says where the user's directories are. Where nothing says so, because `HOME` is not set, the field is
  `nil`: whatever needs the directory is an error that names what to give, and everything else works.
  """

  alias Workbooks.Dock.Handler
  alias Workbooks.{Error, Places, Policy}

  @keys [
    :workers,
    :guest_threads,
    :queue,
    :cache_dir,
    :kernel,
    :batteries,
    :lanes,
    :registry_dir,
    :profiles,
    :dock,
    :data_dir,
    :cold_dir,
    :history_dir,
    :sessions_dir,
    :schedules,
    :server,
    :suspend_after,
    :freeze_after,
    :toolkits_root,
    :toolkits_dir,
    :posix_toolkits
  ]
  @counts [:workers, :guest_threads, :queue, :suspend_after, :freeze_after]
  # These have a default that depends on the user, see `Workbooks.Places`.
  @dirs [:cache_dir, :registry_dir, :data_dir, :cold_dir, :history_dir, :sessions_dir, :toolkits_dir]
  @paths [:kernel, :batteries, :lanes, :toolkits_root | @dirs]

  # The most that the engine can give one guest.
  @max_memory_mib 512

  @enforce_keys @keys
  defstruct [unset: %{}] ++ @keys

  @type profile :: %{memory_mib: pos_integer, time_s: pos_integer, capabilities: [String.t()]}

  @type t :: %__MODULE__{
          workers: pos_integer,
          guest_threads: pos_integer,
          queue: pos_integer,
          cache_dir: Path.t() | nil,
          kernel: Path.t(),
          batteries: Path.t(),
          lanes: Path.t(),
          registry_dir: Path.t() | nil,
          profiles: %{String.t() => profile},
          dock: [{:llm | :browse, Handler.t()}],
          data_dir: Path.t() | nil,
          cold_dir: Path.t() | nil,
          history_dir: Path.t() | nil,
          sessions_dir: Path.t() | nil,
          schedules: boolean,
          server: false | [Workbooks.Server.option()],
          suspend_after: pos_integer,
          freeze_after: pos_integer,
          toolkits_root: Path.t() | nil,
          toolkits_dir: Path.t() | nil,
          posix_toolkits: boolean,
          unset: %{atom => Error.t()}
        }

  @doc """
  Makes the struct, or raises `ArgumentError` saying which key is wrong.

      iex> Workbooks.Config.new!(workers: 3).workers
      3

      iex> Workbooks.Config.new!(queue: 0)
      ** (ArgumentError) config :workbooks, :queue: expected a positive integer, got: 0

      iex> Workbooks.Config.new!(profiles: %{"posix" => %{memory_mib: 1, time_s: 1, capabilities: []}})
      ** (ArgumentError) config :workbooks, :profiles: "posix" is built in and cannot be replaced
  """
  @spec new!(keyword) :: t
  def new!(options) do
    given = Map.new(options, fn {key, value} -> {key, check!(key, value)} end)
    places = places(given)
    dirs = for {key, {:ok, path}} <- places, into: %{}, do: {key, Path.expand(path)}
    unset = for {key, {:error, error}} <- places, into: %{}, do: {key, error}
    nowhere = Map.new(@dirs, &{&1, nil})

    fields = Enum.reduce([given, dirs, %{unset: unset}], Map.merge(defaults(), nowhere), &Map.merge(&2, &1))
    struct!(__MODULE__, fields)
  end

  @doc """
  A directory of the configuration, or an error that says what to give.

      iex> config = Workbooks.Config.new!(data_dir: nil, history_dir: "/srv/history")
      iex> Workbooks.Config.dir(config, :history_dir)
      {:ok, "/srv/history"}
      iex> {:error, error} = Workbooks.Config.dir(config, :data_dir)
      iex> error.code
      :no_data_dir
  """
  @spec dir(t, atom) :: {:ok, Path.t()} | {:error, Error.t()}
  def dir(%__MODULE__{} = config, key) when key in @dirs do
    case Map.fetch!(config, key) do
      nil -> {:error, Map.fetch!(config.unset, key)}
      path -> {:ok, path}
    end
  end

  @doc false
  # The keys of places that the engine is told: whatever it would otherwise look up for itself.
  @spec places() :: [atom]
  def places, do: [:batteries, :lanes | @dirs]

  @doc """
  The configuration that the application started with. Where it does not run, what it would start with now.
  """
  @spec current() :: t
  def current, do: :persistent_term.get(__MODULE__, nil) || new!(Application.get_all_env(:workbooks))

  @doc false
  @spec put_current(t) :: :ok
  def put_current(%__MODULE__{} = config), do: :persistent_term.put(__MODULE__, config)

  @doc false
  @spec forget_current() :: boolean
  def forget_current, do: :persistent_term.erase(__MODULE__)

  # An engine without a data directory has no cold storage either, unless that is given.
  defp places(%{data_dir: nil} = given) do
    given
    |> Map.delete(:data_dir)
    |> places()
    |> Map.put(:data_dir, no_data_dir())
    |> Map.update!(:cold_dir, &if(given[:cold_dir], do: &1, else: no_data_dir()))
  end

  defp places(given), do: given |> Map.take(@dirs) |> Places.all(@dirs)

  defp no_data_dir do
    {:error,
     Error.new(
       :no_data_dir,
       "this engine has no data directory, and so no workbooks",
       "give `config :workbooks, data_dir:` a path, and start it again"
     )}
  end

  defp defaults do
    %{
      workers: 2 * System.schedulers_online(),
      guest_threads: System.schedulers_online(),
      queue: 4_096,
      kernel: Application.app_dir(:workbooks, "priv/wasm/oql.wasm"),
      batteries: Application.app_dir(:workbooks, "priv/wasm/commands"),
      lanes: Application.app_dir(:workbooks, "priv/wasm/lanes"),
      profiles: %{},
      dock: [],
      schedules: false,
      server: false,
      suspend_after: 15 * 60,
      freeze_after: 24 * 60 * 60,
      toolkits_root: nil,
      posix_toolkits: false
    }
  end

  defp check!(key, value) when key in @counts and is_integer(value) and value > 0, do: value
  defp check!(key, value) when key in @paths and is_binary(value) and value != "", do: value
  defp check!(:data_dir, nil), do: nil
  defp check!(:schedules, yes) when is_boolean(yes), do: yes
  defp check!(:server, false), do: false
  defp check!(:server, options) when is_list(options), do: Workbooks.Server.options!(options)
  defp check!(:posix_toolkits, value) when is_boolean(value), do: value
  defp check!(:profiles, %{} = profiles), do: Map.new(profiles, &profile!/1)

  defp check!(:dock, handlers) when is_list(handlers) do
    case Enum.reject(handlers, &Handler.valid?/1) do
      [] -> handlers
      [wrong | _] -> bad!(:dock, "expected `llm:` or `browse:` with a handler", wrong)
    end
  end

  defp check!(key, value) when key in @counts, do: bad!(key, "expected a positive integer", value)
  defp check!(key, value) when key in @paths, do: bad!(key, "expected a path", value)
  defp check!(:schedules, value), do: bad!(:schedules, "expected true or false", value)
  defp check!(:server, value), do: bad!(:server, "expected false or the options of Workbooks.Server", value)
  defp check!(:profiles, value), do: bad!(:profiles, "expected a map of profiles by name", value)
  defp check!(:posix_toolkits, value), do: bad!(:posix_toolkits, "expected true or false", value)
  defp check!(:dock, value), do: bad!(:dock, "expected a keyword list of handlers", value)

  defp check!(key, _value) do
    raise ArgumentError,
          "config :workbooks, #{inspect(key)}: unknown key; " <>
            "known keys are #{Enum.map_join(@keys, ", ", &inspect/1)}"
  end

  defp profile!({name, profile}) do
    if name in Policy.built_in(),
      do:
        raise(
          ArgumentError,
          "config :workbooks, :profiles: #{inspect(name)} is built in and cannot be replaced"
        ),
      else: added!({name, profile})
  end

  defp added!({name, %{memory_mib: memory, time_s: time, capabilities: capabilities} = profile})
       when is_binary(name) and map_size(profile) == 3 and memory in 1..@max_memory_mib and
              is_integer(time) and time > 0 and is_list(capabilities) do
    case Enum.reject(capabilities, &is_binary/1) do
      [] -> {name, profile}
      [wrong | _] -> bad!(:profiles, "expected capabilities to be strings", wrong)
    end
  end

  defp added!(wrong) do
    shape =
      "expected %{memory_mib: 1..#{@max_memory_mib}, time_s: seconds, capabilities: [name]} for each name"

    bad!(:profiles, shape, wrong)
  end

  defp bad!(key, expected, value),
    do: raise(ArgumentError, "config :workbooks, #{inspect(key)}: #{expected}, got: #{inspect(value)}")

  use Workbooks.Bang, dir: 2
end
