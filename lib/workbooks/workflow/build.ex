defmodule Workbooks.Workflow.Build do
  @moduledoc false
  # From a component's source to what can be run: a script for the shell, or a WASM component that fits.
  #
  # A language's lane builds and caches by the hash of language, source, deps and its own version, see `Workbooks.Lanes`.
  # Whatever comes out, from a lane or from a file, is held against the world of what the component declared: one that
  # imports more than `:uses` says is refused here, so that the upgrade gate sees every capability there is.

  alias Workbooks.{Conformance, Error, Lanes, Policy}
  alias Workbooks.Workflow.{Graph, Refusal, Source, Tasks, Value}

  @type artifact :: {:sh, String.t()} | {:wasm, Path.t()}

  @at_once 8

  # The world for what lies beyond `engine`, by capability.
  @worlds %{"llm" => "engine-llm", "browse" => "engine-browse", "parallel" => "engine-parallel"}

  @doc "Builds every component of a graph, or says of each that cannot be built why."
  @spec all(Graph.t(), Source.t()) :: {:ok, %{[String.t()] => artifact}} | {:error, Error.t()}
  def all(graph, source) do
    nodes = Graph.nodes(graph)

    built = Enum.zip(nodes, Tasks.map(nodes, &one(&1.component, source), @at_once))

    case for {node, {:error, why}} <- built, do: %{component: node.name, why: why} do
      [] -> {:ok, Map.new(built, fn {node, {:ok, artifact}} -> {node.key, artifact} end)}
      failures -> {:error, Refusal.build_failed(failures)}
    end
  end

  @doc "Builds one component."
  @spec one(map, Source.t()) :: {:ok, artifact} | {:error, String.t()}
  def one(%{"lang" => lang, "dir" => dir}, _source) when lang in ["sh", "shell", "bash"] and dir != nil,
    do: {:error, "a `#{lang}` component has its script in its block, not in a directory"}

  def one(%{"lang" => lang, "src" => script}, _source) when lang in ["sh", "shell", "bash"],
    do: {:ok, {:sh, script}}

  def one(%{"lang" => "wasm"} = component, source) do
    with {:ok, path} <- wasm(component, source), do: fits(path, component)
  end

  def one(%{"lang" => lang} = component, source) do
    with {:ok, code} <- code(component, source),
         {:ok, path} <- lane(lang, code, component),
         do: fits(path, component)
  end

  defp wasm(%{"args" => %{"file" => file}}, source), do: Source.inside(source, file)

  defp wasm(%{"dir" => dir}, source) when dir != nil do
    with {:ok, path} <- Source.inside(source, dir) do
      case {File.regular?(path), Path.wildcard(Path.join(path, "*.wasm"))} do
        {true, _} -> {:ok, path}
        {false, [one]} -> Source.inside(source, Path.join(dir, Path.basename(one)))
        {false, []} -> {:error, "there is no .wasm file in `#{dir}`"}
        {false, _} -> {:error, "there are several .wasm files in `#{dir}`: name one with `:file`"}
      end
    end
  end

  defp wasm(_component, _source), do: {:error, "a `wasm` component names its file with `:file` or `:dir`"}

  defp code(%{"dir" => nil, "src" => text}, _source), do: {:ok, {:text, text}}

  defp code(%{"dir" => dir}, source),
    do: with({:ok, path} <- Source.inside(source, dir), do: {:ok, {:dir, path}})

  defp lane(lang, code, component) do
    options = [
      shape: :component,
      in: Value.input_type(component["in"]),
      out: Value.type(component["out"]),
      uses: component["uses"],
      deps: component["deps"]
    ]

    case Lanes.build(lang, code, options) do
      {:ok, %{path: path}} ->
        {:ok, path}

      {:error, %Error{code: :lane_unavailable, hint: what_to_do}} ->
        {:error, "there is no lane for `#{lang}`: #{what_to_do}"}

      {:error, %Error{message: message}} ->
        {:error, message}
    end
  end

  defp fits(path, component) do
    case Conformance.check(path, world(component["uses"])) do
      :ok -> {:ok, {:wasm, path}}
      {:error, %Error{code: :not_a_component}} -> {:error, "it is not a WebAssembly component"}
      {:error, %Error{message: message}} -> {:error, message}
    end
  end

  # There is a world for each wide capability and one for all of them.
  defp world(uses) do
    wide = for use <- uses, world = @worlds[Policy.capability_of_use(use)], uniq: true, do: world

    case wide do
      [] -> "engine"
      [world] -> world
      _several -> "dock"
    end
  end
end
