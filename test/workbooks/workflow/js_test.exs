defmodule Workbooks.Workflow.JsTest do
  use Workbooks.DeployCase, async: true

  alias Workbooks.Workflow

  defp run(org, input, opts \\ []), do: Workflow.run({:org, org}, input, opts)

  defp js(title, header, source),
    do: "** #{title} :component:\n#+begin_src js #{header}\n#{source}\n#+end_src\n"

  test "text and JSON arrive as their types say" do
    plan =
      flow([
        js("Words", ":out words:json", "export default (text) => text.split(' ')"),
        js("Count", ":in words:json :out count:json", "export default (words) => words.length"),
        js(
          "Both",
          ":in words:json,count:json :out said:string",
          "export default (i) => `${i.count}: ${i.words.join('-')}`"
        ),
        sh("Shout", ":in said:string :out loud:string", "tr a-z A-Z")
      ])

    assert {:ok, result} = run(plan, "to be or not")
    assert result.exports == %{"loud" => "4: TO-BE-OR-NOT"}
  end

  test "a throw is the component's failure, with its message" do
    plan =
      flow([
        js("Bad", ":out x", "export default () => { throw new Error('no paper') }"),
        sh("Use", ":in x :out y", "cat")
      ])

    assert {:ok, %{tasks: %{"Bad" => {:error, why}, "Use" => {:error, later}}}} = run(plan, "")
    assert why =~ "no paper"
    assert later =~ "`Bad` failed: " and later =~ "no paper"
  end

  test "the Dock is there for what was declared", %{tmp_dir: dir} do
    plan = flow(js("Ask", ":uses workbook:fs :out rows:json", "export default () => vfsQuery('SELECT 1, 2')"))
    disk = VFS.open!(Path.join(dir, "disk.sqlite"))
    assert {:ok, %{exports: %{"rows" => [[1, 2]]}}} = run(plan, "", vfs: disk)

    silent = String.replace(plan, ":uses workbook:fs ", "")
    assert {:ok, %{tasks: %{"Ask" => {:error, why}}}} = run(silent, "", vfs: disk)
    assert why =~ "needs the capability `vfs`"
  end

  test "source that cannot be read is refused before anything runs, and so is a language without a lane" do
    assert {:error, %{code: :build_failed, details: %{failures: [%{component: "Odd"}]}}} =
             run(flow(js("Odd", ":out x", "export default (x => x")), "")

    rust = String.replace(flow(js("Odd", ":out x", "fn main() {}")), "src js", "src rust")

    assert {:error, %{details: %{failures: [%{why: "there is no lane for `rust`: " <> _}]}}} = run(rust, "")
  end

  # The first keeps a table of its own, the second a file. They share the checkpoint and nothing else.
  @table """
  export default (input) => {
    const message = input.startsWith('{') ? JSON.parse(input) : {};
    vfsQuery('CREATE TABLE IF NOT EXISTS seen(name TEXT)');
    const names = () => vfsQuery('SELECT name FROM seen ORDER BY rowid').map((row) => row[0]);
    if (message.workbooks === 'checkpoint') return JSON.stringify(names());
    vfsQuery(`INSERT INTO seen VALUES ('${input}')`);
    return names().join(',');
  }
  """

  @file_ """
  const at = "volume = 'workspace' AND path = 'seen'";
  const read = () => vfsQuery(`SELECT CAST(content AS TEXT) FROM vfs WHERE ${at}`)[0]?.[0] ?? '';
  const write = (text) => vfsQuery(
    `INSERT INTO vfs VALUES ('workspace', 'seen', CAST('${text}' AS BLOB), 0)
     ON CONFLICT DO UPDATE SET content = excluded.content`);
  export default (input) => {
    const message = input.startsWith('{') ? JSON.parse(input) : {};
    if (message.workbooks === 'checkpoint') return JSON.stringify(read().split('+'));
    if (message.workbooks === 'start') write(JSON.parse(message.checkpoint).join('+'));
    else write([read(), input].filter(Boolean).join('+'));
    return read();
  }
  """

  test "what a js component keeps survives an upgrade to another representation, and a rollback", %{id: id} do
    plan = fn source -> flow(js("Remember", ":persist :uses workbook:fs :out seen:string", source)) end

    seen = fn name ->
      {:ok, %{exports: %{"seen" => seen}}} = Deploy.run(id, name)
      seen
    end

    {:ok, %{version: 1}} = Deploy.deploy(id, {:org, plan.(@table)})
    assert seen.("ada") == "ada"
    assert seen.("grace") == "ada,grace"
    {:ok, %{version: 2}} = Deploy.deploy(id, {:org, plan.(@file_)})
    assert seen.("joan") == "ada+grace+joan"
    {:ok, %{version: 1}} = Deploy.rollback(id)
    assert seen.("barbara") == "ada,grace,barbara"
  end
end
