defmodule Workbooks.Demos.Engine do
  @moduledoc """
  The engine shown at work: which components fit, a run, a disk, and a guest that does not come back.

  It uses the fixture components; `make guests` builds them.
  """

  import Workbooks.Demos.Stage
  alias Workbooks.{Conformance, Instance, VFS}

  @doc "Whether the fixture components are built."
  @spec guests?() :: boolean
  def guests?, do: File.exists?(guest("engine_probe"))

  @doc """
  Shows each step with its call and its answer, and returns the answers.

      iex> answers = ExUnit.CaptureIO.with_io(fn -> Workbooks.Demos.Engine.demo() end) |> elem(0)
      iex> [:ok, {:error, findings}, {:ok, "hello"}, {:error, error} | _] = answers
      iex> {findings, error.code}
      {["missing required export `run`"], :cpu_timeout}
  """
  @spec demo() :: [term]
  def demo do
    title("Which components fit")
    say("The probe fits the world `engine`. The kernel is a component as well, and has no `run`.")
    fits = answer("Conformance.engine?(\"engine_probe.wasm\")", Conformance.engine?(guest("engine_probe")))
    oql = Application.app_dir(:workbooks, "priv/wasm/oql.wasm")
    fits_not = answer("Conformance.engine?(\"oql.wasm\")", Conformance.engine?(oql))

    title("A guest in a fresh sandbox")
    ran = answer("Instance.run(\"echo.wasm\", \"hello\")", Instance.run(guest("echo"), "hello"))

    title("A guest that never comes back")
    say("It spins. The clock is not its to stop.")

    spun =
      answer("Instance.run(\"spin.wasm\", \"\", timeout: 200)", Instance.run(guest("spin"), "", timeout: 200))

    title("Only what the profile grants")
    say("The probe imports run-command, which `compute` does not grant: it does not even start.")
    call = "Instance.run(\"engine_probe.wasm\", \"session-info\", profile: :compute)"
    refused = answer(call, Instance.run(guest("engine_probe"), "session-info", profile: :compute))

    title("A disk")
    say("The host writes a file. The guest finds it with SQL.")
    path = Path.join(System.tmp_dir!(), "workbooks-demo-#{System.pid()}.sqlite")
    disk = VFS.open!(path)
    VFS.write!(disk, "notes/a.txt", "hello")
    query = "vfs-query SELECT path FROM vfs"
    call = "Instance.run(\"engine_probe.wasm\", #{inspect(query)}, profile: :minimal, vfs: disk)"
    found = answer(call, Instance.run(guest("engine_probe"), query, profile: :minimal, vfs: disk))
    VFS.close!(disk)
    File.rm(path)

    [fits, fits_not, ran, spun, refused, found]
  end

  defp guest(name) do
    dir = System.get_env("WORKBOOKS_GUESTS", "target/guests/wasm32-wasip2/release")
    Path.join(dir, "#{name}.wasm")
  end
end
