defmodule Workbooks.ServerTest do
  use Workbooks.RunCase, async: true

  import Workbooks.Eventually
  alias Workbooks.{HTTP, JSON, Operations, Server}

  @broken "* Flow :workflow:\n** Orphan :component:\n"

  # A server of the test's own.
  defp server!(context, opts \\ []) do
    name = :"server_#{context.test |> Atom.to_string() |> :erlang.phash2()}"
    pid = start_supervised!({Server, [name: name, port: 0] ++ opts})
    Map.merge(Server.info(name), %{name: name, pid: pid})
  end

  defp decode!(json), do: json |> JSON.decode() |> Error.bang()

  defp post(server, operation, params) do
    {:ok, body} = JSON.encode(params)
    {status, answer} = HTTP.ask(server.url, "POST", "/api/" <> operation, token: server.token, body: body)
    {status, decode!(answer)}
  end

  test "an operation has the same answer over HTTP, in process and in Elixir", context do
    server = server!(context)
    {:ok, expected} = Operations.call("plan.validate", %{org: @broken})
    assert post(server, "plan.validate", %{org: @broken}) == {200, expected}

    {:ok, body} = JSON.encode(%{org: @broken})
    opts = [server: server.name, scopes: [:read]]
    {:ok, response} = Server.call("POST", "/api/plan.validate", [], body, opts)
    assert {response.status, decode!(response.body)} == {200, expected}
    assert {"content-type", "application/json"} in response.headers
  end

  test "what Elixir owns is answered by the supervised process", context do
    server = server!(context)
    assert {200, runs} = post(server, "run.list", %{})
    assert is_list(runs)
    assert {404, %{"error" => %{"code" => "unknown_run"}}} = post(server, "run.status", %{run: "nobody"})
  end

  test "a run tells its events over a stream, and a failing check is heard", context do
    server = server!(context)

    File.write!(
      context.plan,
      "* TODO Build\n:PROPERTIES:\n:done-when: true\n:END:\n#+begin_src sh\necho hello\n#+end_src\n"
    )

    {:ok, body} = JSON.encode(%{plan: context.plan, history: context.history})
    test = self()

    assert :ok =
             Server.call("POST", "/api/run.start", [{"accept", "text/event-stream"}], body,
               server: server.name,
               scopes: [:run],
               into: &send(test, &1)
             )

    assert_received {:head, 200, headers}
    assert {"content-type", "text/event-stream"} in headers
    events = for {:data, piece} <- flush(), do: piece
    text = IO.iodata_to_binary(events)
    assert text =~ "\"event\":\"run_started\""
    assert text =~ "event: answer\n"
    assert File.read!(context.plan) =~ "* DONE Build"
  end

  test "scopes that the caller vouches for are all that is allowed", context do
    server = server!(context, listen: false)
    assert server.url == nil
    opts = [server: server.name, scopes: [:read]]
    assert {:ok, %{status: 403}} = Server.call("POST", "/api/token.list", [], "", opts)
    assert {:ok, %{status: 401}} = Server.call("POST", "/api/token.list", [], "", server: server.name)
    bearer = [{"authorization", "Bearer " <> server.token}]
    assert {:ok, %{status: 200}} = Server.call("POST", "/api/operation.list", bearer, "", server: server.name)
    assert_raise ArgumentError, ~r/unknown scope/, fn -> Server.call("GET", "/", [], "", scopes: [:root]) end
  end

  describe "an agent at /mcp" do
    setup context do
      server = server!(context, listen: false, directories: [context.tmp_dir])
      %{ask: fn method, params, scopes -> mcp(server.name, method, params, scopes) end}
    end

    @greeting %{protocolVersion: "2025-11-25", capabilities: %{}, clientInfo: %{name: "test", version: "1"}}

    test "is let in by a token that may look, and by no other", %{ask: ask} do
      assert {200, %{"serverInfo" => %{"name" => "workbooks"}}} = ask.("initialize", @greeting, [:read])
      assert {403, _} = ask.("initialize", @greeting, [:write])
      assert {401, _} = ask.("initialize", @greeting, nil)
    end

    defp mcp(server, method, params, scopes) do
      {:ok, body} = JSON.encode(%{jsonrpc: "2.0", id: 1, method: method, params: params})
      accept = {"accept", "application/json, text/event-stream"}
      headers = [{"host", "localhost"}, {"content-type", "application/json"}, accept]

      {:ok, %{status: status, body: body}} =
        Server.call("POST", "/mcp", headers, body, server: server, scopes: scopes)

      {status, result(status, body)}
    end

    # The answer is the last event of a stream.
    defp result(200, body) do
      [_, json] = Regex.run(~r/^data: ({.*)$/m, body)
      decode!(json)["result"]
    end

    defp result(_refused, body), do: decode!(body)
  end

  test "a caller that dies cancels its call", context do
    server = server!(context, listen: false)
    File.write!(context.plan, "* TODO Wait\n")
    {:ok, body} = JSON.encode(%{plan: context.plan, history: context.history, worker: "wait"})
    opts = [server: server.name, scopes: [:run]]
    caller = spawn(fn -> Server.call("POST", "/api/run.start", [], body, opts) end)
    running? = fn -> Enum.any?(Run.list!(), &(&1.plan == context.plan and &1.state == :running)) end
    eventually(running?)
    Process.exit(caller, :kill)
    eventually(fn -> not running?.() end)
  end

  test "a killed owner closes its listener", context do
    server = server!(context)
    {:ok, idle} = HTTP.connect(server.url)
    :ok = stop_supervised_child(server)
    assert {:error, :closed} = :gen_tcp.recv(idle, 0, 60_000)
    eventually(fn -> match?({:error, :econnrefused}, HTTP.connect(server.url)) end)
  end

  # Without a word to it, as a crash of the VM's own would be.
  defp stop_supervised_child(server) do
    Process.flag(:trap_exit, true)
    {:ok, pid} = Server.start_link(name: :doomed, port: 0)
    %{url: url} = Server.info(:doomed)
    {:ok, held} = HTTP.connect(url)
    Process.exit(pid, :kill)
    assert_receive {:EXIT, ^pid, :killed}
    assert {:error, :closed} = :gen_tcp.recv(held, 0, 60_000)
    eventually(fn -> match?({:error, :econnrefused}, HTTP.connect(url)) end)
    stop_supervised!(server.name)
  end

  test "a wider address is refused without TLS" do
    Process.flag(:trap_exit, true)

    assert {:error, %Error{code: :bad_option} = error} =
             Server.start_link(name: :wide, bind: "0.0.0.0", port: 0)

    assert error.message =~ "no TLS"
    assert {:error, %Error{code: :bad_option}} = Server.start_link(name: :wide, bind: "here", port: 0)
    assert {:error, %Error{code: :bad_option}} = Server.start_link(name: :wide, port: 0, tls: ["no", "no"])
  end

  test "two listeners cannot have one port", context do
    server = server!(context)
    Process.flag(:trap_exit, true)
    port = URI.parse(server.url).port
    assert {:error, %Error{code: :conflict}} = Server.start_link(name: :second, port: port)
  end

  test "options that make no sense are refused by name" do
    for options <- [[port: 70_000], [bind: 7], [tls: ["one"]], [listen: :yes], [nothing: 1]] do
      assert_raise ArgumentError, fn -> Server.start_link(options) end
      assert_raise ArgumentError, fn -> Workbooks.Config.new!(server: options) end
    end

    assert Workbooks.Config.new!([]).server == false
  end

  defp flush do
    receive do
      message -> [message | flush()]
    after
      0 -> []
    end
  end
end
