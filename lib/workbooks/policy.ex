defmodule Workbooks.Policy do
  @moduledoc """
  Who may do what: data, not code.

  A profile says how much memory and time a guest gets, and what it may touch. The built-in table is `priv/policy.json`, and the
  library is built with it:

  | profile | memory | time | capabilities |
  |---|---|---|---|
  | compute | 64 MiB | 5 s | vfs |
  | minimal | 64 MiB | 5 s | vfs commands exec kv secrets queue tcp udp tls |
  | network | 128 MiB | 30 s | minimal + net llm browse |
  | posix | 256 MiB | 60 s | network + posix parallel |

  Whatever is not in the table is `compute`: a misspelt name never means more.

  An application adds profiles of its own in config (`config :workbooks, profiles: ..`). It cannot replace a built-in.
  """

  alias Workbooks.Native

  @least "compute"

  @type name :: atom | String.t()
  @type profile :: %{
          name: String.t(),
          memory_mib: pos_integer,
          time_s: pos_integer,
          capabilities: [String.t()]
        }

  @doc """
  The profile of that name, or `compute`.

      iex> Workbooks.Policy.profile(:network).time_s
      30
      iex> Workbooks.Policy.profile("netwrok").name
      "compute"
  """
  @spec profile(name | term) :: profile
  def profile(name) do
    profiles = table().profiles
    Map.get(profiles, text(name)) || Map.fetch!(profiles, @least)
  end

  @doc """
  Every profile, the built-in ones and those of config.

      iex> Enum.map(Workbooks.Policy.profiles(), & &1.name)
      ["compute", "minimal", "network", "posix"]
  """
  @spec profiles() :: [profile]
  def profiles, do: table().profiles |> Map.values() |> Enum.sort_by(&{length(&1.capabilities), &1.name})

  @doc """
  What a profile grants.

      iex> Workbooks.Policy.capabilities(:compute)
      ["vfs"]
  """
  @spec capabilities(name) :: [String.t()]
  def capabilities(name), do: profile(name).capabilities

  @doc """
  Whether a profile grants a capability.

      iex> Workbooks.Policy.grants?(:minimal, "commands")
      true
      iex> Workbooks.Policy.grants?(:minimal, :llm)
      false
  """
  @spec grants?(name, atom | String.t()) :: boolean
  def grants?(name, capability), do: text(capability) in capabilities(name)

  @doc """
  Whether a profile may reach the web: wasi:http, pages, names. Raw sockets are another matter.

      iex> for name <- [:compute, :minimal, :network, :posix], do: Workbooks.Policy.allow_http?(name)
      [false, false, true, true]
  """
  @spec allow_http?(name) :: boolean
  def allow_http?(name), do: grants?(name, "net") or grants?(name, "browse")

  @doc """
  The names that a plan's `:uses` may carry: every capability by its own name, and the `workbook:` names for them. A
  trailing `*` stands for any ending.

      iex> "workbook:net/*" in Workbooks.Policy.uses()
      true
      iex> "vfs" in Workbooks.Policy.uses()
      true
  """
  @spec uses() :: [String.t()]
  def uses do
    %{uses: uses} = table = table()
    Enum.sort(Map.keys(uses) ++ known(table))
  end

  @doc """
  The capability that a name in `:uses` asks for; `nil` when there is none of that name.

      iex> Workbooks.Policy.capability_of_use("workbook:net/email")
      "net"
      iex> Workbooks.Policy.capability_of_use("llm")
      "llm"
      iex> Workbooks.Policy.capability_of_use("workbook:telepathy")
      nil
  """
  @spec capability_of_use(String.t()) :: String.t() | nil
  def capability_of_use(use) when is_binary(use) do
    %{uses: uses} = table = table()
    by_pattern = Enum.find_value(uses, fn {pattern, capability} -> matches?(pattern, use) && capability end)
    by_pattern || Enum.find(known(table), &(&1 == use))
  end

  @doc """
  The names of the built-in profiles, which no application may replace.

      iex> Workbooks.Policy.built_in()
      ["compute", "minimal", "network", "posix"]
  """
  @spec built_in() :: [String.t()]
  def built_in, do: for({name, _memory, _time, _capabilities} <- elem(Native.policy_table(), 0), do: name)

  @doc false
  # The application starts anew, perhaps with other profiles.
  @spec forget() :: boolean
  def forget, do: :persistent_term.erase(__MODULE__)

  defp matches?(pattern, use) do
    case String.split(pattern, "*") do
      [start, ""] -> String.starts_with?(use, start) and use != start
      [whole] -> whole == use
    end
  end

  defp known(%{built_in: built_in}),
    do: built_in |> Enum.flat_map(fn {_, profile} -> profile.capabilities end) |> Enum.uniq()

  defp text(name) when is_atom(name), do: Atom.to_string(name)
  defp text(name), do: name

  # Read once. The library was built with the table and refuses to be built without it; where there is no library there
  # is no policy either, and that raises: it must not mean "anything goes".
  defp table do
    with nil <- :persistent_term.get(__MODULE__, nil) do
      {profiles, uses} = Native.policy_table()
      built_in = Map.new(profiles, &built_in/1)
      table = %{built_in: built_in, uses: Map.new(uses), profiles: Map.merge(added(), built_in)}
      :persistent_term.put(__MODULE__, table)
      table
    end
  end

  defp built_in({name, memory, time, capabilities}),
    do: {name, %{name: name, memory_mib: memory, time_s: time, capabilities: capabilities}}

  # `Workbooks.Config` checked them when the application started.
  defp added do
    for {name, profile} <- Application.get_env(:workbooks, :profiles, %{}), into: %{} do
      {name, Map.put(profile, :name, name)}
    end
  end
end
