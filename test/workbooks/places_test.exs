defmodule Workbooks.PlacesTest do
  use ExUnit.Case, async: true

  alias Workbooks.{Config, OtherVM}

  @dirs [:cache_dir, :registry_dir, :data_dir, :cold_dir, :history_dir, :sessions_dir, :toolkits_dir]

  test "the variables that count are those of the VM" do
    script = """
    System.put_env("HOME", "/home/ada")
    for name <- ["XDG_CACHE_HOME", "XDG_DATA_HOME", "WORKBOOKS_SESSIONS"], do: System.delete_env(name)
    System.put_env("XDG_STATE_HOME", "/state")
    config = Workbooks.Config.new!(registry_dir: "/commands")
    for key <- #{inspect(@dirs)}, do: IO.puts("\#{key} \#{Map.fetch!(config, key)}")
    System.put_env("XDG_STATE_HOME", "relative/is/ignored")
    System.put_env("WORKBOOKS_SESSIONS", "/sessions")
    config = Workbooks.Config.new!(data_dir: "/data")
    for key <- [:cold_dir, :history_dir, :sessions_dir], do: IO.puts("\#{key} \#{Map.fetch!(config, key)}")
    """

    assert OtherVM.run(script) ==
             {"""
              cache_dir /home/ada/.cache/workbooks
              registry_dir /commands
              data_dir /home/ada/.local/share/workbooks
              cold_dir /home/ada/.local/share/workbooks/cold
              history_dir /state/workbooks/history
              sessions_dir /state/workbooks/sessions
              toolkits_dir /state/workbooks/toolkits
              cold_dir /data/cold
              history_dir /home/ada/.local/state/workbooks/history
              sessions_dir /sessions
              """, 0}
  end

  test "without a HOME everything works that needs no directory, and the rest says what to give" do
    script = """
    for name <- Workbooks.Native.engine_variables(), do: System.delete_env(name)
    Application.load(:workbooks)
    Application.put_env(:workbooks, :cache_dir, #{inspect(Config.new!([]).cache_dir)})
    Application.put_env(:workbooks, :registry_dir, "/nowhere")
    Application.delete_env(:workbooks, :data_dir)
    {:ok, _} = Application.ensure_all_started(:workbooks)
    [] = Workbooks.OQL.validate("* A")
    {:ok, %{status: 0, stdout: "hi\\n"}} = Workbooks.Shell.run("echo hi", [])

    for {answer, key} <- [
          {Workbooks.Lifecycle.create("w"), "data_dir"},
          {Workbooks.History.runs("plan.org"), "history_dir"},
          {Workbooks.Run.start("plan.org"), nil},
          {Workbooks.Session.open(), "sessions_dir"},
          {Workbooks.Toolkits.list(), "toolkits_dir"},
          {Workbooks.KernelRegistry.names(), "toolkits_dir"}
        ] do
      {:error, %Workbooks.Error{} = error} = answer
      if key, do: {:bad_option, true} = {error.code, error.hint =~ key <> ":"}
    end

    IO.puts("all of it")
    """

    assert OtherVM.run(script) == {"all of it\n", 0}
  end

  @tag :tmp_dir
  test "the history and the sessions of the configuration are the default ones", %{tmp_dir: dir} do
    script = """
    Application.load(:workbooks)
    for key <- [:history_dir, :sessions_dir], do: Application.put_env(:workbooks, key, "#{dir}/\#{key}")
    Application.put_env(:workbooks, :data_dir, nil)
    {:ok, _} = Application.ensure_all_started(:workbooks)
    File.mkdir_p!("#{dir}/work")
    File.write!("#{dir}/work/plan.org", "* TODO A\\n:done-when: true\\n")
    {:ok, run} = Workbooks.Run.start("#{dir}/work/plan.org")
    %{state: :done} = Workbooks.Run.await!(run)
    [] = Workbooks.Run.audit!("#{dir}/work/plan.org")
    {:ok, sessions} = Workbooks.Session.open()
    {:ok, _} = Workbooks.Session.start(sessions, "#+WORKFLOW: project.note 1.0.0\\n* TODO Think\\n")
    """

    assert OtherVM.run(script) == {"", 0}
    assert Enum.sort(File.ls!(dir)) == ["history_dir", "sessions_dir", "work"]
    assert "key" in File.ls!(Path.join(dir, "history_dir"))
  end

  test "what the configuration can give is what the table of places has" do
    keys = Workbooks.Native.engine_places([], []) |> Map.keys() |> Enum.sort()
    assert keys == Enum.sort(Enum.map([:kernel, :batteries, :lanes | @dirs], &Atom.to_string/1))
  end
end
