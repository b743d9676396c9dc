defmodule Workbooks.Deploy do
  @moduledoc ~S'''
  The one way in which a plan goes live.

      {:ok, %{version: 1}} = Workbooks.Deploy.deploy("report", "report-v1.org")
      {:error, %Workbooks.Error{code: :breaking}} = Workbooks.Deploy.deploy("report", "report-v2.org")
      {:ok, result} = Workbooks.Deploy.run("report", "input")
      {:ok, %{version: 1}} = Workbooks.Deploy.rollback("report")

  Four steps, and a refusal at any of them changes nothing:

    1. the plan coheres (`Workbooks.OQL.validate/1`), holds a workflow and no cycle, and names no schedule that cannot be read
       and no capability that no host has
    2. it keeps the promises of the plan that is live (`Workbooks.OQL.check_upgrade/3`, and what `run/3` gives to a caller),
       and every capability that it newly asks for is granted
    3. every component is built, and fits
    4. the `:persist` components of the live version checkpoint, the disk is copied, and the new version takes the place of
       the old one at one moment. The old one is kept

  Killed anywhere, the VM finds the old version whole or the new one. `docs/deploy.md` has the whole story: the messages of
  a checkpoint, what is kept where, and what a rollback gives back.
  '''

  alias Workbooks.{Error, Lifecycle, OQL, Schedule, VFS, Workflow}
  alias Workbooks.Deploy.{Gate, Options, Refusal, Store, Version}
  alias Workbooks.Lifecycle.Checkpoint
  alias Workbooks.Workflow.{Grants, Program, Source}

  @type deployed :: %{
          id: String.t(),
          version: pos_integer,
          from: pos_integer | nil,
          unchanged: boolean,
          profile: String.t(),
          granted: [String.t()],
          overridden: [String.t()],
          diagnostics: [OQL.diagnostic()]
        }

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

  @typedoc "What is live under an id, since when (milliseconds since 1970), by whom and why; or what is wrong with it."
  @type listed :: %{
          id: String.t(),
          version: pos_integer | nil,
          at: integer | nil,
          by: String.t() | nil,
          why: String.t() | nil,
          problem: Error.t() | nil
        }

  @doc """
  Deploys a plan as the workbook `id`.

  `source` is the path of a plan, of a directory with a `workbook.org`, or of a bundle; a text is given as `{:org, text}`. The
  `vfs.sqlite` of a directory or a bundle becomes the disk of a workbook that has none yet.

  A plan that is live already, with the same artifacts and the same policy, makes no new version: the answer says
  `unchanged: true`.

  ## Options

    * `:grant` - capabilities that the plan newly asks for and may have, as `:uses` spells them
    * `:force` - `true` overrides step 2, and a `:persist` component that gives no checkpoint; needs `:why`
    * `:identity` - `true` makes `:WB_ID:` a workflow's identity in step 2, so that a rename is a rename
    * `:types` - `:structural` compares output types by structure in step 2; `:exact` by default
    * `:why`, `:by` - for the history. Without `:by` it is git's user, or the user of the system
    * `:profile` - the policy of the workbook. By default it is the one before, if that was given; else the least built-in
      profile that grants what the plan uses, at least `minimal`
    * `:dir` - where a plan that is given as text lies

  ## Errors

  | code | what happened | `details` |
  |---|---|---|
  | `:invalid_plan` | step 1 | `:diagnostics` |
  | `:breaking` | step 2: a promise would be broken | `:diagnostics` |
  | `:not_granted` | step 2: it newly asks for these | `:missing`, `:diagnostics` |
  | `:build_failed` | step 3 | `:failures`, each `%{component, why}`, and `:diagnostics` |
  | `:no_checkpoint` | step 4: these gave no checkpoint | `:failures`, `:diagnostics` |
  | `:conflict` | somebody else deploys the workbook at this moment | |
  """
  @spec deploy(String.t(), Source.plan(), keyword) :: {:ok, deployed} | {:error, Error.t()}
  def deploy(id, source, opts \\ []) when is_list(opts) do
    with :ok <- Lifecycle.check(id),
         {:ok, options} <- Options.new(opts) do
      work = fn source -> Store.change(id, &replace(id, &1, &2, source, options)) end
      source |> Source.using(options.dir, work) |> refresh_schedules()
    end
  end

  @doc "`deploy/3`, or an exception."
  @spec deploy!(String.t(), Source.plan(), keyword) :: deployed
  def deploy!(id, source, opts \\ []), do: bang(deploy(id, source, opts))

  # Where a scheduler runs, it learns of the change before the caller does.
  defp refresh_schedules({:ok, _} = changed) do
    if Process.whereis(Schedule), do: Schedule.refresh()
    changed
  end

  defp refresh_schedules(refused), do: refused

  defp replace(id, change, live, source, options) do
    with {:ok, old} <- version(id, live),
         {:ok, pass} <- Gate.judge(old && old.plan, source.org, options),
         {:ok, graphs} <- Program.all(source.org),
         {:ok, artifacts} <- Version.build(graphs, source),
         about = about(old, graphs, pass, options),
         {:ok, record, files} <- Version.record(artifacts, about) do
      answer = %{
        id: id,
        version: live && live.version,
        from: live && live.version,
        unchanged: true,
        profile: about.profile,
        granted: about.granted,
        overridden: [],
        diagnostics: pass.diagnostics
      }

      if Version.same?(old, source.org, record),
        do: {:ok, answer},
        else: swap(change, {live, old}, source, {record, files}, pass, answer, options)
    end
  end

  defp swap(change, {live, old}, source, {record, files}, pass, answer, options) do
    with {:ok, disk} <- Lifecycle.wake(answer.id),
         :ok <- bring(disk, live, source),
         {:ok, _number} <- Store.stage(change, source.org, record, files),
         {:ok, objections} <- checkpoint(old, disk, options),
         :ok <- Store.snapshot(change, disk),
         overridden = pass.overridden ++ objections,
         more = %{forced: options.force, overridden: overridden, granted: pass.granted},
         {:ok, now} <- Store.commit(change, Options.note(options, more)) do
      {:ok, %{answer | version: now.version, unchanged: false, overridden: overridden}}
    end
  end

  # A new workbook gets the disk that its source holds. One that is live, or has anything on its disk, keeps its own.
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

  # An upgrade without a checkpoint would lose the component's state, so only `force` goes on without one.
  defp checkpoint(old, disk, options) do
    case Checkpoint.take(old, disk) do
      {:ok, [_ | _] = failures} when not options.force -> {:error, Refusal.no_checkpoint(failures)}
      {:ok, failures} -> {:ok, Enum.map(failures, &Refusal.objection/1)}
      error -> error
    end
  end

  @doc """
  Makes the version before the live one live again: its plan, its artifacts, and the disk as it was when it was replaced.

  What the newer version left on the disk is kept in its directory, as `left.sqlite`. Takes `:by` and `:why`.
  """
  @spec rollback(String.t(), by: String.t(), why: String.t()) ::
          {:ok, %{id: String.t(), version: pos_integer, from: pos_integer}} | {:error, Error.t()}
  def rollback(id, opts \\ []) do
    with {:ok, _live} <- fetch_live(id), {:ok, options} <- Options.new(opts) do
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
      |> refresh_schedules()
    end
  end

  @doc "`rollback/2`, or an exception."
  @spec rollback!(String.t(), keyword) :: map
  def rollback!(id, opts \\ []), do: bang(rollback(id, opts))

  @doc "Every deploy and rollback of a workbook, the newest last."
  @spec history(String.t()) :: {:ok, [entry]} | {:error, Error.t()}
  def history(id) do
    with {:ok, _live} <- fetch_live(id),
         {:ok, entries} <- Store.ask(id, :history),
         do: {:ok, Enum.map(entries, &entry/1)}
  end

  @doc "`history/1`, or an exception."
  @spec history!(String.t()) :: [entry]
  def history!(id), do: bang(history(id))

  @keys [:n, :version, :from, :at, :by, :why, :forced, :overridden, :granted]

  defp entry(entry) do
    action = if entry["action"] == "rollback", do: :rollback, else: :deploy
    for key <- @keys, into: %{action: action}, do: {key, entry[Atom.to_string(key)]}
  end

  @doc "What is live: `version`, `plan`, `profile`, `granted`, and the `dir` it lies in."
  @spec live(String.t()) :: {:ok, map} | {:error, Error.t()}
  def live(id) do
    with {:ok, live} <- fetch_live(id), {:ok, version} <- Version.read(id, live) do
      {:ok, version |> Map.take([:id, :version, :plan, :profile, :granted]) |> Map.put(:dir, live.dir)}
    end
  end

  @doc "`live/1`, or an exception."
  @spec live!(String.t()) :: map
  def live!(id), do: bang(live(id))

  @doc "Everything that is live, by id. What cannot be read is there too, with its `problem`."
  @spec list() :: {:ok, [listed]} | {:error, Error.t()}
  def list do
    with {:ok, found} <- Store.list(), do: {:ok, Enum.map(found, &listed/1)}
  end

  @doc "`list/0`, or an exception."
  @spec list!() :: [listed]
  def list!, do: bang(list())

  defp listed(%{"id" => id, "problem" => problem} = found) do
    for key <- [:version, :at, :by, :why],
        into: %{id: id, problem: problem && Error.from_frame(problem)},
        do: {key, found[Atom.to_string(key)]}
  end

  @doc """
  When the workflows of a workbook run next, as `Workbooks.Schedule.next/1` gives it. Where no scheduler runs, the times come
  from the plan and from what was written down.
  """
  @spec next(String.t()) :: {:ok, [Schedule.entry()]} | {:error, Error.t()}
  def next(id) do
    with {:ok, _live} <- fetch_live(id),
         {:error, %Error{code: code}} when code in [:schedules_off, :unknown_workbook] <- Schedule.next(id),
         do: Schedule.forecast(plans([id]), Store.schedules())
  end

  @doc "`next/1`, or an exception."
  @spec next!(String.t()) :: [Schedule.entry()]
  def next!(id), do: bang(next(id))

  @doc """
  Runs a workflow of a deployed workbook, with its artifacts, its policy and its disk.

  Takes `:workflow`, `:width` and `:timeout` as `Workbooks.Workflow.run/3` does, and gives what it gives. A run that began
  under one version ends under it.
  """
  @spec run(String.t(), term, keyword) :: {:ok, Workflow.result()} | {:error, Error.t()}
  def run(id, input, opts \\ []) do
    with :ok <- Workflow.check_options(opts, [:workflow, :width, :timeout]),
         {:ok, live} <- fetch_live(id),
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

  @doc "`run/3`, or an exception."
  @spec run!(String.t(), term, keyword) :: Workflow.result()
  def run!(id, input, opts \\ []), do: bang(run(id, input, opts))

  @doc false
  # Every plan that is live, as `Workbooks.Schedule` takes them.
  @spec plans([String.t()]) :: [Schedule.live()]
  def plans(ids \\ Store.ids()), do: Enum.map(ids, &plan/1)

  # It looks without the lock, so a workbook that is being deployed is among them. A plan that cannot be read is there with
  # its error: if it were left out, the scheduler would forget what it knows of it.
  defp plan(id) do
    with {:ok, %{"version" => version}} <- Store.ask(id, :live),
         {:ok, %{"plan" => org}} <- Store.ask(id, {:version, version}),
         {:ok, entries} <- Store.ask(id, :history) do
      %{id: id, org: org, since: div(List.last(entries)["at"], 1_000)}
    else
      {:error, error} -> %{id: id, org: {:error, error}}
      {:ok, nil} -> %{id: id, org: nothing_deployed(id)}
    end
  end

  @doc false
  # Runs a job of `Workbooks.Schedule`. The input is the time it was due, as JSON: `{"due": "2026-06-11T09:30:00Z"}`. A nested
  # workflow runs with the outermost one around it, for its values may come from there.
  @spec run_job(Schedule.job()) :: {:ok, Workflow.result()} | {:error, Error.t()}
  def run_job(%{workbook: id, path: [outermost | _], due: due}),
    do: run(id, %{due: due |> DateTime.from_unix!() |> DateTime.to_iso8601()}, workflow: outermost)

  defp fetch_live(id) do
    with :ok <- Lifecycle.check(id), {:ok, nil} <- Store.live(id), do: nothing_deployed(id)
  end

  defp nothing_deployed(id),
    do: {:error, Error.new(:not_found, "nothing is deployed as `#{id}`", "deploy a plan first")}

  defp bang({:ok, value}), do: value
  defp bang({:error, error}), do: raise(error)
end
