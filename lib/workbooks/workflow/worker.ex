defmodule Workbooks.Workflow.Worker do
  @moduledoc """
  Who does the work of a leaf task.

      defmodule MyApp.Researcher do
        @behaviour Workbooks.Workflow.Worker

        @impl true
        def perform(task, context) do
          context.emit.("looking into \#{task.title}")
          {:ok, MyApp.research(task.body, context.workdir)}
        end
      end

      Workbooks.Run.start("plan.org", worker: MyApp.Researcher)

  A worker runs in a process of its own. What it returns is only its word: a check decides, if the task has one. An
  `{:error, _}`, any other answer and a crash are FAILED before any check.

  `Workbooks.Workflow.ShellWorker` and `Workbooks.Workflow.WaitingWorker` are shipped. A function will do as well:
  `run: fn task -> {:ok, "done"} end`.
  """

  alias Workbooks.Workflow.Todo

  @typedoc """
  What a worker may know and use.

    * `:run_id` - the run
    * `:workdir` - the directory to work in
    * `:emit` - a function that publishes a piece of output at once, as a `task_output` event
    * `:stream` - the same for the `:stream` option of `Workbooks.Shell` and `Workbooks.Instance`
    * `:wrote` - a function that says which files of the working directory the worker wrote; a check that holds nothing but
      these against each other is flagged in its record
    * `:options` - what stands in `worker: {module, options}`
  """
  @type context :: %{
          run_id: String.t(),
          workdir: Path.t(),
          emit: (binary -> :ok),
          stream: {pid, term},
          wrote: ([String.t()] -> :ok),
          options: keyword
        }

  @callback perform(Todo.task(), context) :: {:ok, String.t()} | {:error, term} | String.t()
end
