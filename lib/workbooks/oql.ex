defmodule Workbooks.OQL do
  @moduledoc """
  The kernel: questions about a plan, answered from its text alone.

  A plan is an Org file. Each function takes its text and gives the decoded answer: maps with string keys, lists,
  strings. The kernel is a WebAssembly component without imports; every call runs in a fresh instance on a thread of
  its own, so no text can take the VM down or hold up a scheduler.

  `{:error, %Workbooks.Error{}}` comes back for text that is not UTF-8, for a limit (16 MiB of text, headlines nested
  1,000 deep, about two seconds), for a bad query or option, and when the kernel is not there.
  """

  alias Workbooks.{Error, JSON, Kernel, Policy, Shell}

  @type org :: String.t()
  @type diagnostic :: %{String.t() => term}
  @type row :: %{String.t() => term}
  @type error :: {:error, Error.t()}

  @doc ~S'''
  Does the plan cohere? An empty list says yes.

  Each component in a `:workflow:` needs a source block with a language, and each of its inputs needs a producer.

      iex> Workbooks.OQL.validate("""
      ...> * Broken workflow :workflow:
      ...> ** Summarize :component:
      ...> #+begin_src js :in events:list :out summary:string
      ...> export default (e) => e;
      ...> #+end_src
      ...> ** Orphan task :component:
      ...> """)
      [
        %{"level" => "error", "message" => "input `events:list` has no upstream producer", "scope" => "Summarize"},
        %{"level" => "error", "message" => "component has no source block / language", "scope" => "Orphan task"}
      ]
  '''
  @spec validate(org) :: [diagnostic] | error
  def validate(org) when is_binary(org), do: ask("validate", [org])

  @doc ~S'''
  `validate/1` and the wider net, each finding with its rule, place and hint.

  ## Options

    * `:capabilities` - names that `:uses` may carry, `nil` to not check; by default those of `Workbooks.Policy.uses/0`
    * `:commands` - commands that a check may name, `nil` to not check; by default those of `Workbooks.Shell.words/0`

  ## Example

      iex> [finding] = Workbooks.OQL.lint("""
      ...> * Report :workflow:
      ...> ** Build :component:
      ...> #+begin_src rust :uses workbook:telepathy :out report:string
      ...> #+end_src
      ...> """)
      iex> {finding["code"], finding["line"]}
      {"WB006", 3}
  '''
  @spec lint(org,
          capabilities: [String.t()] | nil,
          commands: [String.t()] | nil
        ) :: [diagnostic] | error
  def lint(org, opts \\ []) when is_binary(org) and is_list(opts) do
    opts =
      opts
      |> Keyword.put_new_lazy(:capabilities, &Policy.uses/0)
      |> Keyword.put_new_lazy(:commands, &words/0)

    with {:ok, facts} <- options(opts, commands: nil, capabilities: nil),
         {:ok, json} <- JSON.encode(facts),
         do: ask("lint", [org, json])
  rescue
    error in Error -> {:error, error}
  end

  # Where the shell cannot say, no command is judged.
  defp words do
    case Shell.words() do
      {:ok, words} -> words
      {:error, _} -> nil
    end
  end

  @doc ~S'''
  Does everything that `old` promised still hold in `new`? An empty list says yes.

  ## Options

    * `:identity` - `true` makes `:WB_ID:` a workflow's identity, so that a rename is a rename
    * `:types` - `:structural` reads types as WIT and compares by subtyping; `:exact` (the default) as strings
    * `:explain` - `true` adds to each finding its `code`, where the promise was made and who would notice, and the
      `capability` that it is about
    * `:callers` - `true` judges also what a caller of a deployed plan gets: findings with the codes `result_key_moved`
      and `workflow_choice_needed` come behind the others, and a workflow of the same title elsewhere stands in for
      nobody. `docs/kernel.md` lists the codes.

  ## Example

      iex> old = """
      ...> * Report :workflow:
      ...> ** Build :component:
      ...> #+begin_src rust :out report:string
      ...> #+end_src
      ...> """
      iex> new = String.replace(old, ":out report:string", ":uses workbook:net/email :out report:json")
      iex> for finding <- Workbooks.OQL.check_upgrade(old, new), do: finding["message"]
      [
        "export `report:string` removed (breaking)",
        "new capability `workbook:net/email` now required",
        "component `Build` output type changed (breaking)"
      ]
      iex> Workbooks.OQL.check_upgrade(old, old)
      []
      iex> more = old <> "* Another :workflow:\n"
      iex> for finding <- Workbooks.OQL.check_upgrade(old, more, callers: true), do: finding["code"]
      ["workflow_choice_needed"]
  '''
  @spec check_upgrade(org, org,
          identity: boolean,
          types: :exact | :structural,
          explain: boolean,
          callers: boolean
        ) :: [diagnostic] | error
  def check_upgrade(old, new, opts \\ []) when is_binary(old) and is_binary(new) and is_list(opts) do
    with {:ok, opts} <- options(opts, identity: false, types: :exact, explain: false, callers: false),
         {:ok, json} <- JSON.encode(opts),
         do: ask("check-upgrade", [old, new, json])
  end

  @doc ~S'''
  Every headline as a row: `level, title, state, id, tags, props, scheduled, deadline, line`.

      iex> [row] = Workbooks.OQL.parse_headlines("* TODO Write the report :work:\nDEADLINE: <2026-06-11 Thu 09:30>\n")
      iex> {row["state"], row["title"], row["tags"], row["deadline"]["at"]}
      {"TODO", "Write the report", ["work"], "2026-06-11T09:30"}
  '''
  @spec parse_headlines(org) :: [row] | error
  def parse_headlines(org) when is_binary(org), do: ask("parse-headlines", [org])

  @doc ~S'''
  The headlines that an s-expression selects, as rows.

      iex> plan = "* TODO Buy paper :office:\n* DONE Buy ink :office:\n* TODO Sleep\n"
      iex> for row <- Workbooks.OQL.query(plan, ~S[(and (todo "TODO") (tags "office"))]), do: row["title"]
      ["Buy paper"]

      iex> {:error, error} = Workbooks.OQL.query("* A\n", "(and (todo")
      iex> error.code
      :bad_query
  '''
  @spec query(org, String.t()) :: [row] | error
  def query(org, query) when is_binary(org) and is_binary(query), do: ask("query", [org, query])

  @doc ~S'''
  The plan compiled: worlds with their components and the edges between them.

      iex> %{"worlds" => [world]} = Workbooks.OQL.tangle("""
      ...> * Report :workflow:
      ...> ** Fetch :component:
      ...> #+begin_src js :out events:list
      ...> #+end_src
      ...> ** Summarize :component:
      ...> #+begin_src js :in events:list :out summary:string
      ...> #+end_src
      ...> """)
      iex> {world["name"], world["exports"], world["edges"]}
      {"Report", ["summary:string"], [%{"from" => "Fetch", "to" => "Summarize"}]}
  '''
  @spec tangle(org) :: %{String.t() => term} | error
  def tangle(org) when is_binary(org), do: ask("tangle-plan", [org])

  @doc ~S'''
  The plan as HTML that is safe to put into a page.

      iex> html = Workbooks.OQL.render("* Plan\nTrust <script>nobody</script>.\n")
      iex> html =~ "&lt;script&gt;"
      true
  '''
  @spec render(org) :: String.t() | error
  def render(org) when is_binary(org), do: ask("render", [org])

  @doc ~S'''
  The outline as the runner sees it: every headline as a task, with its check.

      iex> [task] = Workbooks.OQL.tasks("* TODO Write the report\n:done-when: test -s report.md\n")
      iex> {task["id"], task["state"], task["done_when"]}
      {"write-the-report", "TODO", "test -s report.md"}
  '''
  @spec tasks(org) :: [%{String.t() => term}] | error
  def tasks(org) when is_binary(org), do: ask("tasks", [org])

  @doc ~S'''
  The same text with one task's keyword changed, and the statistics cookies above it. No other byte moves.

      iex> Workbooks.OQL.set_state("* Week [0/1]\r\n** TODO Rest\r\n", "rest", "DONE")
      "* Week [1/1]\r\n** DONE Rest\r\n"

      iex> {:error, error} = Workbooks.OQL.set_state("* TODO Rest\n", "work", "DONE")
      iex> error.code
      :unknown_task
  '''
  @spec set_state(org, String.t(), String.t()) :: org | error
  def set_state(org, task, state) when is_binary(org) and is_binary(task) and is_binary(state),
    do: ask("set-state", [org, task, state])

  defp ask(export, texts) do
    with {:ok, answer} <- Kernel.call(export, texts), do: answer
  end

  # The kernel judges the values; what it would never see, an unknown or absent key, is judged here.
  defp options(opts, defaults) do
    case Keyword.validate(opts, defaults) do
      {:ok, opts} ->
        {:ok, for({key, value} <- opts, value != nil, into: %{}, do: {key, value})}

      {:error, unknown} ->
        known = Enum.map_join(defaults, ", ", fn {key, _} -> inspect(key) end)

        {:error,
         Error.new(:bad_option, "unknown option #{Enum.map_join(unknown, ", ", &inspect/1)}", "use #{known}")}
    end
  end
end
