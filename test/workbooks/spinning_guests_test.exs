defmodule Workbooks.SpinningGuestsTest do
  # Guests that never come back, on every thread there is, beside a BEAM with one scheduler.
  use ExUnit.Case, async: false

  alias Workbooks.{Guests, OtherVM}

  @moduletag timeout: 120_000

  @script ~S"""
  Application.load(:workbooks)
  Application.put_env(:workbooks, :guest_threads, THREADS)
  {:ok, _} = Application.ensure_all_started(:workbooks)

  defmodule Spin do
    @deadline 500

    def round(spin, guests) do
      {slip, ended} =
        Workbooks.Heartbeat.slip(fn ->
          calls = for _ <- 1..guests, do: Task.async(fn -> :timer.tc(Workbooks.Instance, :run, [spin, "", [timeout: @deadline]]) end)
          Task.await_many(calls)
        end)

      for {_, answer} <- ended, do: {:error, :cpu_timeout} = answer
      {slip, Enum.max(for {took, _} <- ended, do: took - @deadline * 1_000)}
    end
  end

  Workbooks.Instance.run("SPIN", "", timeout: 10)
  rounds = for _ <- 1..6, do: Spin.round("SPIN", 8)
  {slips, late} = Enum.unzip(rounds)
  IO.puts("slip #{Enum.min(slips)} us, late #{Enum.min(late)} us; all: #{inspect(rounds)}")
  """

  # A busy machine delays everybody now and then; a design that is wrong delays them in every round.
  for {where, command} <- [{"with one scheduler", []}, {"on a single core", ["taskset", "-c", "0"]}],
      threads <- [1, 4] do
    test "#{where}, 8 spinning guests on #{threads} threads: a 1 ms ticker slips under 10 ms, deadlines hold within 50 ms" do
      script =
        @script
        |> String.replace("THREADS", "#{unquote(threads)}")
        |> String.replace("SPIN\"", Guests.path("spin") <> "\"")

      {output, 0} = OtherVM.run(script, erl: "+S 1:1", under: unquote(command))
      [_, slip, late] = Regex.run(~r/slip (\d+) us, late (-?\d+) us/, output)
      assert String.to_integer(slip) < 10_000, output
      assert String.to_integer(late) < 50_000, output
    end
  end
end
