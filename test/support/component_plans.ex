defmodule Workbooks.ComponentPlans do
  @moduledoc "Plans of components, by hand and by a seed."

  @doc "A component that runs a script."
  def sh(title, header, script, level \\ 2) do
    stars = String.duplicate("*", level)
    "#{stars} #{title} :component:\n#+begin_src sh #{header}\n#{String.trim_trailing(script)}\n#+end_src\n"
  end

  @doc """
  A plan made by a seed: one workflow, sometimes with others nested in it. Its components are scripts that take and give a
  few values, so that most plans have edges, some a cycle, and some an input that nobody makes.
  """
  def random(seed, opts \\ []) do
    random = :rand.seed_s(:exsss, {seed, 17, 29})
    {count, random} = :rand.uniform_s(6, random)
    {parts, _} = Enum.map_reduce(1..count, {random, 2}, &part(&1, &2, opts))
    IO.iodata_to_binary(["* Flow :workflow:\n" | parts])
  end

  defp part(n, {random, level}, opts) do
    {nest, random} = :rand.uniform_s(5, random)
    {head, level} = if nest == 1 and level < 4, do: {nested(n, level), level + 1}, else: {[], level}
    {header, random} = header(random, opts)
    {[head, sh("C#{n}", header, "cat", level)], {random, level}}
  end

  defp nested(n, level), do: "#{String.duplicate("*", level)} Inner#{n} :workflow:\n"

  defp header(random, opts) do
    {takes, random} = :rand.uniform_s(3, random)
    {ins, random} = Enum.map_reduce(1..takes, random, fn _, random -> value(random) end)
    {gives, random} = :rand.uniform_s(4, random)
    {out, random} = value(random)
    {asks, random} = :rand.uniform_s(6, random)
    uses = Keyword.get(opts, :uses, [])

    header = [
      if(takes > 1, do: [" :in ", ins |> tl() |> Enum.join(",")], else: []),
      if(gives > 1, do: [" :out ", out], else: []),
      if(asks <= length(uses), do: [" :uses ", Enum.at(uses, asks - 1)], else: [])
    ]

    {IO.iodata_to_binary(header), random}
  end

  defp value(random) do
    {n, random} = :rand.uniform_s(5, random)
    {"v#{n}:string", random}
  end
end
