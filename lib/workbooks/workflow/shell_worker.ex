defmodule Workbooks.Workflow.ShellWorker do
  @moduledoc """
  Runs the task's first `sh` block that is not its check, in the WASM shell.

      ** TODO Gather the prices
      :done-when: test -s prices.csv
      #+begin_src sh
      cut -d, -f1,3 raw.csv > prices.csv
      #+end_src

  The block sees the working directory as `/` and nothing else. The plan it can read and not change: a script that tries
  gets an error. A status other than 0 is an error. A task without a block
  is left to its check: there is nothing to run. A task with neither is an error, for nobody would have done anything.

  Options, as in `worker: {Workbooks.Workflow.ShellWorker, timeout: 5_000}`: those of `Workbooks.Shell.run/2` but
  `:workdir` and `:stream`.
  """
  @behaviour Workbooks.Workflow.Worker

  alias Workbooks.{Error, Shell}
  alias Workbooks.Workflow.{Check, Output}

  @impl true
  def perform(task, context) do
    case {task.script, Check.of(task)} do
      {nil, nil} -> {:error, "the task has no `sh` block and no check"}
      {nil, _check} -> {:ok, ""}
      {script, _check} -> shell(script, context)
    end
  end

  defp shell(script, context) do
    {shell, options} = Keyword.pop(context.options, :shell, &Shell.run/2)

    plan = if plan = context[:plan], do: [plan], else: []

    case shell.(script, [workdir: context.workdir, stream: context.stream, read_only: plan] ++ options) do
      {:ok, %{status: 0, stdout: stdout} = ran} ->
        if wrote = context[:wrote], do: wrote.(Map.get(ran, :wrote, []))
        {:ok, stdout}

      {:ok, %{status: status, stderr: stderr}} ->
        {:error, "exited with status #{status}: #{last_line(stderr)}"}

      {:error, %Error{message: message}} ->
        {:error, message}

      {:error, reason} ->
        {:error, "the shell gave up: #{inspect(reason)}"}
    end
  end

  defp last_line(stderr), do: stderr |> Output.text() |> String.trim() |> String.split("\n") |> List.last()
end
