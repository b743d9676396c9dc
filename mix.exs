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
      deps: [],
      name: "Workbooks",
      docs: docs()
    ]
  end

  def application do
    [extra_applications: [:crypto, :inets, :logger, :public_key, :ssl], mod: {Workbooks.Application, []}]
  end

  # For ExDoc, where an application has it: `mix docs` finds the guides beside the reference.
  defp docs do
    [
      main: "Workbooks",
      extras: ["README.md", "CHANGELOG.md", "SECURITY.md"] ++ Path.wildcard("docs/**/*.md"),
      groups_for_extras: [Reference: ~r"docs/reference/", Guides: ~r"docs/[^/]+\.md"]
    ]
  end

  defp elixirc_paths(:test), do: ["lib", "test/support"]
  defp elixirc_paths(_), do: ["lib"]
end
