defmodule Workbooks.DocsTest do
  use ExUnit.Case, async: true

  @root Path.expand("..", __DIR__)
  @readme File.read!(Path.join(@root, "README.md"))

  # What each row of the maturity table stands on.
  @stands_on %{
    "the kernel" => Workbooks.OQL,
    "running components" => Workbooks.Instance,
    "conformance" => Workbooks.Conformance,
    "the disk" => Workbooks.VFS,
    "the shell" => Workbooks.Shell,
    "runs, checks" => Workbooks.Run,
    "deploy" => Workbooks.Deploy,
    "toolkits" => Workbooks.Toolkits,
    "agent sessions" => Workbooks.Session,
    "HTTP" => Workbooks.Server
  }

  for {part, module} <- @stands_on do
    test "the maturity table is honest about #{part}" do
      exists? = Code.ensure_loaded?(unquote(module))
      assert {unquote(part), state(unquote(part)) != "not yet"} == {unquote(part), exists?}
    end
  end

  test "every page that the README and the guides link to is there" do
    for page <- [Path.join(@root, "README.md") | Path.wildcard(Path.join(@root, "docs/**/*.md"))],
        [_, link] <- Regex.scan(~r/\]\(([^)#]+)[^)]*\)/, File.read!(page)),
        not String.starts_with?(link, "http") do
      assert File.exists?(Path.expand(link, Path.dirname(page))), "#{page} links to #{link}"
    end
  end

  test "the reference page of wbx is what wbx says of itself" do
    wbx = Path.join(@root, "target/release/wbx")
    {page, 0} = System.cmd(wbx, ["help", "--markdown"])
    assert File.read!(Path.join(@root, "docs/reference/wbx.md")) == page
  end

  defp state(part) do
    [row] = Regex.run(~r/^\| [^|]*#{part}.*$/m, @readme)
    [_, _, state | _] = row |> String.split("|") |> Enum.map(&String.trim/1)
    state
  end
end
