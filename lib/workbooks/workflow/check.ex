defmodule Workbooks.Workflow.Check do
  @moduledoc """
  What decides whether a task is done.

  A task's check is its `:done-when:` command; else the first source block of its body that carries `:check`; else it
  has none, and the worker's own word stands. A command that is empty, or a block in a language the shell does not run,
  is a check that cannot pass. A block in `bash` is read as bash reads it, everything else as `sh` does.

  What a check is, how it is run and what its answer means is decided in one place, the Rust crate `acceptance`; sessions,
  toolkits and `wbx` ask there too. This module hands over. `docs/runs.md` says what counts as a pass.
  """

  alias Workbooks.{Error, Kernel, Native}

  @enforce_keys [:script, :how]
  defstruct [:script, :how, dialect: "sh"]

  @typedoc "`how` says what was asked, in words that change when the check does."
  @type t ::
          %__MODULE__{script: String.t(), how: String.t(), dialect: String.t()} | {:unfit, String.t()} | nil
  @type verdict :: {:pass, String.t()} | {:fail, String.t()}

  @typedoc """
  What can be said of a check that was asked: its status and output; the paths of the working directory that it changed
  (`warnings` says so in words); the commands that ran and the files that it read, each with its SHA-256.
  """
  @type evidence :: %{
          status: 0..255 | nil,
          output: binary,
          changed: [String.t()],
          commands: [%{name: String.t(), sha256: String.t() | nil}],
          files_read: [%{path: String.t(), sha256: String.t() | nil}],
          warnings: [String.t()]
        }

  @typedoc """
  `read_only` are files that the check can read and not change. `work` is what is known of the work that it judges: a check
  that proves nothing new is flagged. Only tests give another `shell`.
  """
  @type option ::
          {:timeout, pos_integer}
          | {:read_only, [Path.t()]}
          | {:work, %{script: String.t() | nil, wrote: [String.t()]}}
          | {:shell, (String.t(), keyword -> no_return) | nil}

  @timeout 30_000

  @doc ~S'''
  The check of a task: a map with `:done_when` and `:check`, as `Workbooks.Workflow.Todo.tasks/1` gives them, and
  `:check_error` where the plan itself is wrong.

      iex> Workbooks.Workflow.Check.of(%{done_when: "test -s a.html", check: nil}).how
      "done-when: test -s a.html"

      iex> Workbooks.Workflow.Check.of(%{done_when: " ", check: %{lang: "sh", body: "true"}})
      {:unfit, "`:done-when:` is empty"}

      iex> Workbooks.Workflow.Check.of(%{done_when: nil, check: %{lang: "python", body: "exit(0)"}})
      {:unfit, "the check is written in `python`, which the shell does not run"}

      iex> Workbooks.Workflow.Check.of(%{done_when: "true", check: nil, check_error: "two lines"})
      {:unfit, "two lines"}

      iex> Workbooks.Workflow.Check.of(%{done_when: nil, check: nil})
      nil
  '''
  @spec of(%{
          required(:done_when) => String.t() | nil,
          required(:check) => %{lang: String.t(), body: String.t()} | nil,
          optional(:check_error) => String.t() | nil,
          optional(atom) => term
        }) :: t
  def of(%{done_when: done_when, check: check} = task) do
    block = with %{lang: lang, body: body} <- check, do: {lang, body}
    said = %{done_when: done_when, check: block, check_error: task[:check_error]}

    case Native.read_check(said) do
      {:fit, script, dialect, how} -> %__MODULE__{script: script, dialect: dialect, how: how}
      unfit_or_none -> unfit_or_none
    end
  end

  @doc "Asks a check in a working directory. What cannot be run does not pass."
  @spec run(t, Path.t(), [option]) :: {verdict, evidence}
  def run(check, workdir, opts \\ []) do
    work = Keyword.get(opts, :work, %{script: nil, wrote: []})

    order = %{
      check: term(check),
      script: work.script,
      wrote: work.wrote,
      workdir: workdir,
      read_only: Keyword.get(opts, :read_only, []),
      time: Keyword.get(opts, :timeout, @timeout)
    }

    case ask(check, order, opts[:shell]) do
      {:ok, %{pass: true} = answer} -> {{:pass, answer.how}, evidence(answer)}
      {:ok, %{reason: reason} = answer} -> {{:fail, reason}, evidence(answer)}
      {:error, reason} -> {{:fail, "the check could not be run: #{words(reason)}"}, evidence(nil)}
    end
  end

  defp ask(_check, order, nil) do
    with {:ok, runtime} <- Kernel.runtime(), do: Native.run_check(runtime, order)
  end

  defp ask(check, order, shell), do: shell.(check, Map.to_list(order))

  defp term(%__MODULE__{script: script, dialect: dialect, how: how}), do: {:fit, script, dialect, how}
  defp term(unfit_or_none), do: unfit_or_none

  defp evidence(nil),
    do: %{status: nil, output: "", changed: [], commands: [], files_read: [], warnings: []}

  defp evidence(answer) do
    answer
    |> Map.take([:status, :changed, :commands, :files_read, :warnings])
    |> Map.put(:output, answer.stdout <> answer.stderr)
  end

  defp words(%Error{message: message}), do: message
  defp words(reason), do: inspect(reason, limit: 10, printable_limit: 200)
end
