defmodule Workbooks.Deploy do
  @moduledoc ~S'''
  The one way in which a plan goes live.

      {:ok, %{version: 1}} = Workbooks.Deploy.deploy("report", "report-v1.org")
      {:error, {:breaking, diagnostics}} = Workbooks.Deploy.deploy("report", "report-v2.org")
      {:ok, result} = Workbooks.Deploy.run("report", "input")
      {:ok, %{version: 1}} = Workbooks.Deploy.rollback("report")

  Four steps, and a refusal at any of them changes nothing:

    1. the plan coheres (`Workbooks.OQL.validate/1`), and its data edges form no cycle
    2. it keeps the promises of the plan that is live (`Workbooks.OQL.check_upgrade/3`), and every capability that it
       newly asks for is granted
    3. every component is built, and fits
    4. the `:persist` components of the live version checkpoint, the disk is copied, and the new version takes the place of
       the old one at one moment. The old one is kept

  Killed anywhere, the VM finds the old version whole or the new one. `docs/deploy.md` has the whole story: the messages of
  a checkpoint, what is kept where, and what a rollback gives back.
  '''

  alias Workbooks.{Error, Lifecycle, OQL, Schedule, VFS, Workflow}
  alias Workbooks.Deploy.{Gate, Options, Store, Version}
  alias Workbooks.Lifecycle.Checkpoint
  alias Workbooks.Workflow.{Grants, Program, Source}

  @type deployed :: %{
          id: String.t(),
          version: pos_integer,
          from: pos_integer | nil,
          profile: String.t(),
          granted: [String.t()],
          overridden: [String.t()],
          diagnostics: [OQL.diagnostic()]
        }

  @type failure :: %{component: String.t(), why: String.t()}
  @type refusal :: Gate.refusal() | {:build, [failure]} | {:checkpoint, [failure]}

  @type entry :: %{
          n: pos_integer,
          action: :deploy | :rollback,
          version: pos_integer,
          from: pos_integer | nil,
          at: integer,
          by: String.t(),
          why: String.t() | nil,
          forced: boolean,
          overridden: [String.t()],
          granted: [String.t()]
        }

  @doc """
  Deploys a plan as the workbook `id`.

  `source` is Org text (`{:text, org}` leaves no doubt), a file, a directory with a `workbook.org`, or a bundle. The
  `vfs.sqlite` of a directory or a bundle becomes the disk of a workbook that has none yet.

  ## Options

    * `:grant` - capabilities that the plan newly asks for and may have, as `:uses` spells them
    * `:force` - `true` overrides step 2, and a `:persist` component that gives no checkpoint; needs `:why`
    * `:why`, `:by` - for the history; `:by` is the user of the VM by default
    * `:profile` - the policy of the workbook. By default it is the one before, if that was given; else the least built-in
      profile that grants what the plan uses, at least `minimal`
    * `:dir` - where a plan that is given as text lies

  ## Errors

  | reason | what happened |
  |---|---|
  | `{:invalid, diagnostics}` | step 1 |
  | `{:breaking, diagnostics}` | step 2: a promise would be broken |
  | `{:ungranted, capabilities}` | step 2: it newly asks for these |
  | `{:build, failures}` | step 3: each is `%{component, why}` |
  | `{:checkpoint, failures}` | step 4: these gave no checkpoint |
  | an error `:conflict` | somebody else deploys the workbook at this moment |
  """
  @spec deploy(String.t(), Source.plan(), keyword) :: {:ok, deployed} | {:error, refusal}
  def deploy(id, source, opts \\ []) when is_list(opts) do
    with {:ok, options} <- Options.new(opts),
         :ok <- Lifecycle.check(id) do
      work = fn source -> Store.change(id, &replace(id, &1, &2, source, options)) end
      source |> Source.using(options.dir, work) |> noticed()
    end
  end

  # What is scheduled may have changed.
  defp noticed({:ok, _} = changed) do
    if Process.whereis(Schedule), do: Schedule.refresh()
    changed
  end

  defp noticed(refused), do: refused

  defp replace(id, change, live, source, options) do
    with {:ok, old} <- version(id, live),
         {:ok, pass} <-
           Gate.judge(old && old.plan, source.org, grant: options.grant, force: options.force),
         {:ok, graphs} <- Program.all(source.org),
         {:ok, artifacts} <- Version.build(graphs, source),
         about = about(old, graphs, pass, options),
         {:ok, record, files} <- Version.record(artifacts, about),
         {:ok, disk} <- Lifecycle.wake(id),
         :ok <- bring(disk, live, source),
         {:ok, _number} <- Store.stage(change, source.org, record, files),
         {:ok, lost} <- checkpoint(old, disk, options),
         :ok <- Store.snapshot(change, disk),
         overridden = pass.overridden ++ lost,
         more = %{forced: options.force, overridden: overridden, granted: pass.granted},
         {:ok, now} <- Store.commit(change, Options.note(options, more)) do
      {:ok,
       %{
         id: id,
         version: now.version,
         from: live && live.version,
         profile: about.profile,
         granted: about.granted,
         overridden: overridden,
         diagnostics: pass.diagnostics
       }}
    end
  end

  # A new workbook brings its disk along. One that lives, or has anything on its disk, keeps what it has.
  defp bring(disk, nil, %Source{disk: path}) when path != nil do
    empty = Enum.all?([:workspace, :memory, :tmp], &(VFS.list(disk, &1) == {:ok, []}))
    if empty, do: VFS.restore(disk, path), else: :ok
  end

  defp bring(_disk, _live, _source), do: :ok

  defp version(_id, nil), do: {:ok, nil}
  defp version(id, live), do: Version.read(id, live)

  defp about(old, graphs, pass, options) do
    uses = graphs |> Enum.flat_map(&Grants.asked/1) |> Enum.uniq() |> Enum.sort()

    {profile, given} =
      cond do
        options.profile -> {to_string(options.profile), true}
        old && old.profile_given -> {old.profile, true}
        true -> {Grants.least_profile(uses), false}
      end

    before = if old, do: old.granted, else: uses
    granted = Enum.sort(Enum.uniq(before ++ pass.granted))
    %{profile: profile, profile_given: given, granted: granted}
  end

  # A component that cannot say what it wants kept holds the upgrade up, unless somebody takes that upon himself.
  defp checkpoint(old, disk, options) do
    case Checkpoint.take(old, disk) do
      {:ok, [_ | _] = failures} when not options.force ->
        {:error, {:checkpoint, failures}}

      {:ok, failures} ->
        {:ok, for(f <- failures, do: "component `#{f.component}` gave no checkpoint: #{f.why}")}

      error ->
        error
    end
  end

  @doc """
  Makes the version before the live one live again: its plan, its artifacts, and the disk as it was when it was replaced.

  What the newer version left on the disk is kept in its directory, as `left.sqlite`. Takes `:by` and `:why`.
  """
  @spec rollback(String.t(), by: String.t(), why: String.t()) :: {:ok, map} | {:error, Error.t()}
  def rollback(id, opts \\ []) do
    with {:ok, options} <- Options.new(opts), {:ok, _live} <- something(id) do
      id
      |> Store.change(fn change, live ->
        with {:ok, %{parent: parent}} when parent != nil <- Version.read(id, live),
             {:ok, disk} <- Lifecycle.wake(id),
             {:ok, now} <- Store.roll_back(id, change, disk, Options.note(options)) do
          {:ok, %{id: id, version: now.version, from: live.version}}
        else
          {:ok, %{version: version}} ->
            text = "version #{version} of `#{id}` is the first, and there is none to go back to"
            {:error, Error.new(:not_found, text, "deploy another plan instead")}

          error ->
            error
        end
      end)
      |> noticed()
    end
  end

  @doc "Every deploy and rollback of a workbook, the newest last."
  @spec history(String.t()) :: {:ok, [entry]} | {:error, Error.t()}
  def history(id) do
    with {:ok, _live} <- something(id),
         {:ok, entries} <- Store.ask(id, :history),
         do: {:ok, Enum.map(entries, &entry/1)}
  end

  @keys [:n, :version, :from, :at, :by, :why, :forced, :overridden, :granted]

  defp entry(entry) do
    action = if entry["action"] == "rollback", do: :rollback, else: :deploy
    for key <- @keys, into: %{action: action}, do: {key, entry[Atom.to_string(key)]}
  end

  @doc "What is live: `version`, `plan`, `profile`, `granted`, and the `dir` it lies in."
  @spec live(String.t()) :: {:ok, map} | {:error, Error.t()}
  def live(id) do
    with {:ok, live} <- something(id), {:ok, version} <- Version.read(id, live) do
      {:ok, version |> Map.take([:id, :version, :plan, :profile, :granted]) |> Map.put(:dir, live.dir)}
    end
  end

  @doc "The ids of everything that is deployed, sorted."
  @spec list() :: [String.t()]
  def list, do: Store.ids()

  @doc """
  Runs a workflow of a deployed workbook, with its artifacts, its policy and its disk.

  Takes `:workflow`, `:width` and `:timeout` as `Workbooks.Workflow.run/3` does, and gives what it gives. A run that began
  under one version ends under it.
  """
  @spec run(String.t(), term, keyword) :: {:ok, Workflow.result()} | {:error, Error.t()}
  def run(id, input, opts \\ []) do
    with :ok <- Workflow.check_options(opts, [:workflow, :width, :timeout]),
         {:ok, live} <- something(id),
         {:ok, version} <- Version.read(id, live),
         {:ok, graph} <- Program.choose(version.graphs, opts[:workflow]),
         {:ok, disk} <- Lifecycle.wake(id) do
      options = %{
        profile: version.profile,
        vfs: disk,
        session: %{id: id},
        version: version.version,
        width: opts[:width],
        timeout: opts[:timeout]
      }

      Workflow.run_built(graph, version.artifacts, input, options)
    end
  end

  @doc "Every plan that is live, as `Workbooks.Schedule` takes them."
  @spec plans([String.t()]) :: [Schedule.live()]
  def plans(ids \\ list()), do: Enum.map(ids, &plan/1)

  # Looks without a lock, so that a deploy under way hides nothing. A plan that cannot be read has not gone.
  defp plan(id) do
    with {:ok, %{"version" => version}} <- Store.ask(id, :live),
         {:ok, %{"plan" => org}} <- Store.ask(id, {:version, version}),
         {:ok, entries} <- Store.ask(id, :history) do
      %{id: id, org: org, since: div(List.last(entries)["at"], 1_000)}
    else
      {:error, error} -> %{id: id, org: {:error, error}}
      {:ok, nil} -> %{id: id, org: nothing(id)}
    end
  end

  @doc """
  Runs a job of `Workbooks.Schedule`. The input is the time it was due, as JSON: `{"due": "2026-06-11T09:30:00Z"}`. What is
  nested runs with the whole that it stands in, for its values may come from there.
  """
  @spec run_job(Schedule.job()) :: {:ok, Workflow.result()} | {:error, Error.t()}
  def run_job(%{workbook: id, path: [outermost | _], due: due}),
    do: run(id, %{due: due |> DateTime.from_unix!() |> DateTime.to_iso8601()}, workflow: outermost)

  defp something(id) do
    with :ok <- Lifecycle.check(id), {:ok, nil} <- Store.live(id), do: nothing(id)
  end

  defp nothing(id),
    do: {:error, Error.new(:not_found, "nothing is deployed as `#{id}`", "deploy a plan first")}
end
