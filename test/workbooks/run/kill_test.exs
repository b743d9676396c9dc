defmodule Workbooks.Run.KillTest do
  @moduledoc """
  A run in a VM of its own is killed at each boundary between two writes. What it had acknowledged is there, nothing is
  there that was not earned, and resuming ends as an undisturbed run does.
  """
  use Workbooks.RunCase, async: true

  alias Workbooks.{Ledger, OtherVM, RandomPlan, Telemetry}
  alias Workbooks.Run.Outline

  @moduletag timeout: 600_000

  @source Path.expand("../../../native/records/history/src/fault.rs", __DIR__)
  @external_resource @source
  @points for [_, name] <- Regex.scan(~r/^ +"([a-z.]+)",$/m, File.read!(@source)), do: name

  # Boundaries that lie on no run's way unless somebody else writes at the same moment.
  @elsewhere ["plan.kept", "copies.kept"]
  # Every run comes by these again and again: the second time there is something to lose.
  @often ["log.", "rows.", "plan."]
  @thorough System.get_env("WORKBOOKS_THOROUGH", "") != ""

  @org """
  #+TITLE: Ünfallfrei
  * TODO Group [0/3]
  ** TODO a1
  ** TODO a2
  :done-when: test -s never
  ** TODO a3
  :done-when: test -s there
  * Steps
  :ORDERED: t
  ** TODO b1
  ** TODO b2
  ** TODO b3
  * TODO last
  :BLOCKER: b3
  """

  # More than 64 KiB: its verdicts are heard of before they are in the plan.
  @large String.duplicate("# a line that nobody reads\n", 3_000) <> @org

  test "every point is named" do
    assert length(@points) > 20
    assert @elsewhere -- @points == []
  end

  # `make test` kills once at each point, `make kill` several times.
  for point <- @points,
      point not in @elsewhere,
      sure = if(String.starts_with?(point, @often), do: 2, else: 1),
      nth <- if(@thorough, do: [1, 2, 3, 5, 8], else: [sure]) do
    test "killed at #{point}, time #{nth}", context do
      plan!(context, @org)
      File.write!(Path.join(context.work, "there"), "x")
      {said, status} = run_and_die(context, "#{unquote(point)}:#{unquote(nth)}")
      # A run comes by some points only once.
      assert status == 137 or (unquote(nth) > unquote(sure) and status == 0), "not killed: #{said}"

      acknowledged = for [_, id, state] <- Regex.scan(~r/^ACK (\S+) (\S+)$/m, said), do: {id, state}
      {:ok, outline} = Outline.read(File.read!(context.plan))

      stated =
        for key <- outline.tasks, %{task: task} = outline.items[key], into: %{}, do: {task.id, task.state}

      for {id, state} <- acknowledged, do: assert({id, stated[id]} == {id, state})
      assert unproven(context) == []

      {:ok, run} = resume(context)
      result = Run.await!(run, 60_000)
      {:ok, outline} = Outline.read(@org)
      assert states(result) == RandomPlan.model(outline, fn id -> if id == "a2", do: :failed, else: :done end)

      assert result.org ==
               @org
               |> String.replace("TODO", "DONE")
               |> String.replace("DONE Group [0/3]", "PARTIAL Group [2/3]")
               |> String.replace("DONE a2", "FAILED a2")

      assert unproven(context) == []

      assert {:ok, %{tamper_evident: true, attributable: true, first_bad_line: nil}} =
               Ledger.verify(context.plan, history: context.history)

      assert {:ok, %{tamper_evident: true, attributable: true}} =
               Ledger.verify(context.work, history: context.history)

      assert {:ok, rows} = Telemetry.history(context.plan, "b2", history: context.history)
      assert List.last(rows)["state"] == "DONE"

      assert Enum.sort(File.ls!(context.work)) == [
               "_ledger.json",
               "_steps.jsonl",
               "_telemetry.db",
               "plan.org",
               "there"
             ]
    end
  end

  for point <- [
        "log.synced",
        "rows.committed",
        "plan.synced",
        "plan.exchanged",
        "plan.kept",
        "plan.noted",
        "close.ended"
      ],
      nth <-
        if(@thorough, do: [1, 2, 3, 4, 5, 6], else: [if(point =~ "log" or point =~ "rows", do: 5, else: 1)]) do
    test "a large plan, killed at #{point}, time #{nth}: what was heard of is there when it goes on",
         context do
      plan!(context, @large)
      File.write!(Path.join(context.work, "there"), "x")
      {said, status} = run_and_die(context, "#{unquote(point)}:#{unquote(nth)}")
      assert status == 137 or (unquote(nth) > 1 and status == 0), "not killed: #{said}"
      acknowledged = for [_, id, state] <- Regex.scan(~r/^ACK (\S+) (\S+)$/m, said), do: {id, state}

      # The history has it, whatever the plan says.
      verdicts =
        case Workbooks.History.last_verdicts(context.plan, history: context.history) do
          {:ok, rows} -> Map.new(rows, &{&1["task_id"], &1["state"]})
          {:error, %Error{code: :no_history}} -> %{}
        end

      for {id, state} <- acknowledged, do: assert({id, verdicts[id]} == {id, state})

      test = self()
      work = fn task -> send(test, {:worked, task.id}) && {:ok, ""} end
      {:ok, run} = Run.resume(context.work, run: work, history: context.history, width: 2)
      result = Run.await!(run, 60_000)
      for {id, "DONE"} <- acknowledged, do: refute_received({:worked, ^id})

      assert result.org ==
               @large
               |> String.replace("TODO", "DONE")
               |> String.replace("DONE Group [0/3]", "PARTIAL Group [2/3]")
               |> String.replace("DONE a2", "FAILED a2")

      assert unproven(context) == []

      assert {:ok, %{tamper_evident: true, problems: []}} =
               Ledger.verify(context.plan, history: context.history)
    end
  end

  defp unproven(context) do
    {:ok, claims} = Run.audit(context.plan, history: context.history)
    claims
  end

  defp resume(context),
    do: Run.resume(context.work, run: fn _ -> {:ok, ""} end, history: context.history, width: 2)

  defp run_and_die(context, fault) do
    script = """
    Application.put_env(:logger, :level, :error)
    {:ok, _} = Application.ensure_all_started(:workbooks)
    opts = [run: fn _ -> {:ok, ""} end, history: #{inspect(context.history)}, width: 2, subscribe: true]
    {:ok, run} = Workbooks.Run.start(#{inspect(context.plan)}, opts)

    hear = fn hear ->
      receive do
        {:workbooks, ^run, {:task_finished, %{id: id, state: state}}} when state in [:done, :failed, :partial] ->
          IO.puts("ACK \#{id} \#{state |> to_string() |> String.upcase()}")
          hear.(hear)

        {:workbooks, ^run, {:run_finished, _}} ->
          :ok

        _other ->
          hear.(hear)
      end
    end

    hear.(hear)
    """

    OtherVM.run(script, under: ["env", "LC_ALL=C.UTF-8", "WORKBOOKS_FAULT=#{fault}"])
  end
end
