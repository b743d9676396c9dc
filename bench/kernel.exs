# What a kernel call costs from the BEAM, beside the same call in Rust alone.
#
#     cargo build --release --workspace --examples
#     mix run bench/kernel.exs
#
# Prints one line a figure, `name<TAB>value<TAB>unit`: the median of many calls, in the best round. Both sides make a
# fresh instance for every call, one call after the other. The two alternate, because a machine's speed drifts; the
# difference between the best rounds is what the BEAM adds.

defmodule Bench.Kernel do
  @plan """
  * Broken workflow :workflow:
  ** Summarize :component:
  #+begin_src js :in events:list :out summary:string
  export default (e) => e;
  #+end_src
  ** Orphan task :component:
  """
  @calls 10_000
  @rounds 5

  def run do
    2 = length(Workbooks.OQL.validate(@plan))
    rounds = for _ <- 1..@rounds, do: {rust(), beam()}
    rust = rounds |> Enum.map(&elem(&1, 0)) |> Enum.min()
    beam = rounds |> Enum.map(&elem(&1, 1)) |> Enum.min()

    figure("validate, worked example, fresh instance, Rust", rust)
    figure("validate, worked example, fresh instance, BEAM", beam)
    figure("what the BEAM adds to a call (goal: at most 30)", beam - rust)
  end

  defp beam do
    for(_ <- 1..@calls, do: time(fn -> Workbooks.OQL.validate(@plan) end))
    |> Enum.sort()
    |> Enum.at(div(@calls, 2))
  end

  defp time(fun) do
    start = System.monotonic_time(:nanosecond)
    fun.()
    System.monotonic_time(:nanosecond) - start
  end

  defp rust do
    plan = Path.join(System.tmp_dir!(), "workbooks-bench-#{System.pid()}.org")
    File.write!(plan, @plan)
    config = Workbooks.Config.new!(Application.get_all_env(:workbooks))
    bench = Path.expand("../target/release/examples/kernel_bench", __DIR__)
    {out, 0} = System.cmd(bench, [config.kernel, config.cache_dir, plan, "#{@calls}"])
    File.rm!(plan)
    [_, median] = Regex.run(~r/median (\d+)/, out)
    String.to_integer(median)
  end

  defp figure(name, nanos), do: IO.puts("#{name}\t#{Float.round(nanos / 1000, 1)}\tus")
end

Bench.Kernel.run()
