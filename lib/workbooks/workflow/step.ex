defmodule Workbooks.Workflow.Step do
  @moduledoc false
  # One component, run once: a script in the shell, or a fresh instance. Everything that goes wrong is a sentence.

  alias Workbooks.{Error, Instance, Policy, Shell, VFS}
  alias Workbooks.Lifecycle.Memory
  alias Workbooks.Workflow.{Build, Graph, Output}

  @typedoc "Under what a workflow runs. `version` is that of the deployed workbook, or `nil`."
  @type context :: %{
          profile: Workbooks.Policy.name(),
          vfs: VFS.t() | nil,
          session: map,
          version: pos_integer | nil,
          timeout: pos_integer | nil
        }

  @doc "Gives a component its input. A `:persist` one takes its checkpoint over first, if one is due."
  @spec run(Graph.node_(), Build.artifact(), String.t(), context) :: {:ok, binary} | {:error, String.t()}
  def run(node, artifact, input, context) do
    with :ok <- take_over(node, artifact, context), do: perform(node, artifact, input, "", context)
  end

  @doc "Asks a `:persist` component for its checkpoint."
  @spec checkpoint(Graph.node_(), Build.artifact(), context) :: {:ok, String.t()} | {:error, String.t()}
  def checkpoint(node, artifact, context) do
    message = Memory.checkpoint_message(node.key, context.version)

    # One that was never run since it went live has not taken over what it is to hand on.
    with :ok <- take_over(node, artifact, context),
         {:ok, answer} <- perform(node, artifact, message, "checkpoint", context) do
      if String.valid?(answer), do: {:ok, answer}, else: {:error, "its checkpoint is not UTF-8"}
    end
  end

  defp take_over(
         %{component: %{"persist" => true}, key: key} = node,
         artifact,
         %{vfs: %VFS{}, version: n} = context
       )
       when is_integer(n) do
    case Memory.due(context.vfs, key, n) do
      nil -> :ok
      checkpoint -> start(node, artifact, checkpoint, context)
    end
  end

  defp take_over(_node, _artifact, _context), do: :ok

  defp start(node, artifact, checkpoint, context) do
    message = Memory.start_message(node.key, context.version, checkpoint)

    with :ok <- before_start(artifact, node.key, checkpoint, context),
         {:ok, _ignored} <- perform(node, artifact, message, "start", context),
         :ok <- explained(Memory.started(context.vfs, node.key, context.version)) do
      :ok
    else
      {:error, why} -> {:error, "it did not take its checkpoint over: #{why}"}
    end
  end

  # A script finds its checkpoint in its file, and may leave it as it is.
  defp before_start({:sh, _}, key, checkpoint, context),
    do: explained(Memory.put_state(context.vfs, key, checkpoint.text))

  defp before_start({:wasm, _}, _key, _checkpoint, _context), do: :ok

  defp perform(node, {:wasm, path}, input, _message, context) do
    options =
      [profile: context.profile, capabilities: declared(node), session: context.session] ++
        for {key, value} <- [vfs: context.vfs, timeout: context.timeout], value != nil, do: {key, value}

    case Instance.run(path, input, options) do
      {:ok, output} -> {:ok, output}
      {:error, reason} -> {:error, words(reason)}
    end
  end

  defp perform(
         %{component: %{"persist" => true}} = node,
         {:sh, script},
         input,
         message,
         %{vfs: %VFS{}} = context
       ) do
    within(fn dir ->
      file = Path.join(dir, "state")

      with {:ok, state} <- explained(Memory.state(context.vfs, node.key)),
           :ok <- explained(File.write(file, state)),
           {:ok, output} <- shell(script, input, message, dir, context),
           {:ok, new} <- explained(read(file)),
           :ok <- if(new == state, do: :ok, else: explained(Memory.put_state(context.vfs, node.key, new))),
           do: {:ok, output}
    end)
  end

  defp perform(_node, {:sh, script}, input, message, context), do: shell(script, input, message, nil, context)

  # What a component did not ask for is not there, whatever the profile grants.
  defp declared(node), do: for(use <- node.component["uses"], name = Policy.capability_of_use(use), do: name)

  defp shell(script, input, message, dir, context) do
    options =
      [profile: context.profile, stdin: input, workdir: dir, env: %{"WORKBOOKS_MESSAGE" => message}] ++
        if(context.timeout, do: [timeout: context.timeout], else: [])

    case Shell.run(script, options) do
      {:ok, %{status: 0, stdout: stdout}} ->
        {:ok, stdout}

      {:ok, %{status: status, stderr: stderr}} ->
        {:error, "it ended with status #{status}#{last_line(stderr)}"}

      {:error, reason} ->
        {:error, words(reason)}
    end
  end

  # A link in its place would lead out of the directory.
  defp read(file) do
    case File.lstat(file) do
      {:ok, %{type: :regular}} -> File.read(file)
      {:ok, _} -> {:error, :einval}
      {:error, :enoent} -> {:ok, ""}
      error -> error
    end
  end

  defp within(fun) do
    name = "workbooks-step-#{Base.encode16(:crypto.strong_rand_bytes(8), case: :lower)}"
    dir = Path.join(System.tmp_dir!(), name)

    with :ok <- explained(File.mkdir(dir)), :ok <- explained(File.chmod(dir, 0o700)) do
      try do
        fun.(dir)
      after
        File.rm_rf(dir)
      end
    end
  end

  defp explained(:ok), do: :ok
  defp explained({:ok, _} = ok), do: ok
  defp explained({:error, %Error{message: message}}), do: {:error, message}

  defp explained({:error, reason}) when is_atom(reason),
    do: {:error, "its state: #{:file.format_error(reason)}"}

  defp last_line(stderr) do
    case stderr |> Output.text() |> String.trim() |> String.split("\n") |> List.last() do
      "" -> ""
      line -> ": " <> String.slice(line, 0, 500)
    end
  end

  defp words(%Error{code: code}) when code in [:cpu_timeout, :timeout], do: "its time is up"
  defp words(%Error{code: :memory_limit}), do: "it wanted more memory than it may have"
  defp words(%Error{code: :trap, message: message}), do: String.replace_prefix(message, "the guest ", "it ")
  defp words(%Error{code: :cancelled}), do: "it was stopped"
  defp words(%Error{code: :busy}), do: "too many calls are waiting"
  defp words(%Error{code: :not_a_component}), do: "it is not a WebAssembly component"

  defp words(%Error{code: :not_granted, details: %{import: import, capability: capability}}),
    do: "it imports `#{import}`, and its `:uses` does not ask for `#{capability}`"

  defp words(%Error{message: message}), do: message
end
