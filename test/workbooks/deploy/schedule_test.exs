defmodule Workbooks.Deploy.ScheduleTest do
  use Workbooks.DeployCase, async: true

  alias Workbooks.Schedule

  test "a deployed workflow with a schedule runs by itself", %{id: id, tmp_dir: dir} do
    plan = """
    * Report :workflow:
    :PROPERTIES:
    :SCHEDULE: 0 9 * * *
    :END:
    ** Note :component:
    #+begin_src sh :persist :out due:string
    cat >> state; cat state
    #+end_src
    """

    deployed = ~U[2026-03-01 00:00:00Z]
    {:ok, _} = deploy(id, plan, clock: fn -> DateTime.to_unix(deployed, :millisecond) end)
    clock = start_supervised!({Agent, fn -> DateTime.to_unix(deployed) end})
    test = self()

    options = [
      # Other tests deploy as well.
      source: fn -> Deploy.plans([id]) end,
      run: fn job -> send(test, {:ran, Deploy.run_job(job)}) end,
      dir: Path.join(dir, "schedules"),
      now: fn -> Agent.get(clock, & &1) end,
      timer: false,
      name: nil
    ]

    {:ok, scheduler} = GenServer.start_link(Schedule.Server, options)
    :ok = Schedule.refresh(scheduler)
    assert {:ok, [%{workflow: "Report", next: ~U[2026-03-01 09:00:00Z]}]} = Schedule.next(scheduler, id)

    Agent.update(clock, fn _ -> DateTime.to_unix(~U[2026-03-01 09:00:10Z]) end)
    :ok = Schedule.refresh(scheduler)
    assert_receive {:ran, {:ok, %{exports: %{"due" => due}}}}
    assert due == ~s({"due":"2026-03-01T09:00:00Z"})
  end

  test "the next times of a deployed workbook are known where no scheduler runs", %{id: id} do
    plan = "* Report :workflow:\n:PROPERTIES:\n:SCHEDULE: 0 9 * * *\n:END:\n" <> sh("A", ":out x", "cat")
    assert {:error, %Error{code: :not_found}} = Deploy.next(id)
    {:ok, _} = deploy(id, plan)
    assert {:ok, [%{workbook: ^id, workflow: "Report", next: %DateTime{hour: 9}}]} = Deploy.next(id)
    assert [%{problem: nil}] = Deploy.next!(id)
  end

  test "a plan that cannot be read has not gone", %{id: id} do
    {:ok, _} = deploy(id, flow(sh("A", ":out x", "cat")))
    File.write!(Path.join(Deploy.Store.dir(id), "current"), "nonsense")
    assert [%{id: ^id, org: {:error, %Error{code: :corrupt}}}] = Deploy.plans([id])
    # Nor is it hidden from the list, or the list from it.
    assert %{problem: %Error{code: :corrupt}, version: nil} = Enum.find(Deploy.list!(), &(&1.id == id))
  end
end
