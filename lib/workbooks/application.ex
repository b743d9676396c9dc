defmodule Workbooks.Application do
  @moduledoc false
  use Application

  alias Workbooks.{Config, Owner}

  @impl true
  def start(_type, _args) do
    config = :workbooks |> Application.get_all_env() |> Config.new!()

    with {:ok, owner} <- Owner.take(config) do
      Config.put_current(config)
      Workbooks.Policy.forget()
      begin(config, owner)
    end
  end

  defp begin(config, owner) do
    children =
      [{Workbooks.Kernel, config}, Workbooks.Dock, Workbooks.Operations] ++
        data(config, owner) ++
        [Workbooks.Run.Supervisor, Workbooks.Workflow.Tasks] ++
        schedules(config, owner) ++ server(config)

    case Supervisor.start_link(children, strategy: :one_for_one, name: Workbooks.Supervisor) do
      {:ok, supervisor} ->
        {:ok, supervisor, owner}

      failed ->
        Owner.release(owner)
        failed
    end
  end

  # Everything that changes the data directory has ended by now, so that the next engine finds it as this one left it.
  @impl true
  def stop(owner) do
    Owner.release(owner)
    Config.forget_current()
  end

  defp data(_config, nil), do: []
  defp data(config, _owner), do: [{Workbooks.Lifecycle.Supervisor, config}]

  # A VM that lives for one order must not begin what it will not end.
  defp schedules(%{schedules: true, data_dir: dir}, owner) when owner != nil do
    [
      {Workbooks.Schedule,
       source: &Workbooks.Deploy.plans/0, run: &Workbooks.Deploy.run_job/1, dir: Path.join(dir, "schedules")}
    ]
  end

  defp schedules(_config, _owner), do: []

  # The last to start and the first to stop: whoever is answered finds everything there.
  defp server(%{server: false}), do: []
  defp server(%{server: options}), do: [{Workbooks.Server, options}]
end
