defmodule Workbooks.Run.Family do
  @moduledoc false
  # The processes of one run: the server and the supervisor of its tasks. If the server crashes its tasks end with it,
  # so that no task is at work twice when the run resumes. After four crashes in a minute the run gives up; its plan is
  # as it was after the last verdict. When the server is through, so is the family.

  @behaviour :supervisor

  alias Workbooks.Run.{Server, Supervisor}

  @spec start_link(Workbooks.Run.Options.t()) :: :supervisor.startlink_ret()
  def start_link(options),
    do: :supervisor.start_link(Supervisor.name(:family, options.run_id), __MODULE__, options)

  @impl true
  def init(options) do
    tasks = {Task.Supervisor, :start_link, [[name: Supervisor.name(:tasks, options.run_id)]]}
    # What outlives a crash of the server: how often it was started, and the number of the last event.
    counters = :counters.new(2, [])

    children = [
      %{id: :tasks, start: tasks, type: :supervisor, shutdown: 5_000},
      %{
        id: :server,
        start: {Server, :start_link, [options, counters]},
        restart: :transient,
        significant: true,
        shutdown: 5_000
      }
    ]

    {:ok, {%{strategy: :one_for_all, intensity: 3, period: 60, auto_shutdown: :any_significant}, children}}
  end
end
