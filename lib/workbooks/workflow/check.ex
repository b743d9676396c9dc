defmodule Workbooks.Workflow.Check do
  @moduledoc """
  What decides whether a task is done.

  A task's check is its `:done-when:` command; else the first source block of its body that carries `:check`; else it
  has none, and the worker's own word stands. A command that is empty, or a block in a language the shell does not run,
  is a check that cannot pass.

  The command runs in `Workbooks.Shell` with the working directory and nothing else. It is handed over in a variable and
  evaluated in a subshell, so no quote, comment, here-document, function, `exec` or `exit` of its own can reach the lines
  around it. Those print a line with a fresh nonce, and only if the subshell's status is 0. The check passes if that very
  line is the last of standard output, the status of the whole is 0, and no command was missing. Everything else is a
  failure with its reason: there is no way from doubt to DONE. `exit 0` is a clean exit, as it is in any shell.
  """

  alias Workbooks.{Error, Shell}

  @enforce_keys [:script, :how]
  defstruct [:script, :how]

  @typedoc "`how` says what was asked, in words that change when the check does."
  @type t :: %__MODULE__{script: String.t(), how: String.t()} | {:unfit, String.t()} | nil
  @type verdict :: {:pass, String.t()} | {:fail, String.t()}

  @type option ::
          {:timeout, pos_integer} | {:shell, (String.t(), keyword -> {:ok, map} | {:error, term})}

  @shells ["sh", "shell", "bash"]
  @timeout 30_000

  # The subshell keeps to itself what the command does to the shell. Its EXIT trap is taken off at the end, so that it
  # cannot overrule the last command.
  # It stands in no `&&` or `if`, which would switch the command's `set -e` off.
  @wrapper ~S"""
  ( eval "$__WB_CHECK"
  __wb_status=$?
  trap - EXIT
  exit $__wb_status
  )
  __wb_status=$?
  case $__wb_status in
  0) printf '\n%s\n' '@sentinel@' ;;
  *) exit $__wb_status ;;
  esac
  """

  @doc ~S'''
  The check of a task: a map with `:done_when` and `:check`, as `Workbooks.Workflow.Todo.tasks/1` gives them.

      iex> Workbooks.Workflow.Check.of(%{done_when: "test -s a.html", check: nil}).how
      "done-when: test -s a.html"

      iex> Workbooks.Workflow.Check.of(%{done_when: " ", check: %{lang: "sh", body: "true"}})
      {:unfit, "`:done-when:` is empty"}

      iex> Workbooks.Workflow.Check.of(%{done_when: nil, check: %{lang: "python", body: "exit(0)"}})
      {:unfit, "the check is written in `python`, which the shell does not run"}

      iex> Workbooks.Workflow.Check.of(%{done_when: nil, check: nil})
      nil
  '''
  @spec of(%{done_when: String.t() | nil, check: %{lang: String.t(), body: String.t()} | nil}) :: t
  def of(%{done_when: command}) when is_binary(command) do
    if empty?(command),
      do: {:unfit, "`:done-when:` is empty"},
      else: %__MODULE__{script: command, how: "done-when: #{command}"}
  end

  def of(%{check: %{lang: lang, body: body}}) when lang in @shells do
    if empty?(body),
      do: {:unfit, "the check block is empty"},
      else: %__MODULE__{script: body, how: "check: #{String.trim(body)}"}
  end

  def of(%{check: %{lang: ""}}), do: {:unfit, "the check block names no language"}

  def of(%{check: %{lang: lang}}),
    do: {:unfit, "the check is written in `#{lang}`, which the shell does not run"}

  def of(_task), do: nil

  # Comments confirm nothing.
  defp empty?(script) do
    script |> String.split(["\n", "\r"]) |> Enum.all?(&(String.trim(&1) == "" or String.trim(&1) =~ ~r/^#/))
  end

  @doc "Runs a check in a working directory."
  @spec run(t, Path.t(), [option]) :: {verdict, %{status: integer | nil, output: String.t()}}
  def run(check, workdir, opts \\ [])

  def run(nil, _workdir, _opts), do: {{:pass, "no check: the worker's word"}, %{status: nil, output: ""}}
  def run({:unfit, reason}, _workdir, _opts), do: {{:fail, reason}, %{status: nil, output: ""}}

  def run(%__MODULE__{script: script, how: how}, workdir, opts) do
    timeout = Keyword.get(opts, :timeout, @timeout)
    shell = Keyword.get(opts, :shell, &Shell.run/2)
    sentinel = "__WB_CHECK_OK__" <> Base.encode16(:crypto.strong_rand_bytes(16), case: :lower)

    wrapped = String.replace(@wrapper, "@sentinel@", sentinel)
    answer = shell.(wrapped, workdir: workdir, env: %{"__WB_CHECK" => script}, timeout: timeout)
    {judge(answer, sentinel, how, timeout), told(answer)}
  end

  defp judge({:ok, %{missing: [_ | _] = missing}}, _sentinel, _how, _timeout),
    do: {:fail, "the shell has no command #{Enum.map_join(missing, ", ", &"`#{&1}`")}"}

  defp judge({:ok, %{status: 0, stdout: stdout}}, sentinel, how, _timeout) do
    if String.ends_with?(stdout, "\n" <> sentinel <> "\n"),
      do: {:pass, how},
      else: {:fail, "the check's own end was not reached"}
  end

  defp judge({:ok, %{status: status, stderr: stderr}}, _sentinel, _how, _timeout),
    do: {:fail, "the check exited with status #{status}" <> said(stderr)}

  defp judge({:error, reason}, _sentinel, _how, timeout) when reason in [:timeout, :cpu_timeout],
    do: {:fail, "the check took longer than #{timeout} ms"}

  defp judge({:error, %Error{message: message}}, _sentinel, _how, _timeout),
    do: {:fail, "the check could not be run: #{message}"}

  defp judge({:error, reason}, _sentinel, _how, _timeout),
    do: {:fail, "the check could not be run: #{inspect(reason, limit: 10, printable_limit: 200)}"}

  defp told({:ok, %{status: status, stdout: stdout, stderr: stderr}}),
    do: %{status: status, output: stdout <> stderr}

  defp told({:error, _}), do: %{status: nil, output: ""}

  defp said(stderr) do
    case stderr |> Workbooks.Workflow.Output.text() |> String.trim() |> String.split("\n") |> List.last() do
      "" -> ""
      line -> ": " <> String.slice(line, 0, 200)
    end
  end
end
