defmodule Workbooks.HeartbeatTest do
  # With one scheduler, a NIF that works instead of handing over stops every process. A 1 ms ticker feels it.
  use ExUnit.Case, async: false

  alias Workbooks.OtherVM

  @moduletag timeout: 120_000

  # A busy machine can delay the ticker now and then; a blocked scheduler delays it in every round.
  @rounds 8

  @script ~S"""
  {:ok, _} = Application.ensure_all_started(:workbooks)

  {:ok, runtime} = Workbooks.Kernel.runtime()
  cache = Workbooks.Config.new!([]).cache_dir
  kernel = Application.app_dir(:workbooks, "priv/wasm/oql.wasm")
  mib16 = String.duplicate("* TODO Task :tag:\nSome text below it.\n", div(16 * 1024 * 1024, 38))
  json = "[" <> String.duplicate("[1,2,3],", 100_000) <> "0]"
  # A component with a custom section of 8 MiB: its length is 0x800004 in LEB128.
  pad = <<3, "pad", 0::size(8 * 1024 * 1024)-unit(8)>>
  large = File.read!(GUEST.("echo")) <> <<0, 0x84, 0x80, 0x80, 0x04>> <> pad
  path = Path.join(System.tmp_dir!(), "workbooks-heartbeat-#{System.pid()}.sqlite")
  disk = Workbooks.VFS.open!(path)
  page = binary_part(mib16, 0, 8_000_000)
  Workbooks.Dock.put_handler(:llm, fn _, _ -> {:ok, page} end)

  work = %{
    "start" => fn -> Workbooks.Native.start(4, 10, cache) end,
    "kernel_load" => fn -> {:ok, _} = Workbooks.Native.load_kernel(runtime, kernel) end,
    "kernel_call" => fn -> Workbooks.OQL.validate(mib16) end,
    "json_decode" => fn -> {:ok, _} = Workbooks.JSON.decode(json) end,
    "instance_run" => fn ->
      {:ok, _} = Workbooks.Instance.run(large, "x")
      {:ok, _} = Workbooks.Instance.run(GUEST.("echo"), page)
    end,
    "command_register" => fn -> :ok = Workbooks.Dock.register_command("upper", GUEST.("upper")) end,
    "conformance_check" => fn -> :ok = Workbooks.Conformance.engine?(large) end,
    "conformance_upgrade" => fn -> :ok = Workbooks.Conformance.check_upgrade(large, large) end,
    "disk_open" => fn -> Workbooks.VFS.close!(Workbooks.VFS.open!(path)) end,
    "disk_call" => fn -> for _ <- 1..5, do: Workbooks.VFS.write!(disk, "large", mib16) end,
    "dock_reply" => fn -> {:ok, _} = Workbooks.Instance.run(GUEST.("block_in_host"), "x", profile: :network) end
  }

  slips = for _ <- 1..ROUNDS, do: elem(Workbooks.Heartbeat.slip(work[NIF]), 0)
  for file <- Path.wildcard(path <> "*"), do: File.rm!(file)
  IO.puts("best #{Enum.min(slips)} us of #{inspect(slips)}")
  """

  @nifs ~w(command_register conformance_check conformance_upgrade disk_call disk_open dock_reply instance_run
           json_decode kernel_call kernel_load start)

  for nif <- @nifs do
    test "#{nif} delays a 1 ms ticker by less than 10 ms" do
      script =
        @script
        |> String.replace("ROUNDS", "#{@rounds}")
        |> String.replace("NIF", inspect(unquote(nif)))
        |> String.replace("GUEST.", ~s[(&"#{Workbooks.Guests.dir()}/\#{&1}.wasm").])

      {output, 0} = OtherVM.run(script, erl: "+S 1:1")
      [_, best] = Regex.run(~r/best (\d+) us/, output)
      assert String.to_integer(best) < 10_000, output
    end
  end

  test "the list above names every NIF" do
    nifs = for {name, arity} <- Workbooks.Native.__info__(:functions), nif?(name, arity), do: "#{name}"
    assert Enum.sort(nifs) == @nifs
  end

  defp nif?(name, arity), do: {name, arity} in Workbooks.Native.module_info(:nifs)
end
