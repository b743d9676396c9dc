defmodule Workbooks.ServerRestartTest do
  # It kills a process that everybody uses.
  use ExUnit.Case, async: false

  import Workbooks.Eventually
  alias Workbooks.{Operations, Server}

  test "the server asks the process that answers live operations now, not the one that crashed" do
    start_supervised!({Server, listen: false, name: :restarted})
    ask = fn -> Server.call("POST", "/api/run.list", [], "", server: :restarted, scopes: [:read]) end
    assert {:ok, %{status: 200}} = ask.()

    first = Process.whereis(Operations)
    Process.exit(first, :kill)
    eventually(fn -> Process.whereis(Operations) not in [nil, first] end)
    eventually(fn -> match?({:ok, %{status: 200}}, ask.()) end)
  end
end
