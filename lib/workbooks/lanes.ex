defmodule Workbooks.Lanes do
  @moduledoc """
  Source becomes WebAssembly, by compilers that are WebAssembly themselves.

      iex> {:ok, built} = Workbooks.Lanes.build("js", {:text, "export default (name) => `hello, ${name}`"})
      iex> Workbooks.Instance.run(built.path, "world")
      {:ok, "hello, world"}

  A compiler runs as any guest does: it has a copy of the source, no environment, no network, no other file, and its time
  and memory are bounded. What it made is checked by its shape. The same order twice is built once. Which languages there
  are, what a project of each looks like and what is missing is in `docs/lanes.md`.

  ## Options of `build/3`

    * `:shape` - `:component` (the default), `:command` or `:kernel`
    * `:in`, `:out` - of a component: `:string` (the default) passes text, `:json` a value
    * `:uses` - of a component: capabilities, or names of a plan's `:uses`. What is not named is not imported, so the
      component runs under every profile that grants what it does name
    * `:deps` - packages; no lane fetches any, so anything but `[]` is refused
    * `:timeout` - milliseconds, 120,000 by default; compiling the compiler itself, once on a machine, is not counted
    * `:progress` - a pid that hears `{Workbooks.Lanes, :progress, text}`, or `{pid, tag}`

  ## Errors

  `:lane_unavailable` when the language cannot be built here: the hint says what to do, `details` have the `:lang`.
  `:bad_source` when the source cannot be read as a project, `:build_failed` with what the compiler said, `:unfit` when the
  result does not fit its shape, `:timeout`, `:memory`, `:output_too_large`, `:cancelled`, `:bad_option`.
  """

  alias Workbooks.{Error, Kernel, Native, Policy}

  @timeout 120_000

  @type shape :: :component | :command | :kernel
  @type lane :: %{
          lang: String.t(),
          lane: String.t(),
          state: :ready | :absent,
          shapes: [shape],
          hint: String.t()
        }
  @type artifact :: %{
          path: Path.t(),
          sha256: String.t(),
          lane: String.t(),
          shape: shape,
          cached: boolean
        }
  @type option ::
          {:shape, shape}
          | {:in, :string | :json}
          | {:out, :string | :json}
          | {:uses, [String.t()]}
          | {:deps, [String.t()]}
          | {:timeout, pos_integer}
          | {:progress, pid | {pid, term}}

  @doc """
  Every lane there could be, and whether its compilers are installed. A lane that is absent has a hint.

      iex> {:ok, lanes} = Workbooks.Lanes.list()
      iex> Enum.find(lanes, & &1.lang == "js").state
      :ready
  """
  @spec list() :: {:ok, [lane]} | {:error, Error.t()}
  def list do
    with {:ok, runtime} <- Kernel.runtime(), do: Native.list_lanes(runtime)
  end

  @doc "`list/0`, or it raises."
  @spec list!() :: [lane]
  def list!, do: Error.bang(list())

  # The least program of each lane.
  @least [
    {"js", :command, ""},
    {"ts", :command, ""},
    {"python", :command, "pass"},
    {"c", :command, "int main(void) { return 0; }"}
  ]

  @doc """
  Compiles the compilers that are here to machine code, once for a machine and user, so that nobody's first build waits
  for it. Gives the languages that are ready. `make build` calls it.
  """
  @spec prepare() :: [String.t()]
  def prepare do
    ready = for %{lang: lang, state: :ready} <- list!(), do: lang

    for {lang, shape, source} <- @least,
        lang in ready,
        match?({:ok, _}, build(lang, {:text, source}, shape: shape)),
        do: lang
  end

  @doc """
  Builds source: `{:text, source}` is one file, `{:dir, path}` a project.

      iex> {:error, error} = Workbooks.Lanes.build("js", {:text, "export default (x => x"})
      iex> error.code
      :build_failed

      iex> {:error, error} = Workbooks.Lanes.build("zig", {:text, "fn main() void {}"})
      iex> {error.code, error.details}
      {:lane_unavailable, %{lang: "zig"}}
  """
  @spec build(String.t(), {:text, binary} | {:dir, Path.t()}, [option]) ::
          {:ok, artifact} | {:error, Error.t()}
  def build(lang, source, opts \\ []) when is_binary(lang) and is_list(opts) do
    with {:ok, source} <- source(source),
         {:ok, order} <- order(opts),
         {progress, order} = Map.pop!(order, :progress),
         {:ok, runtime} <- Kernel.runtime(),
         do: Native.build_lane(runtime, Map.merge(order, %{lang: lang, source: source}), progress)
  end

  @doc "`build/3`, or it raises."
  @spec build!(String.t(), {:text, binary} | {:dir, Path.t()}, [option]) :: artifact
  def build!(lang, source, opts \\ []), do: Error.bang(build(lang, source, opts))

  defp source({:text, text}) when is_binary(text) do
    if String.valid?(text),
      do: {:ok, {:text, text}},
      else: {:error, Error.new(:not_utf8, "the source is not UTF-8", "save the file as UTF-8")}
  end

  defp source({:dir, path}) when is_binary(path), do: {:ok, {:dir, Path.expand(path)}}
  defp source(other), do: bad_option(:source, other)

  defp order(opts) do
    order = %{
      shape: :component,
      input: :string,
      output: :string,
      uses: [],
      deps: [],
      time: @timeout,
      progress: nil
    }

    Enum.reduce_while(opts, {:ok, order}, fn {key, value}, {:ok, order} ->
      case option(key, value, order) do
        %{} = order -> {:cont, {:ok, order}}
        nil -> {:halt, bad_option(key, value)}
      end
    end)
  end

  defp option(:shape, shape, order) when shape in [:component, :command, :kernel], do: %{order | shape: shape}
  defp option(:in, format, order) when format in [:string, :json], do: %{order | input: format}
  defp option(:out, format, order) when format in [:string, :json], do: %{order | output: format}
  defp option(:timeout, ms, order) when is_integer(ms) and ms > 0, do: %{order | time: ms}
  defp option(:progress, pid, order) when is_pid(pid), do: %{order | progress: {pid, __MODULE__}}
  defp option(:progress, {pid, tag}, order) when is_pid(pid), do: %{order | progress: {pid, tag}}
  defp option(:deps, deps, order) when is_list(deps), do: if(names?(deps), do: %{order | deps: deps})

  # A name that stands for no capability brings nothing; whether it may be asked for is the plan's and the policy's affair.
  defp option(:uses, uses, order) when is_list(uses) do
    if names?(uses),
      do: %{order | uses: uses |> Enum.map(&Policy.capability_of_use/1) |> Enum.reject(&is_nil/1)}
  end

  defp option(_key, _value, _order), do: nil

  defp names?(names), do: Enum.all?(names, &(is_binary(&1) and String.valid?(&1)))

  defp bad_option(key, value) do
    text = "no such option for a build: #{inspect([{key, value}], limit: 5)}"
    {:error, Error.new(:bad_option, text, "see the options of Workbooks.Lanes")}
  end
end
