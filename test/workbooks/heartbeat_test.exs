defmodule Workbooks.HeartbeatTest do
  # With one scheduler, a NIF that works instead of handing over stops every process. A 1 ms ticker feels it: it is
  # compared with the same ticker in a second VM, which has as many spinning processes beside it as there are cores.
  use ExUnit.Case, async: false

  alias Workbooks.OtherVM

  @moduletag timeout: 300_000

  # A busy machine delays a ticker now and then; a blocked scheduler delays it in every round.
  @rounds 8

  @script ~S"""
  dir = Path.join(System.tmp_dir!(), "workbooks-heartbeat-#{System.pid()}")
  Application.load(:workbooks)
  Application.put_env(:workbooks, :data_dir, Path.join(dir, "data"))
  {:ok, _} = Application.ensure_all_started(:workbooks)

  {:ok, runtime} = Workbooks.Kernel.runtime()
  kernel = Application.app_dir(:workbooks, "priv/wasm/oql.wasm")
  mib16 = String.duplicate("* TODO Task :tag:\nSome text below it.\n", div(16 * 1024 * 1024, 38))
  json = "[" <> String.duplicate("[1,2,3],", 100_000) <> "0]"
  # A component with a custom section of 8 MiB: its length is 0x800004 in LEB128.
  pad = <<3, "pad", 0::size(8 * 1024 * 1024)-unit(8)>>
  large = File.read!(GUEST.("echo")) <> <<0, 0x84, 0x80, 0x80, 0x04>> <> pad
  path = Path.join(System.tmp_dir!(), "workbooks-heartbeat-#{System.pid()}.sqlite")
  disk = Workbooks.VFS.open!(path)
  page = binary_part(mib16, 0, 8_000_000)
  File.mkdir_p!(dir)
  plan = Path.join(dir, "plan.org")
  File.write!(plan, mib16)
  kept = [history: Path.join(dir, "history")]
  record = fn -> {:ok, run} = Workbooks.History.open(plan, [run_id: "run", ts: 1] ++ kept); run end
  skill = Path.join(dir, "skill")
  File.mkdir_p!(Path.join(skill, "scripts"))
  File.write!(Path.join(skill, "SKILL.md"), "---\nname: skill\n---\n" <> String.duplicate("# Words\n\n- and *more* of them\n\n", 20_000))
  File.write!(Path.join(skill, "manifest.org"), "* Skill :toolkit:\n")
  for n <- 1..10, do: File.write!(Path.join(skill, "scripts/run-#{n}.sh"), String.duplicate("curl -s x | jq .\n", 60_000))
  sessions = fn -> {:ok, sessions} = Workbooks.Session.open(Path.join(dir, "sessions")); sessions end
  levels = File.read!(LEVELS)
  {:ok, kernel_in_a_loop} = Workbooks.KernelRegistry.load(levels)
  {:ok, _} = Workbooks.Server.start_link(listen: false, name: :asked)
  {:ok, body} = Workbooks.JSON.encode(%{org: binary_part(mib16, 0, 1_000_000)})
  Workbooks.Dock.put_handler(:llm, fn _, _ -> {:ok, page} end)

  :erts_debug.set_internal_state(:available_internal_state, true)

  work = %{
    "blocked" => fn -> :erts_debug.set_internal_state(:block, 300) end,
    "acceptance_check" => fn ->
      spin = "i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done; wc -c plan.org"
      {:pass, _} = Workbooks.Workflow.Todo.validate(%{done_when: spin, check: nil}, dir)
    end,
    "acceptance_read" => fn ->
      for _ <- 1..20, do: Workbooks.Workflow.Check.of(%{done_when: String.duplicate("# no\\n", 50_000), check: nil})
    end,
    "data_take" => fn ->
      for _ <- 1..20 do
        {:ok, owner} = Workbooks.Native.take_data(dir <> "/data-#{System.unique_integer([:positive])}")
        Workbooks.Native.data_release(owner)
      end
    end,
    "data_release" => fn ->
      data = fn -> dir <> "/data-#{System.unique_integer([:positive])}" end
      owners = for _ <- 1..20, do: elem(Workbooks.Native.take_data(data.()), 1)
      Enum.each(owners, &Workbooks.Native.data_release/1)
    end,
    "engine_author" => fn -> Workbooks.Native.author(runtime) end,
    "engine_places" => fn -> for _ <- 1..100, do: Workbooks.Native.engine_places([{"HOME", dir}], []) end,
    "engine_variables" => fn -> for _ <- 1..100, do: Workbooks.Native.engine_variables() end,
    "policy_table" => fn -> for _ <- 1..100, do: Workbooks.Native.policy_table() end,
    "runtime_start" => fn -> Workbooks.Native.start(Workbooks.Config.new!(workers: 4, queue: 10)) end,
    "kernel_load" => fn -> {:ok, _} = Workbooks.Native.load_kernel(runtime, kernel) end,
    "kernel_call" => fn -> Workbooks.OQL.validate(mib16) end,
    "json_decode" => fn -> {:ok, _} = Workbooks.JSON.decode(json) end,
    "instance_run" => fn ->
      {:ok, _} = Workbooks.Instance.run(large, "x")
      {:ok, _} = Workbooks.Instance.run(GUEST.("echo"), page)
    end,
    "lanes_build" => fn ->
      comment = "/* #{binary_part(mib16, 0, 4_000_000)} */"
      source = "export default () => '#{System.os_time()}'; #{comment}"
      {:ok, %{cached: false}} = Workbooks.Lanes.build("js", {:text, source})
    end,
    "lanes_list" => fn -> for _ <- 1..100, do: Workbooks.Lanes.list!() end,
    "registry_call" => fn ->
      :ok = Workbooks.CommandRegistry.register("heartbeat", File.read!(GUEST.("upper")))
      :ok = Workbooks.CommandRegistry.unregister("heartbeat")
    end,
    "bundle_call" => fn ->
      {:ok, _} = Workbooks.Bundle.create(plan, Path.join(dir, "plan.wbundle"))
      {:ok, _} = Workbooks.Bundle.verify(Path.join(dir, "plan.wbundle"))
    end,
    "conformance_check" => fn -> :ok = Workbooks.Conformance.engine?(large) end,
    "conformance_upgrade" => fn -> :ok = Workbooks.Conformance.check_upgrade(large, large) end,
    "deploy_begin" => fn -> {:ok, _} = Workbooks.Deploy.Store.change("beat", fn _, live -> {:ok, live} end) end,
    "deploy_step" => fn ->
      {:ok, _} = Workbooks.Deploy.Store.change("beat", fn change, _ ->
        Workbooks.Deploy.Store.stage(change, mib16, %{}, [{"guest.wasm", kernel}])
      end)
    end,
    "deploy_ask" => fn -> {:ok, nil} = Workbooks.Deploy.Store.ask("beat", :live) end,
    "disk_open" => fn -> Workbooks.VFS.close!(Workbooks.VFS.open!(path)) end,
    "disk_call" => fn -> for _ <- 1..5, do: Workbooks.VFS.write!(disk, "large", mib16) end,
    "dock_reply" => fn -> {:ok, _} = Workbooks.Instance.run(GUEST.("block_in_host"), "x", profile: :network) end,
    "history_claim" => fn -> Workbooks.History.close(record.()) end,
    "history_call" => fn ->
      run = record.()
      for n <- 1..50, do: {:ok, _} = Workbooks.History.verdict(run, %{task_id: "task-#{n}", state: "DONE", how: "true", ts: n})
      {:ok, _} = Workbooks.History.close(run)
    end,
    "history_exchange" => fn -> :ok = Workbooks.History.exchange(plan, mib16, mib16) end,
    "history_ask" => fn ->
      Workbooks.History.close(record.())
      {:ok, [_ | _]} = Workbooks.History.runs(plan, kept)
    end,
    "operation_call" => fn ->
      {:ok, _} = Workbooks.Toolkits.Import.run(skill, output: Path.join(dir, "made-#{System.unique_integer([:positive])}"))
      {:ok, _} = Workbooks.Toolkits.Audit.run(skill)
      Workbooks.Schedule.in_plan(mib16)
      {:ok, _} = Workbooks.Session.start(sessions.(), "#+WORKFLOW: project.note 1.0.0\n" <> String.duplicate("* TODO Think\n", 100))
      {:ok, [_ | _]} = Workbooks.Toolkits.search("the", root: Path.dirname(Path.dirname(LEVELS)))
    end,
    "operation_reply" => fn -> {:ok, _} = Workbooks.Operations.call("run.list") end,
    "operation_event" => fn -> {:error, _} = Workbooks.Operations.call("run.start", %{plan: "/no/such/plan.org"}) end,
    "frame_read" => fn -> {:ok, _} = Workbooks.Native.read_frame(runtime, ~s({"id": 1, "op": "x", "params": {"json": #{json}}})) end,
    "server_start" => fn -> Enum.each(1..5, fn _ -> GenServer.stop(elem(Workbooks.Server.start_link(port: 0, name: :beat), 1)) end) end,
    "server_stop" => fn -> {:ok, pid} = Workbooks.Server.start_link(port: 0, name: :beat); GenServer.stop(pid) end,
    "server_dispatcher" => fn ->
      native = GenServer.call(:asked, :native)
      for _ <- 1..100, do: Workbooks.Native.server_dispatcher(native, Process.whereis(Workbooks.Operations))
    end,
    "server_call" => fn ->
      for _ <- 1..5 do
        {:ok, %{status: 200}} =
          Workbooks.Server.call("POST", "/api/plan.validate", [{"content-type", "application/json"}], body, server: :asked, scopes: [:read])
      end
    end,
    "session_open" => sessions,
    "transform_open" => fn -> {:ok, _} = Workbooks.KernelRegistry.load(levels) end,
    "transform_process" => fn ->
      for _ <- 1..50, do: {:ok, _} = Workbooks.KernelRegistry.process(kernel_in_a_loop, binary_part(page, 0, 1_000_000))
    end,
    "shell_run" => fn ->
      {:ok, %{stdout: "16777216\n"}} = Workbooks.Shell.run("head -c 16777216 /dev/zero | cat | wc -c")
      {:ok, %{status: 0}} = Workbooks.Shell.run("i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done")
    end
  }

  control = Workbooks.Heartbeat.control!()
  cores = :erlang.system_info(:logical_processors_available)
  rounds = for _ <- 1..ROUNDS, do: Workbooks.Heartbeat.gaps(control, cores, work[NIF])
  for file <- [dir | Path.wildcard(path <> "*")], do: File.rm_rf!(file)
  {ours, controls} = rounds |> Enum.map(fn {gap, there, _} -> {gap, there} end) |> Enum.unzip()
  kept = if Workbooks.Heartbeat.kept_time?(ours, controls), do: "kept", else: "lost"
  IO.puts("the scheduler #{kept} its time: #{inspect(ours)} us, beside #{inspect(controls)} us")
  """

  @nifs ~w(acceptance_check acceptance_read bundle_call conformance_check
           conformance_upgrade data_release data_take deploy_ask deploy_begin deploy_step disk_call disk_open dock_reply
           engine_author engine_places engine_variables frame_read history_ask history_call history_claim history_exchange
           instance_run json_decode kernel_call kernel_load lanes_build lanes_list operation_call operation_event
           operation_reply policy_table registry_call runtime_start server_call server_dispatcher server_start server_stop
           session_open shell_run transform_open transform_process)

  for nif <- @nifs do
    test "#{nif} leaves the scheduler its time" do
      output = rounds(unquote(nif))
      assert output =~ "the scheduler kept its time", output
    end
  end

  test "a scheduler that is blocked is noticed" do
    output = rounds("blocked")
    assert output =~ "the scheduler lost its time", output
  end

  test "the list above names every NIF" do
    nifs = for {name, arity} <- Workbooks.Native.__info__(:functions), nif?(name, arity), do: "#{name}"
    assert Enum.sort(nifs) == @nifs
  end

  defp rounds(nif) do
    script =
      @script
      |> String.replace("ROUNDS", "#{@rounds}")
      |> String.replace("NIF", inspect(nif))
      |> String.replace("LEVELS", inspect(Path.expand("toolkits/levels/levels.wasm")))
      |> String.replace("GUEST.", ~s[(&"#{Workbooks.Guests.dir()}/\#{&1}.wasm").])

    {output, 0} = OtherVM.run(script, erl: "+S 1:1")
    output
  end

  defp nif?(name, arity), do: {name, arity} in Workbooks.Native.module_info(:nifs)
end
