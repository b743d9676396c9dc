defmodule Workbooks.Tricks do
  @moduledoc "The table of tricks, `test/tricks.json`: one list, asked through every door."

  @doc "A working directory for them: some files, below a directory with a secret."
  def workdir!(dir) do
    work = Path.join(dir, "work")
    File.mkdir_p!(work)
    File.write!(Path.join(dir, "secret"), "x")
    File.write!(Path.join(work, "sentinels"), String.duplicate("__WB_CHECK_OK__\n", 100))
    File.write!(Path.join(work, "full"), "x")
    work
  end

  @doc "Every trick as `{name, check, passes?}`; without those that no plan can hold, if a plan is the door."
  def table(door \\ :text) do
    {:ok, rows} = "test/tricks.json" |> File.read!() |> Workbooks.JSON.decode()

    for %{"name" => name, "check" => check} = row <- rows,
        door == :text or row["text"] != true,
        do: {name, check, row["pass"] == true}
  end

  @doc "A check as a block of a plan."
  def block(check, arguments \\ ":check"), do: "#+begin_src sh #{arguments}\n#{check}\n#+end_src\n"
end
