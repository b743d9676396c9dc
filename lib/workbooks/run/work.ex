defmodule Workbooks.Run.Work do
  @moduledoc false
  # What happens in the process of one task: the work, or the check. Both say how long they took.

  alias Workbooks.Error
  alias Workbooks.Run.{Options, Workdir}
  alias Workbooks.Workflow.{Check, Output}

  @typedoc "For the log. A check also says what it read, ran and changed, see `t:Workbooks.Workflow.Check.evidence/0`."
  @type measurements :: %{
          required(:dur_ms) => non_neg_integer,
          required(:exit_code) => integer | nil,
          required(:error) => String.t() | nil,
          optional(atom) => term
        }

  @doc "Lets the worker do a task. A crash is the caller's to notice."
  @spec work(Options.t(), map, map) :: {{:ok, String.t()} | {:error, String.t()}, measurements}
  def work(%Options{worker: worker} = options, task, context) do
    {result, ms} = timed(fn -> worker |> perform(options, task, context) |> word() end)

    {result,
     %{dur_ms: ms, exit_code: nil, error: with({:ok, _} <- result, do: nil, else: ({:error, e} -> e))}}
  end

  defp perform(fun, _options, task, _context) when is_function(fun, 1), do: fun.(task)

  defp perform({module, opts}, options, task, context) do
    # Only tests give a run another shell.
    opts = if options.shell, do: Keyword.put_new(opts, :shell, options.shell), else: opts
    # The plan is a worker's to read, not to rewrite.
    module.perform(task, Map.merge(context, %{options: opts, plan: options.plan}))
  end

  defp word({:ok, output}) when is_binary(output), do: {:ok, Output.text(output)}
  defp word(output) when is_binary(output), do: {:ok, Output.text(output)}
  defp word({:error, reason}), do: {:error, reason(reason)}
  defp word(other), do: {:error, "the worker gave no answer that is known: #{shown(other)}"}

  @doc "Why something failed, in words."
  @spec reason(term) :: String.t()
  def reason(%Error{message: message}), do: message
  def reason(reason) when is_binary(reason), do: Output.text(reason)
  def reason(reason) when is_exception(reason), do: reason |> Exception.message() |> Output.text()
  def reason(reason), do: shown(reason)

  @doc "Why the process of a task is gone."
  @spec crash(term) :: String.t()
  def crash({reason, stack}) when is_exception(reason) and is_list(stack),
    do: "the worker crashed: #{reason(reason)}"

  def crash(:killed), do: "the worker was killed"
  def crash(reason), do: "the worker crashed: #{shown(reason)}"

  defp shown(term), do: term |> inspect(limit: 10, printable_limit: 200) |> String.slice(0, 500)

  @doc "Asks a check, if the working directory is still the one that the run began with."
  @spec check(Options.t(), Check.t(), Workdir.t(), map) :: {Check.verdict(), measurements}
  def check(options, check, workdir, done) do
    {{verdict, evidence}, ms} = timed(fn -> checked(options, check, workdir, done) end)

    measurements =
      evidence
      |> Map.take([:changed, :commands, :files_read, :warnings])
      |> Map.merge(%{
        dur_ms: ms,
        exit_code: evidence.status,
        error: with({:pass, _} <- verdict, do: nil, else: ({:fail, e} -> e))
      })

    {verdict, measurements}
  end

  defp checked(options, check, workdir, done) do
    opts = [timeout: options.check_timeout, read_only: [options.plan], shell: options.shell, work: done]

    if Workdir.same?(workdir),
      do: Check.run(check, workdir.path, opts),
      else: {{:fail, "the working directory is not the one that the run began with"}, %{status: nil}}
  end

  defp timed(fun) do
    start = System.monotonic_time(:microsecond)
    result = fun.()
    {result, div(System.monotonic_time(:microsecond) - start, 1_000)}
  end
end
