defmodule Workbooks.Demos do
  @moduledoc "Everything that can be shown, in order. `make demo` runs it."

  alias Workbooks.Demos.{Acceptance, Deploy, Engine, Kernel}

  @doc "Runs every demo. Those of the engine need the fixture components: `make guests`."
  @spec run() :: :ok
  def run do
    Kernel.demo_validate()
    Kernel.demo_upgrade()
    Kernel.demo_persist()

    if Engine.guests?(),
      do: Engine.demo(),
      else: IO.puts("\nThe engine's demo needs the fixture components: run `make guests`, then this again.")

    Deploy.demo()
    Acceptance.demo()
    :ok
  end
end
