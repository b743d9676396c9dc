defmodule Workbooks.Deploy.Gate do
  @moduledoc false
  # May this plan take the place of that one? It goes by the two texts alone: nothing is built, and nothing changes.

  import Workbooks.Workflow.Refusal, only: [diagnostic: 2, invalid_plan: 1]

  alias Workbooks.{Error, OQL, Policy, Schedule}
  alias Workbooks.Deploy.{Options, Refusal}

  @type pass :: %{granted: [String.t()], overridden: [String.t()], diagnostics: [OQL.diagnostic()]}

  @doc """
  Judges `new`. `old` is `nil` when nothing is deployed: then nobody was promised anything, and what lies beyond the
  profile `minimal` is new.
  """
  @spec judge(OQL.org() | nil, OQL.org(), Options.t()) :: {:ok, pass} | {:error, Error.t()}
  def judge(old, new, options) do
    with :ok <- coherent(new),
         {:ok, findings} <- compare(old, new, options),
         {:ok, asked} <- asked(old, new, findings) do
      errors = Enum.filter(findings, &(&1["level"] == "error"))
      ungranted = asked -- options.grant

      cond do
        options.force ->
          {:ok, %{granted: asked, overridden: overridden(errors, ungranted), diagnostics: findings}}

        errors != [] ->
          {:error, Refusal.breaking(findings)}

        ungranted != [] ->
          {:error, Refusal.not_granted(ungranted)}

        true ->
          {:ok, %{granted: asked, overridden: [], diagnostics: findings}}
      end
    end
  end

  # What could never run is refused, whoever forces it: a plan that does not cohere, one that holds no workflow or a cycle,
  # a schedule that the scheduler cannot read, a capability that no host has.
  defp coherent(org) do
    with [] <- OQL.validate(org),
         %{"worlds" => worlds} <- OQL.tangle(org),
         cycles when is_list(cycles) <- cycles(org),
         {:ok, planned} <- Schedule.in_plan(org),
         [] <- workflows(worlds) ++ cycles ++ schedules(planned) ++ capabilities(worlds) do
      :ok
    else
      {:error, error} -> {:error, error}
      [_ | _] = diagnostics -> {:error, invalid_plan(diagnostics)}
    end
  end

  defp workflows([]), do: [diagnostic("", "the plan has no workflow")]
  defp workflows(_worlds), do: []

  defp cycles(org) do
    with findings when is_list(findings) <- OQL.lint(org, capabilities: nil, commands: nil) do
      for %{"code" => "WB008", "scope" => scope, "message" => message} <- findings,
          do: diagnostic(scope, message)
    end
  end

  defp schedules(planned) do
    for %{workflow: title, problem: %Error{message: message}} <- planned, do: diagnostic(title, message)
  end

  defp capabilities(worlds) do
    for world <- worlds,
        component <- components(world),
        use <- component["uses"],
        Policy.capability_of_use(use) == nil,
        uniq: true,
        do: diagnostic(component["name"], "no host has the capability `#{use}`")
  end

  defp components(world), do: world["components"] ++ Enum.flat_map(world["workflows"], &components/1)

  # `callers` asks for more than the plain gate: what somebody gets who runs the workbook, as `run/3` gives it.
  defp compare(nil, _new, _options), do: {:ok, []}

  defp compare(old, new, options) do
    opts = [callers: true, explain: true, identity: options.identity, types: options.types]

    case OQL.check_upgrade(old, new, opts) do
      {:error, error} -> {:error, error}
      findings -> {:ok, findings}
    end
  end

  # The comparison walks the old workflows only. A workflow that is added brings capabilities as well: those that nothing
  # deployed has are new too.
  defp asked(nil, new, _findings) do
    with {:ok, uses} <- uses(new), do: {:ok, Enum.reject(uses, &least?/1)}
  end

  defp asked(old, new, findings) do
    demanded = for %{"capability" => use} when is_binary(use) <- findings, do: use
    with {:ok, had} <- uses(old), {:ok, has} <- uses(new), do: {:ok, Enum.uniq(demanded ++ (has -- had))}
  end

  defp least?(use), do: Policy.grants?("minimal", Policy.capability_of_use(use))

  # Everything that a plan's components name in `:uses`, sorted.
  defp uses(org) do
    with %{"worlds" => worlds} <- OQL.tangle(org),
         do: {:ok, worlds |> Enum.flat_map(&imports/1) |> Enum.uniq() |> Enum.sort()}
  end

  defp imports(world), do: world["imports"] ++ Enum.flat_map(world["workflows"], &imports/1)

  defp overridden(errors, ungranted) do
    for(%{"scope" => scope, "message" => message} <- errors, do: "#{scope}: #{message}") ++
      for use <- ungranted, do: "capability `#{use}` was not granted"
  end
end
