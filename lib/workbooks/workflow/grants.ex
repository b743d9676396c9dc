defmodule Workbooks.Workflow.Grants do
  @moduledoc false
  # What a workflow asks for against what its policy grants, before anything runs.

  alias Workbooks.{Error, Policy}
  alias Workbooks.Workflow.Graph

  @doc "Everything that `:uses` names in a graph, sorted."
  @spec asked(Graph.t()) :: [String.t()]
  def asked(graph) do
    graph |> Graph.nodes() |> Enum.flat_map(& &1.component["uses"]) |> Enum.uniq() |> Enum.sort()
  end

  @doc "Whether a profile grants all that a graph asks for; the error names what is missing."
  @spec check(Graph.t(), Policy.name()) :: :ok | {:error, Error.t()}
  def check(graph, profile) do
    %{name: name, capabilities: granted} = Policy.profile(profile)

    missing =
      Enum.reject(asked(graph), &(Policy.capability_of_use(&1) in granted)) ++
        if(shell?(graph) and "commands" not in granted, do: ["workbook:commands"], else: [])

    case Enum.uniq(missing) do
      [] -> :ok
      missing -> {:error, error(missing, name)}
    end
  end

  # What is written in `sh` runs commands, whether it says so or not.
  defp shell?(graph), do: Enum.any?(Graph.nodes(graph), &(&1.component["lang"] in ["sh", "shell", "bash"]))

  defp error(missing, profile) do
    names = Enum.map_join(missing, ", ", &"`#{&1}`")
    text = "the workflow asks for #{names}, and the profile `#{profile}` does not grant it"

    %{
      Error.new(:not_granted, text, "run it with a profile that does, or drop the use")
      | details: %{missing: missing}
    }
  end

  @doc """
  The least of the built-in profiles that grants all of these, at least `minimal`; what none grants is left out.

      iex> for uses <- [[], ["workbook:fs"], ["workbook:net/email"], ["parallel"], ["workbook:telepathy"]] do
      ...>   Workbooks.Workflow.Grants.least_profile(uses)
      ...> end
      ["minimal", "minimal", "network", "posix", "minimal"]
  """
  @spec least_profile([String.t()]) :: String.t()
  def least_profile(uses) do
    wanted = for use <- uses, capability = Policy.capability_of_use(use), do: capability
    covers = &Enum.all?(wanted, fn capability -> Policy.grants?(&1, capability) end)
    Enum.find(["minimal", "network"], "posix", covers)
  end
end
