defmodule Mix.Tasks.Compile.WorkbooksNative do
  @shortdoc "Builds the Rust parts with cargo"
  @moduledoc """
  Builds what the BEAM loads: `priv/native/workbooks_nif.so`, `priv/wasm/oql.wasm` and the commands of the shell in
  `priv/wasm/commands`, so that an application that names Workbooks as a dependency has them too.

  cargo does the work, in the repository's one target directory. When no source changed since the last build cargo is
  not even asked. An artefact is replaced by rename, never overwritten: a running VM may have it mapped.

  In the test environment it also builds the component that the tests let misbehave.
  """
  use Mix.Task.Compiler

  @root Path.expand("..", __DIR__)
  @target Path.join(@root, "target")
  @sources [
    "Cargo.{toml,lock}",
    "native/*/*/Cargo.toml",
    "native/**/*.{rs,wit,css,org}",
    "wit/**/*.wit",
    "guests/commands/**/*.{c,patch,rs,toml,tsv}",
    "script/commands",
    "priv/policy.json"
  ]
  @wasm_target "wasm32-unknown-unknown"

  @impl true
  def run(_args) do
    fingerprint = fingerprint()

    if File.read(stamp()) == {:ok, fingerprint} and Enum.all?(artefacts(), &File.exists?/1) do
      {:noop, []}
    else
      build()
      File.mkdir_p!(Path.dirname(stamp()))
      File.write!(stamp(), fingerprint)
      {:ok, []}
    end
  end

  @impl true
  def manifests, do: [stamp()]

  @impl true
  def clean, do: Enum.each([stamp() | artefacts()], &File.rm/1)

  @doc "Where the test environment finds the component that misbehaves."
  def misbehaving, do: Path.join(@target, "fixtures/misbehaving.wasm")

  defp build do
    require_tool!()
    cargo!(["build", "--release", "--workspace"])
    install!(Path.join(@target, "release/#{library()}"), nif())
    component!(["--lib"], "oql_component.wasm", kernel())
    commands!()

    if Mix.env() == :test,
      do: component!(["--example", "misbehaving"], "examples/misbehaving.wasm", misbehaving())
  end

  # The script knows by itself whether anything changed.
  defp commands! do
    run!(Path.join(@root, "script/commands"), [])
    run!(Path.join(@target, "release/precompile-commands"), [Path.dirname(commands())])
  end

  defp component!(what, module, artefact) do
    cargo!(["build", "--profile", "guest", "--target", @wasm_target, "--package", "oql-component" | what])
    File.mkdir_p!(Path.dirname(artefact))
    encoded = Path.join([@target, @wasm_target, "guest", Path.rootname(module) <> ".component"])
    componentize = Path.join(@target, "release/componentize")
    run!(componentize, ["--no-imports", Path.join([@target, @wasm_target, "guest", module]), encoded])
    install!(encoded, artefact)
  end

  defp cargo!(args), do: run!("cargo", args)

  defp run!(command, args) do
    options = [cd: @root, into: IO.stream(), stderr_to_stdout: true, env: [{"CARGO_TARGET_DIR", @target}]]

    case System.cmd(command, args, options) do
      {_, 0} ->
        :ok

      {_, status} ->
        Mix.raise("`#{Path.basename(command)} #{Enum.join(args, " ")}` failed with status #{status}")
    end
  end

  defp require_tool! do
    System.find_executable("cargo") ||
      Mix.raise("Workbooks needs Rust, and `cargo` is not on the PATH: run `make setup`")

    with {sysroot, 0} <- System.cmd("rustc", ["--print", "sysroot"], cd: @root),
         false <- File.dir?(Path.join([String.trim(sysroot), "lib/rustlib", @wasm_target])) do
      Mix.raise("Workbooks needs the Rust target #{@wasm_target}: run `make setup`")
    end
  end

  # Unchanged bytes stay where they are, so that nothing downstream thinks they are new.
  defp install!(built, artefact) do
    unless same?(built, artefact) do
      File.mkdir_p!(Path.dirname(artefact))
      fresh = "#{artefact}.#{System.pid()}"
      File.cp!(built, fresh)
      File.rename!(fresh, artefact)
    end
  end

  defp same?(a, b), do: match?({{:ok, bytes}, {:ok, bytes}}, {File.read(a), File.read(b)})

  defp fingerprint do
    @sources
    |> Enum.flat_map(&Path.wildcard(Path.join(@root, &1)))
    |> Enum.sort()
    |> Enum.map(fn path ->
      %{mtime: mtime, size: size} = File.stat!(path, time: :posix)
      {path, mtime, size}
    end)
    |> :erlang.term_to_binary()
    |> then(&:crypto.hash(:sha256, &1))
    |> Base.encode16(case: :lower)
  end

  defp artefacts do
    if Mix.env() == :test,
      do: [nif(), kernel(), commands(), misbehaving()],
      else: [nif(), kernel(), commands()]
  end

  defp nif, do: Path.join(@root, "priv/native/workbooks_nif.so")
  defp kernel, do: Path.join(@root, "priv/wasm/oql.wasm")
  defp commands, do: Path.join(@root, "priv/wasm/commands/commands.json")
  defp stamp, do: Path.join(Mix.Project.manifest_path(), "compile.workbooks_native")

  # `load_nif` looks for .so on macOS as well, where cargo writes .dylib.
  defp library do
    case :os.type() do
      {:unix, :darwin} -> "libworkbooks_nif.dylib"
      _ -> "libworkbooks_nif.so"
    end
  end
end
