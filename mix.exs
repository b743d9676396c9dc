Code.require_file("mix_compiler/workbooks_native.exs", __DIR__)

defmodule Workbooks.MixProject do
  use Mix.Project

  def project do
    [
      app: :workbooks,
      version: "0.1.0",
      elixir: "~> 1.14",
      description: "Run agents' plans, and believe the word DONE",
      compilers: [:workbooks_native] ++ Mix.compilers(),
      elixirc_paths: elixirc_paths(Mix.env()),
      start_permanent: Mix.env() == :prod,
      deps: []
    ]
  end

  def application do
    [extra_applications: [:crypto, :inets, :logger, :public_key, :ssl], mod: {Workbooks.Application, []}]
  end

  defp elixirc_paths(:test), do: ["lib", "test/support"]
  defp elixirc_paths(_), do: ["lib"]
end
