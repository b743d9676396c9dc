defmodule Workbooks.Conformance do
  @moduledoc """
  Does a built component fit its slot? Its own types answer, without running it.

  A component is a path or the bytes themselves. `engine?/1` gives the bare answers of its examples; the others a
  `Workbooks.Error`, whose `details` have the `:findings`.
  """

  alias Workbooks.{Component, Error, Kernel, Native}

  @worlds ["engine", "engine-llm", "engine-browse", "engine-parallel", "dock"]

  @type component :: Path.t() | binary
  @type finding :: %{
          level: :error | :warning,
          path: String.t(),
          was: String.t() | nil,
          now: String.t() | nil,
          why: String.t()
        }

  @doc """
  Whether a component fits the world `engine`. All findings come at once.

      iex> Workbooks.Conformance.engine?(Application.app_dir(:workbooks, "priv/wasm/oql.wasm"))
      {:error, ["missing required export `run`"]}

      iex> Workbooks.Conformance.engine?(<<0, "asm", 1, 0, 0, 0>>)
      {:error, :not_a_component}
  """
  @spec engine?(component) :: :ok | {:error, [String.t()] | :not_a_component | Error.t()}
  def engine?(component) do
    case check(component, "engine") do
      {:error, %Error{code: :nonconforming, details: %{findings: findings}}} -> {:error, findings}
      {:error, %Error{code: :not_a_component}} -> {:error, :not_a_component}
      answer -> answer
    end
  end

  @doc """
  Whether a component fits a world of `wit/engine.wit`: `engine`, `engine-llm`, `engine-browse`, `engine-parallel`, or
  `dock`, the widest.

      iex> {:error, error} = Workbooks.Conformance.check(<<0, "asm", 13, 0, 1, 0>>, "dock")
      iex> {error.code, error.details.findings}
      {:nonconforming, ["missing required export `run`"]}

      iex> {:error, error} = Workbooks.Conformance.check(<<0, "asm", 13, 0, 1, 0>>, "everything")
      iex> error.code
      :bad_option
  """
  @spec check(component, String.t()) :: :ok | {:error, Error.t()}
  def check(component, world) when is_binary(component) and world in @worlds do
    with {:ok, runtime} <- Kernel.runtime(),
         {:ok, :ok} <- Native.check_conformance(runtime, Component.source(component), world),
         do: :ok
  end

  def check(component, world) when is_binary(component) do
    text = "no world has the name #{inspect(world)}"
    {:error, Error.new(:bad_option, text, "use one of #{Enum.join(@worlds, ", ")}")}
  end

  @doc """
  Whether a new build keeps the promises of the old one: exports may grow, imports may shrink, types may move where WIT
  subtyping lets them.

  Promises that are not kept are the error `:breaking`. A finding in its `details` names the path (`run.param.input`), the type there before and after, and why that breaks. A `:warning` asks
  for more of `wasi:*`, which every host has; it breaks nothing alone, and is listed beside what does.
  """
  @spec check_upgrade(component, component) :: :ok | {:error, Error.t()}
  def check_upgrade(old, new) when is_binary(old) and is_binary(new) do
    with {:ok, runtime} <- Kernel.runtime(),
         {:ok, changes} <- Native.check_upgrade(runtime, Component.source(old), Component.source(new)),
         do: kept(changes)
  end

  defp kept(changes) do
    case for %{level: :error} = change <- changes, do: change do
      [] ->
        :ok

      broken ->
        message = Enum.map_join(broken, "; ", &"#{&1.path}: #{&1.why}")
        {:error, Error.new(:breaking, message, "keep what the old build promised", %{findings: changes})}
    end
  end

  @doc "`check/2`, or it raises."
  @spec check!(component, String.t()) :: :ok
  def check!(component, world), do: Error.bang(check(component, world))

  @doc "`check_upgrade/2`, or it raises."
  @spec check_upgrade!(component, component) :: :ok
  def check_upgrade!(old, new), do: Error.bang(check_upgrade(old, new))
end
