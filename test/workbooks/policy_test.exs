defmodule Workbooks.PolicyTest do
  use ExUnit.Case, async: true

  alias Workbooks.{Config, Guests, Instance, OtherVM, Policy}

  @minimal ~w(vfs commands exec kv secrets queue tcp udp tls)
  @network @minimal ++ ~w(net llm browse)
  @posix @network ++ ~w(posix parallel)

  for {name, memory, time, capabilities} <- [
        {:compute, 64, 5, ~w(vfs)},
        {:minimal, 64, 5, @minimal},
        {:network, 128, 30, @network},
        {:posix, 256, 60, @posix}
      ] do
    test "#{name} is #{memory} MiB, #{time} s, #{Enum.join(capabilities, " ")}" do
      assert Policy.profile(unquote(name)) == %{
               name: unquote(to_string(name)),
               memory_mib: unquote(memory),
               time_s: unquote(time),
               capabilities: unquote(capabilities)
             }
    end
  end

  test "whatever is not in the table is compute" do
    for name <- [:unknown, "Posix", "posix ", "", nil, 7, ["posix"], {:posix}, <<255>>] do
      assert Policy.profile(name).name == "compute"
    end
  end

  test "a use names its capability, and an unknown one names none" do
    for {use, capability} <- [
          {"workbook:fs", "vfs"},
          {"workbook:commands", "commands"},
          {"workbook:net/email", "net"},
          {"workbook:net/http/get", "net"},
          {"workbook:llm", "llm"},
          {"workbook:browse", "browse"},
          {"workbook:parallel", "parallel"},
          {"tls", "tls"},
          {"posix", "posix"},
          {"workbook:net", nil},
          {"workbook:net/", nil},
          {"workbook:llm/x", nil},
          {"workbook:net/*x", "net"},
          {"root", nil},
          {"", nil}
        ] do
      assert Policy.capability_of_use(use) == capability, use
    end
  end

  # Which Dock import each built-in profile opens; the fixture asks one function per call, and imports them all.
  for {profile, verdict} <- [
        compute: {:not_granted, ["run-command", "llm-complete", "browse-fetch", "run-command-many"]},
        minimal: {:not_granted, ["llm-complete", "browse-fetch", "run-command-many"]},
        network: {:not_granted, ["run-command-many"]},
        posix: :ok
      ] do
    test "a component with every Dock import under #{profile}: #{inspect(verdict)}" do
      answer = Instance.run(Guests.path("dock_all"), "session-info", profile: unquote(profile))

      case unquote(verdict) do
        :ok ->
          assert {:ok, _} = answer

        {:not_granted, imports} ->
          assert {:error,
                  %Workbooks.Error{code: :not_granted, details: %{import: import, capability: capability}}} =
                   answer

          assert import in imports
          assert capability == capability_of(import)
      end
    end
  end

  defp capability_of("run-command"), do: "commands"
  defp capability_of("llm-complete"), do: "llm"
  defp capability_of("browse-fetch"), do: "browse"
  defp capability_of("run-command-many"), do: "parallel"

  test "a guest reaches no directory and no environment, and sockets only where they are granted" do
    {:ok, listener} = :gen_tcp.listen(0, ip: {127, 0, 0, 1}, active: false)
    {:ok, port} = :inet.port(listener)
    ask = &Instance.run(Guests.path("reach_out"), "127.0.0.1:#{port}", profile: &1)
    nothing = "environment: 0\narguments: 0\ndirectory: refused\nstdin: open 0\nsocket: "

    assert ask.(:compute) == {:ok, nothing <> "refused"}
    assert ask.(:minimal) == {:ok, nothing <> "open"}
  end

  test "an application's own profile is in force, beside the built-in ones" do
    script = ~s"""
    Application.load(:workbooks)
    profiles = %{"tiny" => %{memory_mib: 4, time_s: 1, capabilities: ["vfs", "commands", "flying"]}}
    Application.put_env(:workbooks, :profiles, profiles)
    {:ok, _} = Application.ensure_all_started(:workbooks)
    {:error, error} = Workbooks.Instance.run("#{Guests.path("eat_memory")}", "8", profile: :tiny)
    IO.inspect(error.code)
    IO.inspect(Workbooks.Policy.profile("tiny").capabilities)
    IO.inspect(Workbooks.Policy.profile("compute").memory_mib)
    IO.inspect("flying" in Workbooks.Policy.uses())
    """

    assert OtherVM.run(script) ==
             {":memory_limit\n[\"vfs\", \"commands\", \"flying\"]\n64\nfalse\n", 0}
  end

  test "the names that config reserves are the names in the table" do
    good = %{memory_mib: 1, time_s: 1, capabilities: []}

    for name <- ["compute", "minimal", "network", "posix"] do
      assert Policy.profile(name).name == name
      assert_raise ArgumentError, ~r/built in/, fn -> Config.new!(profiles: %{name => good}) end
    end

    assert Config.new!(profiles: %{"mine" => good}).profiles == %{"mine" => good}
  end

  test "a profile that makes no sense keeps the application from starting" do
    for wrong <- [
          %{memory_mib: 0, time_s: 1, capabilities: []},
          %{memory_mib: 1_000, time_s: 1, capabilities: []},
          %{memory_mib: 1, time_s: 0, capabilities: []},
          %{memory_mib: 1, time_s: 1, capabilities: [:vfs]},
          %{memory_mib: 1, time_s: 1},
          %{memory_mib: 1, time_s: 1, capabilities: [], more: 1}
        ] do
      assert_raise ArgumentError, ~r/:profiles/, fn -> Config.new!(profiles: %{"mine" => wrong}) end
    end
  end
end
