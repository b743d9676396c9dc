defmodule Workbooks.MissingKernelTest do
  # The component is what answers: without it the application starts, and every question is an error.
  use ExUnit.Case, async: true

  alias Workbooks.OtherVM

  @moduletag :tmp_dir

  @script ~S"""
  Logger.configure(level: :none)
  {:ok, _} = Application.ensure_all_started(:workbooks)

  answers = [
    Workbooks.OQL.parse_headlines("* A"),
    Workbooks.OQL.query("* A", "(done)"),
    Workbooks.OQL.lint("* A"),
    Workbooks.OQL.tangle("* A"),
    Workbooks.OQL.validate("* A"),
    Workbooks.OQL.check_upgrade("* A", "* A"),
    Workbooks.OQL.render("* A"),
    Workbooks.OQL.tasks("* A"),
    Workbooks.OQL.set_state("* A", "a", "DONE")
  ]

  for {:error, error} <- answers, do: IO.puts("#{error.code}: #{error.hint}")
  """

  test "every question is an error that says what to run when oql.wasm is deleted", %{tmp_dir: dir} do
    app = OtherVM.copy_app!(dir)
    File.rm!(Path.join(app, "priv/wasm/oql.wasm"))

    assert OtherVM.run(@script, app: app) ==
             {String.duplicate("kernel_unavailable: run `make build`\n", 9), 0}
  end

  test "so it is when oql.wasm is damaged", %{tmp_dir: dir} do
    app = OtherVM.copy_app!(dir)
    File.write!(Path.join(app, "priv/wasm/oql.wasm"), "damaged")

    assert OtherVM.run(@script, app: app) ==
             {String.duplicate("kernel_unavailable: run `make build`\n", 9), 0}
  end

  test "and when the native library is missing", %{tmp_dir: dir} do
    app = OtherVM.copy_app!(dir)
    File.rm!(Path.join(app, "priv/native/workbooks_nif.so"))

    assert OtherVM.run(@script, app: app) ==
             {String.duplicate("kernel_unavailable: run `make build`\n", 9), 0}
  end

  test "the application refuses to start with a configuration it does not understand", %{tmp_dir: dir} do
    script = """
    Logger.configure(level: :none)
    Application.load(:workbooks)
    Application.put_env(:workbooks, :wrokers, 3)
    {:error, {_, {:bad_return, {_, {:EXIT, {error, _}}}}}} = Application.ensure_all_started(:workbooks)
    IO.puts(Exception.message(error))
    """

    assert {message, 0} = OtherVM.run(script, app: OtherVM.copy_app!(dir))
    assert message =~ "config :workbooks, :wrokers: unknown key"
  end
end
