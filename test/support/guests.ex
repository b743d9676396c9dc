defmodule Workbooks.Guests do
  @moduledoc "The fixture components. `make test` builds them and says where."

  @built Path.expand("../../target/guests/wasm32-wasip2/release", __DIR__)

  def dir, do: System.get_env("WORKBOOKS_GUESTS", @built)

  @doc "The path of a guest."
  def path(name), do: Path.join(dir(), "#{name}.wasm")

  @doc "The bytes of a guest."
  def bytes(name), do: File.read!(path(name))
end
