defmodule Workbooks.ToolkitsTest do
  use ExUnit.Case, async: false

  alias Workbooks.{DataSource, Error, KernelRegistry, Toolkits}
  alias Workbooks.Toolkits.Sync

  @moduletag :tmp_dir

  setup %{tmp_dir: dir} do
    Application.put_env(:workbooks, :toolkits_dir, Path.join(dir, "state"))
    on_exit(fn -> Application.delete_env(:workbooks, :toolkits_dir) end)
  end

  defp toolkit(dir, keywords, skill \\ "* Overview\n") do
    path = Path.join(dir, "toolkits/it")
    File.mkdir_p!(Path.join(path, "skills"))

    File.write!(Path.join(path, "manifest.org"), """
    #+TITLE: It
    #+TOOLKIT: it
    #+VERSION: 1.0.0
    #+STATUS: stable
    #+TAGLINE: When
    #{keywords}* It :toolkit:
    :PROPERTIES:
    :ID: it
    :END:
    """)

    File.write!(Path.join(path, "skills/overview.org"), skill)
    [root: Path.join(dir, "toolkits")]
  end

  # A server of one answer after another; it hands each request to the test.
  defp serve(answers) do
    test = self()
    {:ok, listen} = :gen_tcp.listen(0, [:binary, active: false, ip: {127, 0, 0, 1}, reuseaddr: true])
    {:ok, port} = :inet.port(listen)

    spawn_link(fn ->
      for answer <- answers do
        {:ok, socket} = :gen_tcp.accept(listen)
        {:ok, request} = :gen_tcp.recv(socket, 0)
        send(test, {:request, request})
        :ok = :gen_tcp.send(socket, answer)
        :gen_tcp.close(socket)
      end
    end)

    "http://127.0.0.1:#{port}"
  end

  defp ok(body),
    do: "HTTP/1.1 200 OK\r\ncontent-length: #{byte_size(body)}\r\nconnection: close\r\n\r\n#{body}"

  test "a kernel is built, opened by name, and called in a loop" do
    assert {:error, %Error{code: :not_found}} = KernelRegistry.open("levels")
    assert {:ok, %{"shape" => "kernel", "name" => "levels"}} = Toolkits.build("levels")
    assert {:ok, %{"levels" => <<_::binary-size(64)>>}} = KernelRegistry.names()
    {:ok, levels} = KernelRegistry.open("levels")
    for _ <- 1..100, do: assert({:ok, <<0, 128, 255>>} = KernelRegistry.process(levels, <<50, 100, 150>>))
    too_many = :binary.copy(<<9>>, 1_048_577)
    assert {:error, %Workbooks.Error{code: :trap}} = KernelRegistry.process(levels, too_many)
    assert {:ok, <<>>} = KernelRegistry.process(levels, <<>>)
  end

  test "a kernel whose artifact was touched is not opened", %{tmp_dir: dir} do
    {:ok, %{"sha256" => sha256}} = Toolkits.build("levels")
    File.write!(Path.join(dir, "state/kernels/#{sha256}.wasm"), "x")
    assert {:error, %Error{code: :corrupt}} = KernelRegistry.open("levels")
    {:ok, %{"text" => text}} = Toolkits.verify("levels")
    assert text =~ "not registered yet"
  end

  test "a component is built and called through an instance" do
    assert {:error, %Error{code: :not_found}} = Toolkits.call("contents", "# A")
    {:ok, _} = Toolkits.build("contents")

    assert {:ok, "- [[#guide][Guide]]\n  - [[#set-up][Set up]]\n  - [[#set-up-1][Set up]]\n"} =
             Toolkits.call("contents", "# Guide\n## Set up\n```\n# no\n```\n## Set up ##\n")
  end

  test "a command is built and is a word of the shell", %{tmp_dir: dir} do
    {:ok, %{"name" => "csv"}} = Toolkits.build("csv")
    File.write!(Path.join(dir, "p.csv"), "a,\"b, c\"\n")
    assert {:ok, %{stdout: "b, c\n"}} = Workbooks.Shell.run("csv < p.csv | cut -f2", workdir: dir)
    :ok = Workbooks.CommandRegistry.unregister("csv")
  end

  test "a recipe runs only where that is allowed", %{tmp_dir: dir} do
    File.write!(Path.join(dir, "a.txt"), "one two\nthree\n")
    System.delete_env("WB_TOOLKIT_EXEC")
    assert {:error, %Error{code: :execution_is_off}} = Toolkits.run("tally", "words", ["a.txt"], workdir: dir)
    System.put_env("WB_TOOLKIT_EXEC", "1")
    on_exit(fn -> System.delete_env("WB_TOOLKIT_EXEC") end)

    assert {:ok, %{"stdout" => "3\n", "status" => 0}} =
             Toolkits.run("tally", "words", ["a.txt"], workdir: dir)
  end

  test "what is fetched for a build has to have the pinned hash", %{tmp_dir: dir} do
    wasm = File.read!("toolkits/levels/levels.wasm")
    sha256 = Base.encode16(:crypto.hash(:sha256, wasm), case: :lower)
    url = serve([ok(wasm), ok("other")])
    opts = toolkit(dir, "#+EXEC: kernel\n#+BUILD_SRC: wasm:#{url}/k.wasm\n#+SHA256: #{sha256}\n")
    assert {:ok, %{"sha256" => ^sha256}} = Toolkits.build("it", opts)
    assert {:error, %Error{code: :hash_mismatch}} = Toolkits.build("it", opts)
  end

  test "a lane that is not there says what to do", %{tmp_dir: dir} do
    opts = toolkit(dir, "#+EXEC: kernel\n#+BUILD_LANG: zig\n#+BUILD_SRC: path:skills\n")

    assert {:error, %Workbooks.Error{code: :lane_unavailable, details: %{lang: "zig"}, hint: hint}} =
             Toolkits.build("it", opts)

    assert hint =~ "wasm"
  end

  test "a federation is asked in SQL over real HTTP, and its secrets go where they should", %{tmp_dir: dir} do
    body = ~s({"data": [{"id": 1, "state": "open"}, {"id": 2, "state": "shut"}]})
    url = serve([ok(body), "HTTP/1.1 500 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"])

    opts =
      toolkit(
        dir,
        "#+EXEC: federation\n#+CAPS: net\n#+URL: #{url}/rows?team={TEAM}\n#+ROWS_PATH: data\n#+ENTITY: issues\n#+ENV_KEYS: TEAM TOKEN\n"
      )

    env = &Map.get(%{"TEAM" => "a b", "TOKEN" => "s3cret"}, &1)
    sql = "SELECT id FROM issues WHERE state = 'open'"
    asked = [env: env] ++ opts
    assert {:ok, %{"columns" => ["id"], "rows" => [[1]]}} = DataSource.query("it", sql, asked)
    assert_received {:request, request}
    assert request =~ "GET /rows?team=a%20b HTTP/1.1"
    assert request =~ ~r/authorization: Bearer s3cret/i

    assert {:error, %Error{code: :fetch_failed} = error} = Toolkits.query("it", sql, asked)
    refute inspect(error) =~ "s3cret"
    assert {:error, %Error{code: :not_granted}} = Toolkits.query("it", sql, [profile: :minimal] ++ asked)
    assert {:error, %Error{code: :bad_option, message: message}} = Toolkits.query("it", sql, opts)
    assert message =~ "TEAM"
  end

  test "a source may be a function, and only SELECT is run" do
    feed = ~s({"features": [{"id": "us1", "properties": {"mag": 6.1}}]})
    fetch = fn "https://earthquake.usgs.gov" <> _, [] -> {:ok, feed} end
    sql = "SELECT json_extract(properties, '$.mag') FROM quakes"
    assert {:ok, %{"rows" => [[6.1]]}} = Toolkits.query("quakes", sql, fetch: fetch)
    assert {:error, %Error{code: :denied}} = Toolkits.query("quakes", "DELETE FROM quakes", fetch: fetch)

    assert {:error, %Error{code: :bad_rows}} =
             Toolkits.query("quakes", sql, fetch: fn _, _ -> {:ok, "{}"} end)

    assert {:error, %Error{code: :bad_rows}} =
             Toolkits.query("quakes", sql, fetch: fn _, _ -> {:ok, <<255>>} end)
  end

  test "a sync mirrors rows to tasks, again and again, and keeps what people wrote", %{tmp_dir: dir} do
    file = Path.join(dir, "quakes.org")
    test = self()
    {:ok, rows} = Agent.start_link(fn -> ~s({"features": [{"id": "us1", "title": "Fiji"}]}) end)

    fetch = fn _, _ ->
      send(test, :fetched)
      {:ok, Agent.get(rows, & &1)}
    end

    {:ok, sync} = Sync.start_link(toolkit: "quakes", file: file, every: 50, fetch: fetch)
    assert_receive :fetched
    assert :ok = Sync.pass(sync)
    text = File.read!(file)
    assert text =~ "** TODO Fiji :task:"
    for _ <- 1..2, do: assert_receive(:fetched, 1_000)
    assert File.read!(file) == text
    GenServer.stop(sync)

    File.write!(file, String.replace(text, "** TODO Fiji", "** DONE Fiji"))
    Agent.update(rows, fn _ -> ~s({"features": [{"id": "us2", "title": "Oslo"}]}) end)
    assert :ok = Sync.once("quakes", file, fetch: fetch)
    text = File.read!(file)
    assert text =~ "** DONE Fiji :task:" and text =~ ":GONE: yes" and text =~ "** TODO Oslo :task:"
  end

  test "signing and granting, as a deployer would", %{tmp_dir: dir} do
    opts = toolkit(dir, "#+CAPS: net\n")
    history = [history: Path.join(dir, "history")]
    {:ok, %{"files" => 2, "did" => "did:key:" <> _}} = Toolkits.sign("it", opts ++ history)
    assert {:ok, %{"ok" => true, "text" => text}} = Toolkits.verify("it", opts)
    assert text =~ "all 2 files as signed by"
    assert {:ok, %{"caps" => ["net"]}} = Toolkits.grant("it", [:net, :vfs], opts)
    File.write!(Path.join(dir, "toolkits/it/skills/overview.org"), "* Changed\n")
    assert {:ok, %{"ok" => false, "text" => text}} = Toolkits.verify("it", opts)
    assert text =~ "✗ trust: skills/overview.org is not as it was signed"
  end

  test "options that nobody knows are refused" do
    assert {:error, %Error{code: :bad_option}} = Toolkits.list(depth: 3)
    assert {:error, %Error{code: :no_toolkits}} = Toolkits.list(root: "/no/such/place")
  end
end
