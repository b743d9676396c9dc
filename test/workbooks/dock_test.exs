defmodule Workbooks.DockTest do
  # Handlers are the application's, so these tests take turns.
  use ExUnit.Case, async: false

  import Workbooks.Eventually
  alias Workbooks.{Config, Dock, Guests, Instance}

  defmodule Shout do
    @behaviour Workbooks.Dock.Handler

    @impl true
    def answer(prompt, session), do: {:ok, "#{String.upcase(prompt)} for #{session["tenant"]}"}

    def by_name(url, _session), do: {:error, "no such page: #{url}"}
  end

  setup do
    before = Application.get_env(:workbooks, :dock, [])
    Application.put_env(:workbooks, :dock, [])
    on_exit(fn -> Application.put_env(:workbooks, :dock, before) end)
  end

  defp ask(question, opts \\ []) do
    opts = Keyword.merge([profile: :posix, session: %{tenant: "acme"}], opts)
    Instance.run(Guests.path("dock_all"), question, opts)
  end

  test "without a handler the guest is told so" do
    assert ask("llm-complete hi") == {:ok, "error: no llm handler is configured"}
    assert ask("browse-fetch http://x") == {:ok, "error: no browse handler is configured"}
  end

  test "a handler is a module, a module with a function, or a function" do
    Dock.put_handler(:llm, Shout)
    assert ask("llm-complete hi") == {:ok, "HI for acme"}
    Dock.put_handler(:browse, {Shout, :by_name})
    assert ask("browse-fetch http://x") == {:ok, "error: no such page: http://x"}
    Dock.put_handler(:llm, fn prompt, session -> {:ok, prompt <> " under " <> session["profile"]} end)
    assert ask("llm-complete hi") == {:ok, "hi under posix"}
  end

  for {what, handler, answer} <- [
        {"raises", quote(do: fn _, _ -> raise "oops" end), "error: the llm handler crashed"},
        {"exits", quote(do: fn _, _ -> exit(:gone) end), "error: the llm handler crashed"},
        {"gives no text", quote(do: fn _, _ -> {:ok, 7} end), "error: the llm handler gave no text"},
        {"gives bytes that are no text", quote(do: fn _, _ -> {:ok, <<255>>} end),
         "error: the answer is not text"}
      ] do
    @tag :capture_log
    test "a handler that #{what} is an error for the guest, not for the Dock" do
      dock = Dock.whereis()
      Dock.put_handler(:llm, unquote(handler))
      assert ask("llm-complete hi") == {:ok, unquote(answer)}
      assert Dock.whereis() == dock
    end
  end

  test "a guest that waits for a handler that never answers is stopped at its deadline, and so is the handler" do
    test = self()

    Dock.put_handler(:llm, fn _, _ ->
      send(test, {:asked, self()})
      Process.sleep(:infinity)
    end)

    answer = Instance.run(Guests.path("block_in_host"), "hi", profile: :network, timeout: 300)
    assert {:error, %Workbooks.Error{code: :cpu_timeout}} = answer
    assert_receive {:asked, handler}
    down = Process.monitor(handler)
    assert_receive {:DOWN, ^down, :process, ^handler, _}
  end

  test "when the caller dies the handler is stopped as well" do
    test = self()

    Dock.put_handler(:llm, fn _, _ ->
      send(test, {:asked, self()})
      Process.sleep(:infinity)
    end)

    caller = spawn(fn -> ask("llm-complete hi") end)
    assert_receive {:asked, handler}
    down = Process.monitor(handler)
    Process.exit(caller, :kill)
    assert_receive {:DOWN, ^down, :process, ^handler, _}
  end

  @tag :capture_log
  test "when the Dock dies in the middle the guest is told, and the next question is answered" do
    Dock.put_handler(:llm, fn prompt, _ ->
      if prompt == "kill", do: Process.exit(Dock.whereis(), :kill)
      if prompt == "kill", do: Process.sleep(:infinity)
      {:ok, prompt}
    end)

    assert ask("llm-complete kill") == {:ok, "error: the Dock did not answer"}
    assert eventually(fn -> ask("llm-complete on") == {:ok, "on"} end)
  end

  test "many guests ask at once, and each gets its own answer" do
    Dock.put_handler(:llm, fn prompt, _ -> {:ok, prompt} end)

    answers =
      1..200
      |> Enum.map(fn n -> Task.async(fn -> {n, ask("llm-complete #{n}")} end) end)
      |> Task.await_many(30_000)

    for {n, answer} <- answers, do: assert(answer == {:ok, "#{n}"})
  end

  test "an instance process keeps nobody waiting: its calls run beside each other" do
    test = self()

    Dock.put_handler(:llm, fn prompt, _ ->
      send(test, {:asked, self()})
      receive do: (:answer -> {:ok, prompt})
    end)

    {:ok, pid} =
      Instance.start_link(component: Guests.path("block_in_host"), profile: :network, timeout: 60_000)

    calls = for n <- 1..20, do: Task.async(fn -> Instance.call(pid, "#{n}") end)
    # Nobody is answered until all have asked.
    asked = for _ <- 1..20, do: assert_receive({:asked, _})
    for {:asked, handler} <- asked, do: send(handler, :answer)
    assert Task.await_many(calls, :infinity) == for(n <- 1..20, do: {:ok, "#{n}"})
  end

  test "an answer of several MiB arrives whole" do
    Dock.put_handler(:browse, fn _, _ -> {:ok, String.duplicate("page ", 1_000_000)} end)
    assert {:ok, page} = ask("browse-fetch http://x")
    assert byte_size(page) == 5_000_000
  end

  test "what is no handler is refused" do
    assert_raise ArgumentError, ~r/:dock/, fn -> Dock.put_handler(:llm, fn _ -> :ok end) end
    assert_raise ArgumentError, ~r/:dock/, fn -> Dock.put_handler(:teleport, Shout) end
    assert_raise ArgumentError, ~r/:dock/, fn -> Config.new!(dock: [llm: nil]) end
  end

  test "a command that does not exist is not found" do
    assert ask("run-command x") == {:ok, "error: x: exit status 127: command not found"}
  end
end
