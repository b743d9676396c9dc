# What a fresh, isolated instance costs from the BEAM, beside the same instantiate and call in plain wasmtime.
#
#     make guests
#     cargo build --release --workspace --examples
#     mix run bench/instance.exs
#
# Prints one line a figure, `name<TAB>value<TAB>unit`. The two sides alternate, because a machine's speed drifts; each
# figure is the best round's.

defmodule Bench.Instance do
  alias Workbooks.Instance

  @root Path.expand("..", __DIR__)
  @calls 5_000
  @rounds 5
  @processes 1_000
  @each 10
  @spinners 8
  @deadline 500

  def run do
    {:ok, "hello"} = Instance.run(guest("echo"), "hello")
    rounds = for _ <- 1..@rounds, do: {rust(), beam()}
    rust = rounds |> Enum.map(&elem(&1, 0)) |> Enum.min()
    beam = rounds |> Enum.map(&elem(&1, 1)) |> Enum.min()
    figure("echo in a fresh instance, plain wasmtime", us(rust), "us")
    figure("echo in a fresh instance, Instance.run", us(beam), "us")
    figure("Instance.run against plain wasmtime (goal: at most 2)", ratio(beam, rust), "times")

    alone = best(fn -> throughput(1, @processes * @each) end)
    crowd = best(fn -> throughput(@processes, @each) end)
    figure("one process, one call after the other", round(alone), "calls/s")
    figure("#{@processes} processes at once", round(crowd), "calls/s")
    cores = "#{System.schedulers_online()} cores"
    figure("throughput of the crowd against one (goal: scales with #{cores})", ratio(crowd, alone), "times")

    for {name, under} <- [{"+S 1", []}, {"+S 1, one core", ["taskset", "-c", "0"]}] do
      {slip, late} = spinning(under)
      figure("#{name}, #{@spinners} spinning guests: 1 ms timer slips by (goal: under 10)", ms(slip), "ms")

      figure(
        "#{name}, #{@spinners} spinning guests: stopped after the deadline by (goal: under 50)",
        ms(late),
        "ms"
      )
    end

    figure("resident memory after 10,000 more calls", Float.round(growth() / 1024 / 1024, 1), "MiB more")
  end

  defp beam do
    for(_ <- 1..@calls, do: time(fn -> Instance.run(guest("echo"), "hello") end))
    |> Enum.sort()
    |> Enum.at(div(@calls, 2))
  end

  defp rust do
    bench = Path.join(@root, "target/release/examples/instance_bench")
    {out, 0} = System.cmd(bench, [guest("echo"), "#{@calls}"])
    [_, median] = Regex.run(~r/median (\d+)/, out)
    String.to_integer(median)
  end

  defp throughput(processes, each) do
    work = fn -> for _ <- 1..each, do: {:ok, "hello"} = Instance.run(guest("echo"), "hello") end

    nanos =
      time(fn -> 1..processes |> Enum.map(fn _ -> Task.async(work) end) |> Task.await_many(:infinity) end)

    processes * each * 1.0e9 / nanos
  end

  # A VM of its own: this one has all its schedulers.
  defp spinning(under) do
    script = """
    Application.load(:workbooks)
    Application.put_env(:workbooks, :guest_threads, #{System.schedulers_online()})
    {:ok, _} = Application.ensure_all_started(:workbooks)
    spin = fn time -> Workbooks.Instance.run(#{inspect(guest("spin"))}, "", timeout: time) end
    spin.(10)
    now = fn -> System.monotonic_time(:microsecond) end
    parent = self()

    tick = fn tick, last, worst ->
      receive do
        :stop -> send(parent, {:slip, worst})
      after
        1 -> tick.(tick, now.(), max(worst, now.() - last - 1_000))
      end
    end

    for _ <- 1..#{@rounds} do
      ticker = spawn_link(fn -> tick.(tick, now.(), 0) end)
      calls = for _ <- 1..#{@spinners}, do: Task.async(fn -> :timer.tc(fn -> spin.(#{@deadline}) end) end)
      late = calls |> Task.await_many() |> Enum.map(&elem(&1, 0)) |> Enum.max()
      send(ticker, :stop)
      slip = receive do {:slip, slip} -> slip end
      IO.puts("\#{slip} \#{late - #{@deadline} * 1_000}")
    end
    """

    ebin = Application.app_dir(:workbooks, "ebin")
    [command | args] = under ++ ["elixir", "--erl", "+S 1:1", "-pa", ebin, "-e", script]
    {out, 0} = System.cmd(command, args)

    rounds =
      for line <- String.split(out, "\n", trim: true),
          do: line |> String.split() |> Enum.map(&String.to_integer/1)

    [slips, late] = Enum.zip_with(rounds, & &1)
    {Enum.min(slips), Enum.min(late)}
  end

  defp growth do
    before = resident()
    throughput(1, 10_000)
    resident() - before
  end

  defp resident do
    [_, pages | _] = String.split(File.read!("/proc/self/statm"))
    String.to_integer(pages) * 4096
  end

  defp best(measure), do: Enum.max(for _ <- 1..@rounds, do: measure.())

  defp time(fun) do
    start = System.monotonic_time(:nanosecond)
    fun.()
    System.monotonic_time(:nanosecond) - start
  end

  defp guest(name) do
    dir = System.get_env("WORKBOOKS_GUESTS", Path.join(@root, "target/guests/wasm32-wasip2/release"))
    Path.join(dir, "#{name}.wasm")
  end

  defp ratio(a, b), do: Float.round(a / b, 2)
  defp us(nanos), do: Float.round(nanos / 1_000, 1)
  defp ms(micros), do: Float.round(micros / 1_000, 1)
  defp figure(name, value, unit), do: IO.puts("#{name}\t#{value}\t#{unit}")
end

Bench.Instance.run()
