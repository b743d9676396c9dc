defmodule Workbooks.Deploy.Version do
  @moduledoc false
  # A version as it can be run again: its plan, the graphs of its workflows, and what was built for them.

  alias Workbooks.{Deploy, Error, JSON}
  alias Workbooks.Workflow.{Build, Graph, Program, Refusal, Source}

  @enforce_keys [
    :id,
    :version,
    :parent,
    :plan,
    :graphs,
    :artifacts,
    :about,
    :profile,
    :profile_given,
    :granted
  ]
  defstruct [:id, :version, :parent, :plan, :graphs, :artifacts, :about, :profile, :profile_given, :granted]

  @type t :: %__MODULE__{
          id: String.t(),
          version: pos_integer,
          parent: pos_integer | nil,
          plan: Workbooks.OQL.org(),
          graphs: [Graph.t()],
          artifacts: %{[String.t()] => Build.artifact()},
          about: map,
          profile: String.t(),
          profile_given: boolean,
          granted: [String.t()]
        }

  @doc "Reads a version that was deployed."
  @spec read(String.t(), Deploy.Store.live()) :: {:ok, t} | {:error, Error.t()}
  def read(id, %{version: number, dir: dir}) do
    with {:ok, %{"plan" => plan, "parent" => parent, "about" => about}} <-
           Deploy.Store.ask(id, {:version, number}),
         {:ok, graphs} <- Program.all(plan) do
      files = for %{"key" => key, "file" => file} <- about["components"], into: %{}, do: {key, file}

      {:ok,
       %__MODULE__{
         id: id,
         version: number,
         parent: parent,
         plan: plan,
         graphs: graphs,
         artifacts: artifacts(graphs, files, Path.join(dir, "artifacts")),
         about: about,
         profile: about["profile"],
         profile_given: about["profile_given"],
         granted: about["granted"]
       }}
    end
  end

  # A script is in the plan; everything else is a file.
  defp artifacts(graphs, files, dir) do
    for graph <- graphs, node <- Graph.nodes(graph), into: %{} do
      case Map.fetch(files, node.key) do
        {:ok, file} -> {node.key, {:wasm, Path.join(dir, file)}}
        :error -> {node.key, {:sh, node.component["src"]}}
      end
    end
  end

  @doc "Builds every workflow of a plan."
  @spec build([Graph.t()], Source.t()) ::
          {:ok, %{[String.t()] => Build.artifact()}} | {:error, Error.t()}
  def build(graphs, source) do
    {built, failed} = graphs |> Enum.map(&Build.all(&1, source)) |> Enum.split_with(&match?({:ok, _}, &1))

    case failed do
      [] ->
        {:ok, Enum.reduce(built, %{}, fn {:ok, artifacts}, all -> Map.merge(all, artifacts) end)}

      failed ->
        {:error,
         Refusal.build_failed(Enum.flat_map(failed, fn {:error, error} -> error.details.failures end))}
    end
  end

  @doc "What is written down about a version: who has which file. Files are named by their hash, and each is there once."
  @spec record(%{[String.t()] => Build.artifact()}, map) ::
          {:ok, map, [{String.t(), Path.t()}]} | {:error, Error.t()}
  def record(artifacts, about) do
    with {:ok, named} <- named(artifacts) do
      components = for {key, name, _path} <- named, do: %{key: key, file: name}
      files = for {_key, name, path} <- named, uniq: true, do: {name, path}
      {:ok, Map.put(about, :components, components), Enum.uniq_by(files, &elem(&1, 0))}
    end
  end

  @doc """
  Whether a version that is deployed is this one: the same plan, the same files for the same components, the same policy. One
  whose files were damaged since is not, so that deploying it again mends it.
  """
  @spec same?(t | nil, Workbooks.OQL.org(), map) :: boolean
  def same?(%__MODULE__{plan: plan, about: about} = version, plan, record) do
    with {:ok, json} <- JSON.encode(record),
         {:ok, ^about} <- JSON.decode(json),
         {:ok, _} <- Deploy.Store.ask(version.id, {:verify, version.version}) do
      true
    else
      _ -> false
    end
  end

  def same?(_version, _plan, _record), do: false

  defp named(artifacts) do
    artifacts
    |> Enum.sort()
    |> Enum.reduce_while({:ok, []}, fn
      {_key, {:sh, _}}, named ->
        {:cont, named}

      {key, {:wasm, path}}, {:ok, named} ->
        case File.read(path) do
          {:ok, bytes} ->
            {:cont, {:ok, [{key, name(bytes), path} | named]}}

          {:error, reason} ->
            {:halt, {:error, Error.new(:io, "`#{path}`: #{:file.format_error(reason)}", "build it again")}}
        end
    end)
  end

  defp name(bytes), do: (:crypto.hash(:sha256, bytes) |> Base.encode16(case: :lower)) <> ".wasm"
end
