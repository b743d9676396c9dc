defmodule Workbooks.Application do
  @moduledoc false
  use Application

  @impl true
  def start(_type, _args) do
    config = :workbooks |> Application.get_all_env() |> Workbooks.Config.new!()
    Workbooks.Policy.forget()

    children = [
      {Workbooks.Kernel, config},
      Workbooks.Dock,
      {Workbooks.Lifecycle.Supervisor, config},
      Workbooks.Run.Supervisor,
      Workbooks.Workflow.Tasks
      | schedules(config)
    ]

    Supervisor.start_link(children, strategy: :one_for_one, name: Workbooks.Supervisor)
  end

  # A VM that lives for one order must not begin what it will not end.
  defp schedules(%{schedules: false}), do: []

  defp schedules(%{schedules: true, data_dir: dir}) do
    [
      {Workbooks.Schedule,
       source: &Workbooks.Deploy.plans/0, run: &Workbooks.Deploy.run_job/1, dir: Path.join(dir, "schedules")}
    ]
  end
end
