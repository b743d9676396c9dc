defmodule Workbooks.Misbehaving do
  @moduledoc "A component of the kernel's world that obeys its text: `panic`, `spin`, `eat`, `recurse`, `babble`, `nest`."

  alias Workbooks.Native

  @wasm Path.expand("../../target/fixtures/misbehaving.wasm", __DIR__)

  @doc "Loads it beside the real kernel, with workers of its own."
  def start!(opts \\ []) do
    runtime = Native.start(Workbooks.Config.new!(Keyword.merge([workers: 2, queue: 100], opts)))
    {:ok, {kernel, _origin}} = Native.load_kernel(runtime, @wasm)
    kernel
  end

  @doc "Gives it an order."
  def order(kernel, order), do: Native.call_kernel(kernel, "validate", [order])
end
