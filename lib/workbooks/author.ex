defmodule Workbooks.Author do
  @moduledoc false
  # Who acts, for what is recorded with a name: the one that was named, else git's user, else the system's. A name that
  # nobody can tell is an error, and never made up. The rule is in `native/engine/engine`, and `wbx` asks it too.

  alias Workbooks.{Error, Kernel, Native}

  @spec named(String.t() | nil) :: {:ok, String.t()} | {:error, Error.t()}
  def named(name) do
    if name == nil or String.trim(name) == "", do: find(), else: {:ok, name}
  end

  @spec find() :: {:ok, String.t()} | {:error, Error.t()}
  def find, do: with({:ok, runtime} <- Kernel.runtime(), do: Native.author(runtime))
end
