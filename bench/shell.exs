# The shell against a native one, against an in-process one, and in bulk. Prints `figure<TAB>value<TAB>unit`.
alias Workbooks.Shell

[rivals] = Enum.map(System.argv(), &Path.expand/1)

defmodule Bench do
  def median(rounds, fun) do
    times = for _ <- 1..rounds, do: elem(:timer.tc(fun), 0)
    times |> Enum.sort() |> Enum.at(div(rounds, 2))
  end

  def once(fun), do: elem(:timer.tc(fun), 0)
  def figure(name, value, unit), do: IO.puts("#{name}\t#{value}\t#{unit}")
  def round2(value), do: :erlang.float_to_binary(value / 1, decimals: 2)

  def resident do
    [_, kib] = Regex.run(~r/VmRSS:\s+(\d+) kB/, File.read!("/proc/self/status"))
    String.to_integer(kib) / 1024
  end
end

rival = fn name, script, rounds ->
  {time, 0} = System.cmd(rivals, [name, script, to_string(rounds)])
  time |> String.trim() |> String.to_float()
end

pipeline = "echo hello | tr a-z A-Z | wc -c"
{:ok, %{stdout: "6\n"}} = Shell.run(pipeline)
Bench.median(50, fn -> Shell.run(pipeline) end)

# Interleaved, so that a busy moment does not hit one side alone.
rounds =
  for _ <- 1..5 do
    {Bench.median(100, fn -> {:ok, _} = Shell.run(pipeline) end), rival.("sh", pipeline, 50),
     rival.("bashkit", pipeline, 50)}
  end

middle = fn n -> rounds |> Enum.map(&elem(&1, n)) |> Enum.sort() |> Enum.at(2) end
[ours, sh, bashkit] = Enum.map(0..2, middle)
Bench.figure("`#{String.replace(pipeline, "|", "\\|")}`, Workbooks.Shell", ours, "us")
Bench.figure("the same, /bin/sh -c", sh, "us")
Bench.figure("/bin/sh against Workbooks.Shell (goal: at least 3)", Bench.round2(sh / ours), "times slower")
Bench.figure("the same, bashkit (in process, no sandbox)", bashkit, "us")

Bench.figure(
  "Workbooks.Shell against bashkit (goal: at most 3)",
  Bench.round2(ours / bashkit),
  "times slower"
)

Bench.figure("a script of builtins", Bench.median(200, fn -> {:ok, _} = Shell.run("true") end), "us")
Bench.figure("one command", Bench.median(200, fn -> {:ok, _} = Shell.run("wbox true") end), "us")

count = 2_000

time =
  Bench.once(fn ->
    1..count
    |> Task.async_stream(fn _ -> {:ok, _} = Shell.run("wbox true") end,
      max_concurrency: 16,
      timeout: :infinity
    )
    |> Stream.run()
  end)

Bench.figure("commands started, 16 at once", round(count * 1_000_000 / time), "per second")

dir = Path.join(System.tmp_dir!(), "workbooks-bench-#{System.pid()}")
File.mkdir_p!(dir)

try do
  # Lines of a few thousand words in no order, 100 MB of them.
  :rand.seed(:exsss, {1, 2, 3})
  words = for n <- 1..5_000, do: "word-#{:erlang.phash2({n, :salt}, 1_000_000)} and some more text\n"
  words = List.to_tuple(words)
  piece = fn -> for _ <- 1..30_000, do: elem(words, :rand.uniform(5_000) - 1) end
  big = Path.join(dir, "big")

  File.open!(big, [:write, :raw], fn file ->
    Stream.repeatedly(piece)
    |> Enum.reduce_while(0, fn lines, size ->
      :ok = :file.write(file, lines)
      size = size + IO.iodata_length(lines)
      if size < 100_000_000, do: {:cont, size}, else: {:halt, size}
    end)
  end)

  script = "sort big | uniq -c | tail -n 1"
  {:ok, %{stdout: expected, status: 0}} = Shell.run(script, workdir: dir, timeout: 60_000)
  sorted = "#{rivals} sort big | #{rivals} uniq -c | #{rivals} tail -n 1"

  run_native = fn ->
    {^expected, 0} = System.cmd("/bin/sh", ["-c", sorted], cd: dir, env: [{"LC_ALL", "C"}])
  end

  run_ours = fn -> {:ok, %{stdout: ^expected}} = Shell.run(script, workdir: dir, timeout: 60_000) end
  run_native.()

  {ours, theirs} = Enum.unzip(for _ <- 1..3, do: {Bench.once(run_ours), Bench.once(run_native)})

  [ours, theirs] = Enum.map([ours, theirs], fn times -> times |> Enum.sort() |> Enum.at(1) end)
  Bench.figure("100 MB `sort \\| uniq -c`, Workbooks.Shell", Bench.round2(ours / 1.0e6), "s")
  Bench.figure("the same coreutils, native", Bench.round2(theirs / 1.0e6), "s")

  Bench.figure(
    "Workbooks.Shell against native (goal: at most 2.5)",
    Bench.round2(ours / theirs),
    "times slower"
  )
after
  File.rm_rf!(dir)
end

stages = 40
before = Bench.resident()
script = Enum.map_join(1..stages, " | ", fn _ -> "cat" end)
waiting = for _ <- 1..5, do: Task.async(fn -> Shell.run("sleep 3 | " <> script) end)
Process.sleep(1_500)
Bench.figure("memory of an idle stage", Bench.round2((Bench.resident() - before) / (5 * (stages + 1))), "MiB")
Task.await_many(waiting, :infinity)
