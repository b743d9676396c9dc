defmodule Workbooks.Places do
  @moduledoc false
  # Where things are. The rule and its table are in `native/engine/engine`; `docs/engine.md` has the table. Here the VM
  # hands over what only it knows: its environment, which `System.put_env/2` changes and the process's own does not see,
  # and its configuration.

  alias Workbooks.{Error, Native}

  @type place :: {:ok, Path.t()} | {:error, Error.t()}

  @doc "Where each of `keys` is, with what is given."
  @spec all(%{atom => Path.t()}, [atom]) :: %{atom => place}
  def all(given, keys) do
    places = Native.engine_places(environment(), list(given))
    Map.new(keys, fn key -> {key, place(Map.fetch!(places, Atom.to_string(key)))} end)
  rescue
    # Without the library only what is given is known, and the library's own failure is the reason for the rest.
    error in Error -> Map.new(keys, &{&1, if(given[&1], do: {:ok, given[&1]}, else: {:error, error})})
  end

  @doc "The variables that say where things are, as this VM has them."
  @spec environment() :: [{String.t(), String.t()}]
  def environment, do: for(name <- Native.engine_variables(), value = System.get_env(name), do: {name, value})

  @doc "Paths by their keys, as the library takes them."
  @spec list(%{atom => Path.t()}) :: [{String.t(), Path.t()}]
  def list(given), do: for({key, path} <- given, path != nil, do: {Atom.to_string(key), path})

  defp place({:ok, path}), do: {:ok, path}
  defp place({:error, reason}), do: {:error, Error.from_native(reason)}
end
