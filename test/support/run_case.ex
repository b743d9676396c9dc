defmodule Workbooks.RunCase do
  @moduledoc "A plan in a working directory, with a history beside it, for each test."
  use ExUnit.CaseTemplate

  alias Workbooks.Run

  using do
    quote do
      import Workbooks.RunCase
      alias Workbooks.{Error, Run}
      @moduletag :tmp_dir
    end
  end

  setup %{tmp_dir: dir} do
    work = Path.join(dir, "work")
    File.mkdir_p!(work)
    %{work: work, history: Path.join(dir, "history"), plan: Path.join(work, "plan.org")}
  end

  @doc "Writes the plan, and gives the options that every run of it takes."
  def plan!(context, org) do
    File.write!(context.plan, org)
    [history: context.history, workdir: context.work, linger: 60_000]
  end

  @doc "Runs the plan of the test to its end."
  def run!(context, org, opts) do
    {:ok, run} = Run.start(context.plan, opts ++ plan!(context, org))
    Run.await!(run, 30_000)
  end

  @doc "Runs the plan as it is now."
  def rerun!(context, opts) do
    {:ok, run} = Run.start(context.plan, opts ++ [history: context.history, workdir: context.work])
    Run.await!(run, 30_000)
  end

  @doc "What somebody hears who starts a run of a plan that is being run."
  def already(run) do
    {:error,
     %Workbooks.Error{
       code: :already_running,
       message: "the plan is already running, as `#{run}`",
       hint: "wait for it, or cancel it",
       details: %{run_id: run},
       retryable: true
     }}
  end

  def states(%{tasks: tasks}), do: Map.new(tasks, &{&1.id, &1.state})
  def reason(%{tasks: tasks}, id), do: Enum.find(tasks, &(&1.id == id)).reason

  @doc "Every event of a run, to its last, without times."
  def events(run) do
    receive do
      {:workbooks, ^run, {:run_finished, data}} -> [{:run_finished, Map.delete(data, :ts)}]
      {:workbooks, ^run, {name, data}} -> [{name, Map.delete(data, :ts)} | events(run)]
    after
      30_000 -> raise "the run did not finish"
    end
  end

  @doc "A worker that waits to be told, and says when it began."
  def held(test) do
    fn task ->
      send(test, {:at_work, task.id, self()})

      receive do
        {:go, answer} -> answer
      end
    end
  end

  @doc "Waits until a process is gone."
  def gone!(pid) do
    ref = Process.monitor(pid)

    receive do
      {:DOWN, ^ref, _, _, reason} -> reason
    after
      10_000 -> raise "#{inspect(pid)} is still there"
    end
  end
end
