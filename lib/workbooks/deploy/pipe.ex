defmodule Workbooks.Deploy.Pipe do
  @moduledoc false
  # Deploys for another program, as `wbx deploy`, `rollback` and `history` start them, see `Workbooks.Pipe`.
  #
  #     {"verb": "deploy", "id": .., "source": .., "org": .., "dir": .., "grant": [..], "force": false, "why": null, "by": ..}
  #     {"verb": "rollback", "id": .., "by": ..} | {"verb": "history", "id": ..}
  #
  # A refusal by the gate is a result: `refused` says which step, and its diagnostics all have the kernel's shape.

  @behaviour Workbooks.Pipe

  alias Workbooks.{Deploy, Error, Pipe}

  @impl true
  def serve(%{"verb" => verb, "id" => id} = order) do
    case perform(verb, id, order) do
      {:ok, result} -> Pipe.say(%{result: result})
      {:error, %Error{} = error} -> {:error, error}
      {:error, refusal} -> Pipe.say(%{result: refused(id, refusal)})
    end
  end

  defp perform("deploy", id, order) do
    options = for key <- [:dir, :grant, :force, :why, :by], do: {key, order[Atom.to_string(key)]}
    Deploy.deploy(id, order["source"] || {:text, order["org"]}, options)
  end

  defp perform("rollback", id, order), do: Deploy.rollback(id, by: order["by"])
  defp perform("history", id, _order), do: Deploy.history(id)

  defp refused(id, {kind, found}),
    do: %{id: id, refused: kind, diagnostics: Enum.map(found, &diagnostic(kind, &1))}

  defp diagnostic(:ungranted, use),
    do: %{level: :error, scope: use, message: "capability `#{use}` is newly asked for and not granted"}

  defp diagnostic(:build, %{component: name, why: why}),
    do: %{level: :error, scope: name, message: "component `#{name}` cannot be built: #{why}"}

  defp diagnostic(:checkpoint, %{component: name, why: why}),
    do: %{level: :error, scope: name, message: "component `#{name}` gave no checkpoint: #{why}"}

  defp diagnostic(_kind, diagnostic), do: diagnostic
end
