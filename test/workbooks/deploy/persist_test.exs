defmodule Workbooks.Deploy.PersistTest do
  use Workbooks.DeployCase, async: true

  # It keeps one number as lines of its file; its successor keeps it as a decimal. The checkpoint is what they share.
  defp lines(title \\ "Remember") do
    flow(
      Workbooks.ComponentPlans.sh(title, ":persist :out count:json", """
      case $WORKBOOKS_MESSAGE in
      checkpoint) wc -l < state ;;
      start) n=$(cat state); : > state; while [ "$n" -gt 0 ]; do echo x >> state; n=$((n - 1)); done ;;
      *) echo x >> state; wc -l < state ;;
      esac
      """)
    )
  end

  defp decimal do
    flow(
      Workbooks.ComponentPlans.sh("Remember", ":persist :out count:json", """
      case $WORKBOOKS_MESSAGE in
      checkpoint) cat state ;;
      start) jq -r '"took over " + .checkpoint + " of version " + (.from | tostring)' > log; tr -d '\\n ' < state > s; cat s > state ;;
      *) n=$(cat state); n=$((n + 10)); printf %s "$n" > state; printf %s "$n" ;;
      esac
      """)
    )
  end

  defp count(id) do
    {:ok, %{exports: %{"count" => count}}} = Deploy.run(id, "")
    count
  end

  test "what a component checkpoints is found by the one that takes its place", %{id: id} do
    {:ok, _} = deploy(id, lines())
    assert for(_ <- 1..3, do: count(id)) == [1, 2, 3]

    {:ok, %{version: 2}} = deploy(id, decimal())
    # Readable by SQL, for components that have the Dock.
    {:ok, [[path, text]]} =
      VFS.query(
        disk!(id),
        "SELECT path, CAST(content AS TEXT) FROM vfs WHERE volume = 'memory' AND path LIKE '%/checkpoint'"
      )

    assert {path, String.trim(text)} == {"persist/Flow.Remember/checkpoint", "3"}
    assert for(_ <- 1..2, do: count(id)) == [13, 23]

    # And back into the other representation, by a third version.
    {:ok, %{version: 3}} = deploy(id, lines())
    assert count(id) == 24
  end

  test "two upgrades with no run between them lose nothing", %{id: id} do
    {:ok, _} = deploy(id, lines())
    assert for(_ <- 1..2, do: count(id)) == [1, 2]
    {:ok, _} = deploy(id, decimal())
    {:ok, _} = deploy(id, lines())
    {:ok, %{version: 4}} = deploy(id, decimal())
    assert count(id) == 12
  end

  test "a rollback gives the state back that there was", %{id: id} do
    {:ok, _} = deploy(id, lines())
    assert for(_ <- 1..2, do: count(id)) == [1, 2]
    {:ok, _} = deploy(id, decimal())
    assert count(id) == 12
    {:ok, %{version: 1}} = Deploy.rollback(id)
    assert count(id) == 3
  end

  test "a component that gives no checkpoint holds the upgrade up, unless forced", %{id: id} do
    mute = flow(sh("Remember", ":persist :out count:json", ~S([ -z "$WORKBOOKS_MESSAGE" ] || exit 4; echo 1)))
    {:ok, _} = deploy(id, mute)

    assert {:error, %Error{code: :no_checkpoint, details: %{failures: failures}}} = deploy(id, lines())
    assert failures == [%{component: "Remember", why: "it ended with status 4"}]

    assert live!(id) == 1
    assert {:ok, %{overridden: [overridden]}} = deploy(id, lines(), force: true, why: "it is broken")
    assert overridden == "component `Remember` gave no checkpoint: it ended with status 4"
    assert {:ok, [_, %{forced: true, overridden: [^overridden]}]} = Deploy.history(id)
    assert count(id) == 1
  end

  test "one that cannot take a checkpoint over fails, and is asked again the next time", %{id: id} do
    {:ok, _} = deploy(id, lines())
    assert count(id) == 1

    picky =
      flow(
        sh("Remember", ":persist :out count:json", ~S"""
        case $WORKBOOKS_MESSAGE in
        checkpoint) cat state ;;
        start) exit 7 ;;
        *) cat state ;;
        esac
        """)
      )

    {:ok, _} = deploy(id, picky)

    for _ <- 1..2 do
      assert {:ok, %{tasks: %{"Remember" => {:error, why}}}} = Deploy.run(id, "")
      assert why == "it did not take its checkpoint over: it ended with status 7"
    end

    {:ok, %{version: 1}} = Deploy.rollback(id)
    assert count(id) == 2
  end

  test "a deploy that is refused after the checkpoint leaves the old one as if it had not been asked", %{
    id: id
  } do
    two = lines() <> sh("Mute", ":persist :out never", ~S([ -z "$WORKBOOKS_MESSAGE" ] || exit 1))
    {:ok, _} = deploy(id, two)
    assert count(id) == 1
    other = two <> sh("Other", ":out other", "cat")

    assert {:error, %Error{code: :no_checkpoint, details: %{failures: [%{component: "Mute"}]}}} =
             deploy(id, other)

    assert count(id) == 2
  end

  test "nested components and odd titles have a place of their own", %{id: id} do
    odd = "a/b .. ünd \"c\""

    plan = fn ->
      script = ~S"""
      case $WORKBOOKS_MESSAGE in
      checkpoint) cat state ;;
      start) ;;
      *) printf x >> state; cat state ;;
      esac
      """

      "* Flow :workflow:\n" <>
        sh(odd, ":persist :out one", script) <>
        "** #{odd} :workflow:\n" <> sh(odd, ":persist :out two", script, 3)
    end

    {:ok, _} = deploy(id, plan.())
    {:ok, _} = Deploy.run(id, "")
    {:ok, %{version: 2}} = deploy(id, plan.() <> "# the same in other words\n")
    assert {:ok, %{exports: %{"one" => "xx", "two" => "xx"}}} = Deploy.run(id, "")
    assert Lifecycle.durable_components(plan.()) == [odd, odd]
  end
end
