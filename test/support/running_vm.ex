defmodule Workbooks.RunningVM do
  @moduledoc "A VM of its own that a test talks to: for what happens between two of them."

  import ExUnit.Assertions

  @loop """
  loop = fn loop ->
    case IO.gets("") do
      line when is_binary(line) ->
        {value, _} = Code.eval_string(String.trim_trailing(line))
        IO.puts("=> " <> inspect(value, limit: :infinity, printable_limit: :infinity))
        loop.(loop)

      _closed ->
        System.halt(0)
    end
  end

  loop.(loop)
  """

  @doc "Starts a VM with the application's code and this configuration; `Workbooks` is not started yet."
  def start!(config) do
    set =
      for {key, value} <- config, do: "Application.put_env(:workbooks, #{inspect(key)}, #{inspect(value)})\n"

    script = ["Logger.configure(level: :none)\nApplication.load(:workbooks)\n", set, @loop]
    vm = Workbooks.OtherVM.open(IO.iodata_to_binary(script))
    {:os_pid, pid} = Port.info(vm, :os_pid)
    ExUnit.Callbacks.on_exit(fn -> System.cmd("kill", ["-9", "#{pid}"], stderr_to_stdout: true) end)
    vm
  end

  @doc "Evaluates one line of code there, and gives what `inspect/1` says of its value."
  def ask(vm, code) do
    refute code =~ "\n"
    Port.command(vm, code <> "\n")
    receive_answer(vm)
  end

  defp receive_answer(vm) do
    receive do
      {^vm, {:data, {:eol, "=> " <> answer}}} -> answer
      {^vm, {:data, {_, _other}}} -> receive_answer(vm)
      {^vm, {:exit_status, status}} -> flunk("the VM ended with status #{status}")
    after
      60_000 -> flunk("the VM does not answer")
    end
  end

  @doc "Ends it as `kill -9` does, and waits until it is gone."
  def kill!(vm) do
    # What was started is a script that becomes the VM.
    pid = ask(vm, "System.pid()") |> String.trim("\"")
    {_, 0} = System.cmd("kill", ["-9", pid])
    assert_receive {^vm, {:exit_status, _}}, 60_000
  end
end
