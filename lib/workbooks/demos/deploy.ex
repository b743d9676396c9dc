defmodule Workbooks.Demos.Deploy do
  @moduledoc """
  A plan that goes live, an upgrade that would break a promise, one that carries its state over, and the way back.
  """

  import Workbooks.Demos.Stage
  alias Workbooks.{Deploy, Error, Lifecycle}

  @plans "examples/greeting"

  @doc """
  Shows each step with its call and its answer, and returns the answers.

      iex> answers = ExUnit.CaptureIO.with_io(fn -> Workbooks.Demos.Deploy.demo() end) |> elem(0)
      iex> answers
      [
        {:ok, 1},
        "Hello, Ada! You are number 1.",
        "Hello, Grace! You are number 2.",
        {:error, :breaking},
        {:ok, 2},
        "Hello, Joan! You are number 3.",
        {:ok, 1},
        "Hello, Barbara! You are number 3."
      ]
  """
  @spec demo() :: [term]
  def demo do
    id = "demo-#{System.os_time(:microsecond)}"

    try do
      show(id)
    after
      Lifecycle.delete(id)
      File.rm_rf!(Deploy.Store.dir(id))
    end
  end

  defp show(id) do
    title("A plan goes live")
    say("Three components: one greets, one counts and remembers (:persist), one says both.")
    first = answer(~s|Deploy.deploy("greeting", "greeting-v1.org")|, version(deploy(id, 1)))
    ada = answer(~s|Deploy.run("greeting", "Ada")|, run(id, "Ada"))
    grace = answer(~s|Deploy.run("greeting", "Grace")|, run(id, "Grace"))

    title("An upgrade that would break a promise")
    say("The second version gives `said` another type. Somebody may read it: refused, and nothing changed.")
    {:error, %Error{code: code} = error} = deploy(id, 2)
    for diagnostic <- error.details.diagnostics, do: say("  #{diagnostic["level"]}: #{diagnostic["message"]}")
    refused = answer(~s|Deploy.deploy("greeting", "greeting-v2.org")|, {:error, code})

    title("An upgrade that carries its state over")
    say("The third version counts in another way. It is handed what its predecessor checkpointed.")
    third = answer(~s|Deploy.deploy("greeting", "greeting-v3.org")|, version(deploy(id, 3)))
    joan = answer(~s|Deploy.run("greeting", "Joan")|, run(id, "Joan"))

    title("The way back")
    say("The plan, the artifacts and the disk of the version before: Joan was never counted there.")
    {:ok, %{version: back}} = Deploy.rollback(id, by: "demo")
    back = answer(~s|Deploy.rollback("greeting")|, {:ok, back})
    barbara = answer(~s|Deploy.run("greeting", "Barbara")|, run(id, "Barbara"))

    [first, ada, grace, refused, third, joan, back, barbara]
  end

  defp deploy(id, n), do: Deploy.deploy(id, "#{@plans}/greeting-v#{n}.org", by: "demo")
  defp version({:ok, %{version: version}}), do: {:ok, version}

  defp run(id, name) do
    {:ok, %{exports: %{"said" => said}}} = Deploy.run(id, name)
    said
  end
end
