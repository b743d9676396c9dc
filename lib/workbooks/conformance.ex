defmodule Workbooks.Conformance do
  @moduledoc """
  Does a built component fit its slot? Its own types answer, without running it.

  A component is a path or the bytes themselves.
  """

  alias Workbooks.{Component, Error, Kernel, Native}

  @worlds ["engine", "engine-llm", "engine-browse", "engine-parallel", "dock"]

  @type component :: Path.t() | binary
  @type verdict :: :ok | {:error, [String.t()]} | {:error, :not_a_component} | {:error, Error.t()}
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
  @spec engine?(component) :: verdict
  def engine?(component), do: check(component, "engine")

  @doc """
  Whether a component fits a world of `wit/engine.wit`: `engine`, `engine-llm`, `engine-browse`, `engine-parallel`, or
  `dock`, the widest.

      iex> Workbooks.Conformance.check(<<0, "asm", 13, 0, 1, 0>>, "dock")
      {:error, ["missing required export `run`"]}

      iex> {:error, error} = Workbooks.Conformance.check(<<0, "asm", 13, 0, 1, 0>>, "everything")
      iex> error.code
      :bad_option
  """
  @spec check(component, String.t()) :: verdict
  def check(component, world) when is_binary(component) and world in @worlds do
    with {:ok, runtime} <- Kernel.runtime(),
         {:ok, :ok} <- Native.check_conformance(runtime, Component.source(component), world) do
      :ok
    else
      {:error, reason} -> {:error, reason(reason)}
    end
  end

  def check(component, world) when is_binary(component) do
    text = "no world has the name #{inspect(world)}"
    {:error, Error.new(:bad_option, text, "use one of #{Enum.join(@worlds, ", ")}")}
  end

  @doc """
  Whether a new build keeps the promises of the old one: exports may grow, imports may shrink, types may move where WIT
  subtyping lets them.

  A finding names the path (`run.param.input`), the type there before and after, and why that breaks. A `:warning` asks
  for more of `wasi:*`, which every host has; it breaks nothing alone, and is listed beside what does.
  """
  @spec check_upgrade(component, component) ::
          :ok | {:error, [finding] | [String.t()] | :not_a_component | Error.t()}
  def check_upgrade(old, new) when is_binary(old) and is_binary(new) do
    with {:ok, runtime} <- Kernel.runtime(),
         {:ok, changes} <- Native.check_upgrade(runtime, Component.source(old), Component.source(new)) do
      if Enum.any?(changes, &(&1.level == :error)), do: {:error, changes}, else: :ok
    else
      {:error, reason} -> {:error, reason(reason)}
    end
  end

  defp reason(:not_a_component), do: :not_a_component
  defp reason({:nonconforming, findings}), do: findings
  defp reason({:file, why}), do: Error.new(:not_found, why, "check the path")
  defp reason(%Error{} = error), do: error
  defp reason(other), do: Native.error(other)
end
