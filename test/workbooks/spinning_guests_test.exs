defmodule Workbooks.SpinningGuestsTest do
  # Guests that never come back, on every thread there is, beside a BEAM with one scheduler. A second such BEAM beside as
  # many native processes that never come back says what this machine can do at this moment.
  use ExUnit.Case, async: false

  alias Workbooks.{Guests, OtherVM}

  @moduletag timeout: 300_000

  @script ~S"""
  Application.load(:workbooks)
  Application.put_env(:workbooks, :guest_threads, THREADS)
  {:ok, _} = Application.ensure_all_started(:workbooks)
  alias Workbooks.{Heartbeat, Instance}

  deadline = 500
  run = fn -> :timer.tc(Instance, :run, [SPIN, "", [timeout: deadline]]) end
  Instance.run(SPIN, "", timeout: 10)
  control = Heartbeat.control!()

  rounds =
    for _ <- 1..6 do
      {gap, there, {ended, native}} =
        Heartbeat.gaps(control, THREADS, fn ->
          native = Task.async(fn -> Heartbeat.native_deadline(deadline) end)
          calls = for _ <- 1..8, do: Task.async(run)
          {Task.await_many(calls, :infinity), Task.await(native, :infinity)}
        end)

      for {_, answer} <- ended, do: {:error, %Workbooks.Error{code: :cpu_timeout}} = answer
      {{gap, there}, {Enum.max(for {took, _} <- ended, do: took), native}}
    end

  {ticks, deadlines} = Enum.unzip(rounds)
  {ours, controls} = Enum.unzip(ticks)
  {took, native} = Enum.unzip(deadlines)
  IO.inspect(rounds, limit: :infinity, label: "{{gap, control}, {took, native}} in us")
  if not Heartbeat.kept_time?(ours, controls), do: IO.puts("the scheduler lost its time")
  # A thread that cannot be interrupted serves one guest after another: eight times as long, or four.
  if Enum.min(took) > 2 * Heartbeat.median(native), do: IO.puts("the deadlines were missed")
  """

  for {where, command} <- [{"with one scheduler", []}, {"on a single core", ["taskset", "-c", "0"]}],
      threads <- [1, 4] do
    test "#{where}, 8 spinning guests on #{threads} threads cost the scheduler and the deadlines no more than native ones" do
      script =
        @script
        |> String.replace("THREADS", "#{unquote(threads)}")
        |> String.replace("SPIN", inspect(Guests.path("spin")))

      {output, 0} = OtherVM.run(script, erl: "+S 1:1", under: unquote(command))
      refute output =~ "the scheduler lost its time", output
      refute output =~ "the deadlines were missed", output
    end
  end
end
