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
      {Task.Supervisor, name: Workbooks.Workflow.Tasks}
    ]

    Supervisor.start_link(children, strategy: :one_for_one, name: Workbooks.Supervisor)
  end
end
