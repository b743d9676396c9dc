defmodule Workbooks.Workflow.ShellWorker do
  @moduledoc """
  Runs the task's first `sh` block that is not its check, in the WASM shell.

      ** TODO Gather the prices
      :done-when: test -s prices.csv
      #+begin_src sh
      cut -d, -f1,3 raw.csv > prices.csv
      #+end_src

  The block sees the working directory as `/` and nothing else. A status other than 0 is an error. A task without a block
  is left to its check: there is nothing to run. A task with neither is an error, for nobody would have done anything.

  Options, as in `worker: {Workbooks.Workflow.ShellWorker, timeout: 5_000}`: those of `Workbooks.Shell.run/2` but
  `:workdir` and `:stream`.
  """
  @behaviour Workbooks.Workflow.Worker

  alias Workbooks.{Error, Shell}
  alias Workbooks.Workflow.{Check, Output}

  @begin ~r/^[ \t]*#\+begin_src[ \t]+(?:sh|shell|bash)(?![^ \t\r])(.*)$/i
  @other ~r/^[ \t]*#\+begin_(\S+)/i

  @impl true
  def perform(task, context) do
    case {block(task.body), Check.of(task)} do
      {nil, nil} -> {:error, "the task has no `sh` block and no check"}
      {nil, _check} -> {:ok, ""}
      {script, _check} -> shell(script, context)
    end
  end

  defp shell(script, context) do
    {shell, options} = Keyword.pop(context.options, :shell, &Shell.run/2)

    case shell.(script, [workdir: context.workdir, stream: context.stream] ++ options) do
      {:ok, %{status: 0, stdout: stdout}} ->
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

  @doc ~S'''
  The script of a body: its first `sh` block without `:check`, or `nil`.

      iex> Workbooks.Workflow.ShellWorker.block("#+begin_src sh\necho hi\n#+end_src\n")
      "echo hi\n"

      iex> Workbooks.Workflow.ShellWorker.block("#+begin_src sh :check\ntrue\n#+end_src\n")
      nil
  '''
  @spec block(String.t()) :: String.t() | nil
  def block(body), do: body |> String.split(~r/(?<=\n)/) |> find()

  defp find([]), do: nil

  defp find([line | rest]) do
    case {Regex.run(@begin, chomp(line)), Regex.run(@other, line)} do
      {nil, nil} -> find(rest)
      {nil, [_, name]} -> with {_, rest} <- until_end(rest, name), do: find(rest), else: (nil -> find(rest))
      {[_, arguments], _} -> take(arguments, rest)
    end
  end

  # A block begins only if its end follows.
  defp take(arguments, rest) do
    case until_end(rest, "src") do
      nil ->
        find(rest)

      {lines, rest} ->
        if arguments =~ ~r/(^|\s):check(\s|$)/, do: find(rest), else: Enum.map_join(lines, &code/1)
    end
  end

  defp until_end(lines, name) do
    ending = ~r/^[ \t]*#\+end_#{Regex.escape(name)}[ \t]*$/i

    case Enum.split_while(lines, &(not Regex.match?(ending, chomp(&1)))) do
      {_, []} -> nil
      {inside, [_ | rest]} -> {inside, rest}
    end
  end

  # Org puts a comma before a line that would read as Org.
  defp code(line), do: Regex.replace(~r/^([ \t]*),(,*(?:\*|#\+))/, chomp(line) <> "\n", "\\1\\2")

  defp chomp(line), do: String.trim_trailing(line, "\n") |> String.trim_trailing("\r")
end
