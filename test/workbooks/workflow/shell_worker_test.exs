defmodule Workbooks.Workflow.ShellWorkerTest do
  use ExUnit.Case, async: true

  alias Workbooks.Workflow.Todo

  test "the script is the first sh block that is not the check" do
    for {body, script} <- [
          {"", nil},
          {"text\n", nil},
          {"#+begin_src sh\na\nb\n#+end_src\n", "a\nb\n"},
          {"  #+BEGIN_SRC bash -n :results output\n  a\n  #+END_SRC", "a\n"},
          {"#+begin_src sh\r\na\r\n#+end_src\r\n", "a\n"},
          {"#+begin_src shell\na\n#+end_src\n#+begin_src sh\nb\n#+end_src\n", "a\n"},
          {"#+begin_src sh :check\na\n#+end_src\n#+begin_src sh\nb\n#+end_src\n", "b\n"},
          {"#+begin_src sh :dir x :check\na\n#+end_src\n", nil},
          {"#+begin_src sh :checked\na\n#+end_src\n", "a\n"},
          {"#+begin_src python\na\n#+end_src\n", nil},
          {"#+begin_src shoddy\na\n#+end_src\n", nil},
          {"#+begin_src\na\n#+end_src\n", nil},
          {"#+begin_src sh\na\n", nil},
          {"#+begin_example\n#+begin_src sh\na\n#+end_src\n#+end_example\n#+begin_src sh\nb\n#+end_src\n",
           "b\n"},
          {"#+begin_example\n#+begin_src sh\na\n#+end_src\n", "a\n"},
          {"#+begin_src sh\n,* not a headline\n ,#+x\n,,* y\n, z\n#+end_src\n",
           "* not a headline\n #+x\n,* y\n, z\n"},
          {"#+begin_src sh\n#+end_src\n", ""}
        ] do
      assert [task] = Todo.tasks("* TODO A\n" <> body)
      assert {body, task.script} == {body, script}
    end
  end
end
