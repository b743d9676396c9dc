defmodule Workbooks.DeployCase do
  @moduledoc "An id of its own for each test, and small plans to deploy."
  use ExUnit.CaseTemplate

  alias Workbooks.{Deploy, Lifecycle}

  using do
    quote do
      import Workbooks.ComponentPlans, only: [sh: 3, sh: 4]
      import Workbooks.DeployCase
      alias Workbooks.{Deploy, Error, Guests, Lifecycle, VFS}
      @moduletag :tmp_dir
    end
  end

  setup do
    id = "w-" <> Base.encode16(:crypto.strong_rand_bytes(8), case: :lower)
    %{id: id}
  end

  @doc "A workflow `Flow` of these parts."
  def flow(parts), do: IO.iodata_to_binary(["* Flow :workflow:\n" | List.wrap(parts)])

  @doc "Deploys a plan that is given as text."
  def deploy(id, org, opts \\ []), do: Deploy.deploy(id, {:org, org}, opts)

  @doc "A component in another language than `sh` that nobody can build."
  def odd, do: "** Odd :component:\n#+begin_src klingon :out y\n#+end_src\n"

  @doc "The disk of a deployed workbook."
  def disk!(id) do
    {:ok, disk} = Lifecycle.wake(id)
    disk
  end

  @doc "Which version is live."
  def live!(id) do
    {:ok, %{version: version}} = Deploy.live(id)
    version
  end
end
