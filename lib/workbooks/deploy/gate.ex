defmodule Workbooks.Deploy.Gate do
  @moduledoc false
  # May this plan take the place of that one? Words only: the kernel judges, and nothing is built or changed.

  alias Workbooks.{Error, OQL, Policy}

  @type pass :: %{granted: [String.t()], overridden: [String.t()], diagnostics: [OQL.diagnostic()]}
  @type refusal ::
          {:invalid, [OQL.diagnostic()]}
          | {:breaking, [OQL.diagnostic()]}
          | {:ungranted, [String.t()]}
          | Error.t()

  @doc """
  Judges `new`. `old` is `nil` when nothing is deployed: then nobody was promised anything, and what lies beyond the
  profile `minimal` is new.
  """
  @spec judge(OQL.org() | nil, OQL.org(), grant: [String.t()], force: boolean) ::
          {:ok, pass} | {:error, refusal}
  def judge(old, new, opts) do
    with :ok <- coherent(new),
         {:ok, diagnostics} <- compare(old, new),
         {:ok, asked} <- asked(old, new, diagnostics) do
      errors = Enum.filter(diagnostics, &(&1["level"] == "error"))
      ungranted = asked -- opts[:grant]

      cond do
        opts[:force] ->
          {:ok, %{granted: asked, overridden: overridden(errors, ungranted), diagnostics: diagnostics}}

        errors != [] ->
          {:error, {:breaking, diagnostics}}

        ungranted != [] ->
          {:error, {:ungranted, ungranted}}

        true ->
          {:ok, %{granted: asked, overridden: [], diagnostics: diagnostics}}
      end
    end
  end

  # Rung 1, and no cycle.
  defp coherent(org) do
    with [] <- OQL.validate(org),
         findings when is_list(findings) <- OQL.lint(org, capabilities: nil, commands: nil),
         [] <-
           for(%{"code" => "WB008"} = cycle <- findings, do: Map.take(cycle, ["level", "message", "scope"])) do
      :ok
    else
      {:error, error} -> {:error, error}
      diagnostics -> {:error, {:invalid, diagnostics}}
    end
  end

  defp compare(nil, _new), do: {:ok, []}

  defp compare(old, new) do
    case OQL.check_upgrade(old, new) do
      {:error, error} -> {:error, error}
      diagnostics -> {:ok, diagnostics}
    end
  end

  # The gate walks the old workflows only. A workflow that is added brings capabilities as well: those that nothing
  # deployed has are new too.
  defp asked(nil, new, _diagnostics) do
    with {:ok, uses} <- uses(new), do: {:ok, Enum.reject(uses, &least?/1)}
  end

  defp asked(old, new, diagnostics) do
    warned = for %{"level" => "warn", "message" => message} <- diagnostics, do: capability(message)

    with {:ok, had} <- uses(old), {:ok, has} <- uses(new), do: {:ok, Enum.uniq(warned ++ (has -- had))}
  end

  defp least?(use), do: Policy.grants?("minimal", Policy.capability_of_use(use))

  defp capability(message) do
    [_, capability] = Regex.run(~r/\Anew capability `(.*)` now required\z/s, message)
    capability
  end

  @doc "Everything that a plan's components name in `:uses`, sorted."
  @spec uses(OQL.org()) :: {:ok, [String.t()]} | {:error, Error.t()}
  def uses(org) do
    with %{"worlds" => worlds} <- OQL.tangle(org),
         do: {:ok, worlds |> Enum.flat_map(&imports/1) |> Enum.uniq() |> Enum.sort()}
  end

  defp imports(world), do: world["imports"] ++ Enum.flat_map(world["workflows"], &imports/1)

  defp overridden(errors, ungranted) do
    for(%{"scope" => scope, "message" => message} <- errors, do: "#{scope}: #{message}") ++
      for use <- ungranted, do: "capability `#{use}` was not granted"
  end
end
