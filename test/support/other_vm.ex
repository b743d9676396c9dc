defmodule Workbooks.OtherVM do
  @moduledoc "Runs a script in a VM of its own: for what must not, or cannot, happen to the VM of the tests."

  # A data directory has one owner, and tests run side by side: a script that needs one sets its own.
  @without_data "-workbooks data_dir nil"

  @doc "Evaluates `script` with the application's code; gives what it printed and the exit status."
  def run(script, opts \\ []) do
    args = [
      "--erl",
      "#{@without_data} #{opts[:erl]}",
      "-pa",
      Keyword.get(opts, :app, Application.app_dir(:workbooks)) <> "/ebin",
      "-e",
      script
    ]

    [command | args] = Keyword.get(opts, :under, []) ++ ["elixir" | args]
    System.cmd(command, args, stderr_to_stdout: true)
  end

  @doc "The same as a port that gives lines, for a test that does not wait for the end."
  def open(script) do
    args = ["--erl", @without_data, "-pa", Application.app_dir(:workbooks) <> "/ebin", "-e", script]
    options = [:binary, :exit_status, line: 10_000, args: args]
    Port.open({:spawn_executable, System.find_executable("elixir")}, options)
  end

  @doc "A copy of the application whose `priv` the test may spoil."
  def copy_app!(dir) do
    app = Path.join(dir, "workbooks")
    File.mkdir_p!(app)
    # Mix links priv instead of copying it, and a copy of the link would still be the original.
    {_, 0} =
      System.cmd("cp", [
        "-RL",
        Application.app_dir(:workbooks, "ebin"),
        Application.app_dir(:workbooks, "priv"),
        app
      ])

    app
  end
end
