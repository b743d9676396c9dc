defmodule Workbooks.Workflow.Todo do
  @moduledoc """
  An Org TODO outline, run.

  The outline is the state machine. Leaf tasks are worked on, siblings at once; checks decide; a composite is DONE when all
  its tasks are, else PARTIAL. Running it again skips what is done. `Workbooks.Run` is the same as a supervised process.
  """

  alias Workbooks.{Error, OQL, Run}
  alias Workbooks.Run.Outline
  alias Workbooks.Workflow.Check

  @typedoc "A headline with a TODO keyword, as workers get it. `idx` counts from 0 in the order of the text."
  @type task :: %{
          id: String.t(),
          idx: non_neg_integer,
          title: String.t(),
          state: String.t(),
          done: boolean,
          kind: :leaf | :composite,
          path: [String.t()],
          level: pos_integer,
          parent: String.t() | nil,
          ordered: boolean,
          blockers: [String.t()],
          done_when: String.t() | nil,
          check: %{lang: String.t(), body: String.t()} | nil,
          check_error: String.t() | nil,
          script: String.t() | nil,
          body: String.t(),
          props: %{String.t() => String.t()},
          line: pos_integer
        }

  @doc ~S'''
  The tasks of a plan, in the order of the text. A headline without keyword is structure and no task.

      iex> org = "* Week\n** TODO Gather the pages\n:done-when: test -s pages/a.html\n"
      iex> for task <- Workbooks.Workflow.Todo.tasks(org), do: {task.id, task.idx, task.done_when}
      [{"gather-the-pages", 0, "test -s pages/a.html"}]
  '''
  @spec tasks(OQL.org()) :: [task] | {:error, Error.t()}
  def tasks(org) when is_binary(org), do: Outline.tasks(org)

  @doc """
  Asks the check of one task, in a working directory. A task without a check passes: its worker's word stands.

      iex> task = %{done_when: "", check: nil}
      iex> Workbooks.Workflow.Todo.validate(task, ".")
      {:fail, "`:done-when:` is empty"}
  """
  @spec validate(map, Path.t(), timeout: pos_integer) :: Check.verdict()
  def validate(task, workdir, opts \\ []) do
    {verdict, _evidence} = task |> Check.of() |> Check.run(Path.expand(workdir), opts)
    verdict
  end

  @doc """
  Runs a plan to its end. Takes a file, or a text as `{:org, text}`, and the options of `Workbooks.Run.start/2`.

      Workbooks.Workflow.Todo.run("plan.org", run: fn task -> {:ok, "did " <> task.title} end)
      #=> %{tasks: [%{id: "ship", idx: 0, title: "Ship", state: :done, output: "did Ship", reason: nil, ..}], org: "* DONE Ship\\n", ..}

  A text is run from a file of its own in the working directory, which is gone afterwards; without `workdir:` the working
  directory is a fresh one, and gone as well. `org` is the plan as the run left it.
  """
  @spec run(Path.t() | {:org, OQL.org()}, keyword) :: Run.result() | {:error, Error.t()}
  def run(plan, opts \\ [])
  def run({:org, org}, opts) when is_binary(org) and is_list(opts), do: run_text(org, opts)
  def run(plan, opts) when is_binary(plan) and is_list(opts), do: run_file(plan, opts)

  defp run_file(plan, opts) do
    with {:ok, run} <- Run.start(plan, opts), {:ok, result} <- Run.await(run), do: result
  end

  defp run_text(org, opts) do
    name = Base.encode16(:crypto.strong_rand_bytes(6), case: :lower)
    {dir, doomed} = place(opts[:workdir], name)
    plan = Path.join(dir, ".plan-#{name}.org")

    try do
      File.write!(plan, org)
      run_file(plan, opts)
    after
      File.rm(plan)
      if doomed, do: File.rm_rf(doomed)
    end
  end

  defp place(nil, name) do
    dir = Path.join(System.tmp_dir!(), "workbooks-#{name}")
    File.mkdir_p!(dir)
    {dir, dir}
  end

  defp place(workdir, _name), do: {Path.expand(workdir), nil}
end
