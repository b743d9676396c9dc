defmodule Workbooks do
  @moduledoc ~S'''
  Runs agents' plans, and believes the word DONE.

  A plan is an Org file. A kernel says whether it coheres, before anything runs; a task is DONE only when its check
  passes in a shell inside WebAssembly; an artifact docks only if it fits its slot; a new version goes live only if it
  keeps the promises of the old one. What a plan, an agent or a stranger wrote runs in WebAssembly, inside the VM.

  What there is, in the order in which a newcomer needs it:

  | you want to | ask |
  |---|---|
  | know whether a plan coheres, read it, query it | `Workbooks.OQL` |
  | run a plan and hear how it goes | `Workbooks.Run`, or at once `Workbooks.Workflow.Todo` |
  | see what was proven, and what is only claimed | `Workbooks.History`, `Workbooks.Ledger`, `Workbooks.Certificate` |
  | test a plan of yours | `Workbooks.Testing` |
  | run a script in the sandbox | `Workbooks.Shell`, its commands `Workbooks.CommandRegistry` |
  | run a component in the sandbox | `Workbooks.Instance`, whether it fits `Workbooks.Conformance` |
  | build one from source, inside the sandbox | `Workbooks.Lanes` |
  | say what a guest may do | `Workbooks.Policy`, `Workbooks.Dock` |
  | run components that feed each other | `Workbooks.Workflow` |
  | let a plan go live, upgrade it, roll it back | `Workbooks.Deploy`, `Workbooks.Schedule`, `Workbooks.Bundle` |
  | keep a workbook's files and its life | `Workbooks.VFS`, `Workbooks.Lifecycle` |
  | share tools with agents | `Workbooks.Toolkits` |
  | let an agent work step by step, and survive it | `Workbooks.Session` |
  | ask for anything by name, as every other door does | `Workbooks.Operations` |
  | configure it | `Workbooks.Config` |

  A function answers `{:ok, value}` or `{:error, %Workbooks.Error{}}`, and has a twin with a bang that raises. The one
  exception is `Workbooks.OQL`, whose functions give their answer bare.

      iex> Workbooks.OQL.validate("""
      ...> * Report :workflow:
      ...> ** Build :component:
      ...> """)
      [%{"level" => "error", "message" => "component has no source block / language", "scope" => "Build"}]

      iex> {:ok, ran} = Workbooks.Shell.run("echo hello | tr a-z A-Z")
      iex> ran.stdout
      "HELLO\n"
  '''

  @doc """
  The version of Workbooks.

      iex> Version.match?(Workbooks.version(), ">= 0.1.0")
      true
  """
  @spec version() :: String.t()
  def version, do: :workbooks |> Application.spec(:vsn) |> to_string()
end
