defmodule Workbooks.Demos.Kernel do
  @moduledoc """
  The kernel shown at work. Each demo prints a plan, the call and the answer, and returns the answer.
  """

  import Workbooks.Demos.Stage
  alias Workbooks.{Lifecycle, OQL}

  @broken """
  * Broken workflow :workflow:
  ** Summarize :component:
  #+begin_src js :in events:list :out summary:string
  export default (e) => e;
  #+end_src
  ** Orphan task :component:
  """

  @report """
  * Report :workflow:
  ** Build :component:
  #+begin_src rust :out report:string
  #+end_src
  """

  @agent """
  * Agent :workflow:
  ** Remember :component:
  #+begin_src rust :persist :out memory:json
  #+end_src
  ** Act :component:
  #+begin_src js :in memory:json
  #+end_src
  """

  @doc """
  A plan that does not cohere is refused before anything runs.

      iex> answer = ExUnit.CaptureIO.with_io(fn -> Workbooks.Demos.Kernel.demo_validate() end) |> elem(0)
      iex> for diagnostic <- answer, do: diagnostic["scope"]
      ["Summarize", "Orphan task"]
  """
  @spec demo_validate() :: [OQL.diagnostic()]
  def demo_validate do
    title("A plan that does not cohere")
    say("Summarize reads `events:list`, which nothing makes. Orphan task has no source.")
    plan("plan", @broken)
    answer("OQL.validate(plan)", OQL.validate(@broken))
  end

  @doc """
  A new version of a plan is held against the promises of the old one.

      iex> answer = ExUnit.CaptureIO.with_io(fn -> Workbooks.Demos.Kernel.demo_upgrade() end) |> elem(0)
      iex> for diagnostic <- answer, do: diagnostic["level"]
      ["error", "warn", "error"]
  """
  @spec demo_upgrade() :: [OQL.diagnostic()]
  def demo_upgrade do
    next = String.replace(@report, ":out report:string", ":uses workbook:net/email :out report:json")

    title("An upgrade that breaks promises")
    say("The new Build gives another type, and wants to send mail.")
    plan("old", @report)
    plan("new", next)
    answer("OQL.check_upgrade(old, new)", OQL.check_upgrade(@report, next))
  end

  @doc """
  A component that declares `:persist` keeps its memory when the workbook sleeps.

      iex> ExUnit.CaptureIO.with_io(fn -> Workbooks.Demos.Kernel.demo_persist() end) |> elem(0)
      ["Remember"]
  """
  @spec demo_persist() :: [String.t()]
  def demo_persist do
    title("What survives")
    say("Remember carries `:persist`, Act does not.")
    plan("plan", @agent)
    answer("Lifecycle.durable_components(plan)", Lifecycle.durable_components(@agent))
  end

  defp plan(name, org), do: IO.puts("\n#{name}:\n\n#{indent(org)}")

  defp indent(org), do: String.replace(org, ~r/^(?=.)/m, "    ")
end
