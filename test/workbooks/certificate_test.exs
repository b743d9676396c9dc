defmodule Workbooks.CertificateTest do
  @moduledoc "A certificate is checked by the library and by the page, and both find every change."
  use Workbooks.RunCase, async: true

  alias Workbooks.Certificate

  @page Path.expand("../../priv/static/verify.html", __DIR__)
  @script Path.expand("../../priv/static/verify.js", __DIR__)

  setup context do
    File.write!(Path.join(context.work, "proof"), "x")
    org = "* TODO Ünsere Gruppe\n** TODO Hard\n:done-when: test -s proof # ✓\n"
    %{state: :done} = run!(context, org, run: fn _ -> {:ok, ""} end)
    {:ok, json} = Certificate.issue(context.plan, nil, history: context.history)
    %{json: json}
  end

  test "the library finds a change of any byte", %{json: json} do
    text = String.trim_trailing(json)
    assert {:ok, %{"statement" => %{"predicate" => %{"tasks" => [_, _]}}}} = Certificate.verify(text)

    for at <- 0..(byte_size(text) - 1)//7 do
      <<before::binary-size(at), byte, rest::binary>> = text
      changed = <<before::binary, Bitwise.bxor(byte, 1), rest::binary>>
      assert {:error, %Error{code: code}} = Certificate.verify(changed)
      assert code in [:bad_signature, :not_a_certificate]
    end
  end

  test "the page asks for nothing but its own script" do
    html = File.read!(@page)
    assert html =~ ~s(default-src 'none'; script-src 'self')
    assert Regex.scan(~r/<script[^>]*>/, html) == [[~s(<script src="verify.js" defer>)]]
    refute html =~ ~r/ on[a-z]+=| style=|https?:/
    refute File.read!(@script) =~ ~r/fetch\(|XMLHttpRequest|WebSocket|import\(|innerHTML|eval\(/
  end

  @tag skip: System.find_executable("node") == nil && "there is no node here to run the page's script"
  test "the page's script finds a change of any byte", %{json: json, tmp_dir: dir} do
    file = Path.join(dir, "certificate.json")
    File.write!(file, String.trim_trailing(json))

    script = """
    const { verify } = require(#{inspect(@script)});
    const text = require("fs").readFileSync(#{inspect(file)}, "latin1");
    const holds = (text) => verify(text).then(() => true, () => false);
    (async () => {
      const { did, statement } = await verify(text);
      console.log(did, statement.predicate.tasks.map((task) => task.id).join(","));
      let found = 0;
      for (let at = 0; at < text.length; at++) {
        const other = String.fromCharCode(text.charCodeAt(at) ^ 1);
        if (await holds(text.slice(0, at) + other + text.slice(at + 1))) console.log("not found at", at);
        else found++;
      }
      console.log(found === text.length ? "all found" : found);
    })();
    """

    assert {said, 0} = System.cmd("node", ["-e", script], stderr_to_stdout: true)
    assert said =~ ~r/^did:key:z\S+ ünsere-gruppe,hard\nall found\n$/
  end
end
