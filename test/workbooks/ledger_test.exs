defmodule Workbooks.LedgerTest do
  use ExUnit.Case, async: true

  alias Workbooks.{Error, History, Ledger}

  @moduletag :tmp_dir

  setup %{tmp_dir: dir} do
    plan = Path.join(dir, "plan.org")
    opts = [history: Path.join(dir, "history")]
    File.write!(plan, "* TODO Ship\n")
    {:ok, history} = History.open(plan, [run_id: "run-1", ts: 1] ++ opts)
    for n <- 1..4, do: :ok = History.step(history, %{step: n, tool: "tool-#{n}", ts: n})
    {:ok, []} = History.verdict(history, %{task_id: "ship", state: "DONE", ts: 5})
    {:ok, []} = History.close(history)
    steps = Path.join(dir, "_steps.jsonl")
    %{plan: plan, opts: opts, steps: steps, lines: steps |> File.read!() |> String.split("\n", trim: true)}
  end

  test "an untouched log verifies, wherever it is looked at", %{
    plan: plan,
    opts: opts,
    steps: steps,
    tmp_dir: dir
  } do
    {:ok, did} = Ledger.did(opts)

    for at <- [plan, steps, dir] do
      assert {:ok, found} = Ledger.verify(at, opts)
      assert %{tamper_evident: true, attributable: true, did: ^did, count: 7, first_bad_line: nil} = found
      assert found.head =~ ~r/^[0-9a-f]{64}$/
    end
  end

  # The formula of the specification, in Elixir.
  test "the head is the chain over the lines", %{opts: opts, steps: steps, lines: lines} do
    hash = &(:crypto.hash(:sha256, &1) |> Base.encode16(case: :lower))
    head = Enum.reduce(lines, hash.("workbooks-ledger-v1"), &hash.([&2, &1]))
    assert {:ok, %{head: ^head}} = Ledger.verify(steps, opts)
  end

  # OTP has Ed25519 of its own.
  test "the seal is an Ed25519 signature over canonical JSON", %{tmp_dir: dir} do
    {:ok, seal} = dir |> Path.join("_ledger.json") |> File.read!() |> Workbooks.JSON.decode()
    assert Map.keys(seal) == ["count", "did", "head", "run_id", "sig", "ts", "v"]

    canonical = ~s({"count":7,"did":"#{seal["did"]}","head":"#{seal["head"]}","run_id":"run-1","ts":5,"v":1})

    key = File.read!(Path.join(dir, "history/key"))
    {public, _} = :crypto.generate_key(:eddsa, :ed25519, key)
    signature = Base.decode64!(seal["sig"])
    assert :crypto.verify(:eddsa, :none, canonical, signature, [public, :ed25519])
  end

  for {what, touch} <- [
        {"changed",
         quote(do: &List.update_at(&1, 3, fn line -> String.replace(line, "tool-3", "tool-x") end))},
        {"dropped", quote(do: &List.delete_at(&1, 3))},
        {"swapped with the next", quote(do: fn [a, b, c, d, e | rest] -> [a, b, c, e, d | rest] end)},
        {"blanked", quote(do: &List.replace_at(&1, 3, ""))},
        {"pushed down by a new one", quote(do: &List.insert_at(&1, 3, "{}"))}
      ] do
    test "a line that is #{what} is named", %{opts: opts, steps: steps, lines: lines} do
      File.write!(steps, lines |> unquote(touch).() |> Enum.map_join(&(&1 <> "\n")))

      assert {:ok, %{tamper_evident: false, attributable: true, first_bad_line: 4}} =
               Ledger.verify(steps, opts)
    end
  end

  test "a tampered copy leaves the truth alone", %{plan: plan, opts: opts, steps: steps} do
    File.write!(steps, "")
    assert {:ok, %{tamper_evident: false, first_bad_line: 1}} = Ledger.verify(steps, opts)
    assert {:ok, %{tamper_evident: true}} = Ledger.verify(plan, opts)
  end

  test "a seal of another version is an error", %{opts: opts, steps: steps, tmp_dir: dir} do
    ledger = Path.join(dir, "_ledger.json")
    File.write!(ledger, ledger |> File.read!() |> String.replace(~s("v":1), ~s("v":2)))
    assert {:error, %Error{code: :unknown_version}} = Ledger.verify(steps, opts)
    File.write!(ledger, "{}")
    assert {:error, %Error{code: :not_a_ledger}} = Ledger.verify(steps, opts)
    File.rm!(ledger)
    assert {:error, %Error{code: :not_sealed}} = Ledger.verify(steps, opts)
  end
end
