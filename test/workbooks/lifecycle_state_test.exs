defmodule Workbooks.Lifecycle.StateTest do
  use ExUnit.Case, async: true

  alias Workbooks.{Config, Error}
  alias Workbooks.Lifecycle.State

  @legal %{
    {:created, :activate} => :active,
    {:created, :archive} => :archived,
    {:created, :delete} => :deleted,
    {:active, :suspend} => :suspended,
    {:active, :freeze} => :frozen,
    {:active, :archive} => :archived,
    {:active, :delete} => :deleted,
    {:suspended, :resume} => :active,
    {:suspended, :freeze} => :frozen,
    {:suspended, :archive} => :archived,
    {:suspended, :delete} => :deleted,
    {:frozen, :resume} => :active,
    {:frozen, :archive} => :archived,
    {:frozen, :delete} => :deleted,
    {:archived, :delete} => :deleted
  }

  @goal %{
    activate: :active,
    resume: :active,
    suspend: :suspended,
    freeze: :frozen,
    archive: :archived,
    delete: :deleted
  }

  defp life(state), do: %State{id: "w", state: state, since: 100, used: 100}

  for state <- [:created, :active, :suspended, :frozen, :archived, :deleted],
      move <- [:activate, :suspend, :freeze, :resume, :archive, :delete] do
    case @legal[{state, move}] do
      nil ->
        test "#{state} cannot #{move}, and the error names both states" do
          assert {:error, %Error{code: :illegal_move, message: message}} =
                   State.move(life(unquote(state)), unquote(move), 200)

          assert message ==
                   "workbook `w` is #{unquote(state)} and cannot become #{unquote(@goal[move])} by #{unquote(move)}"
        end

      to ->
        test "#{state} becomes #{to} by #{move}" do
          assert {:ok, %State{state: unquote(to), since: 200}, _, _} =
                   State.move(life(unquote(state)), unquote(move), 200)
        end
    end
  end

  test "only resuming clears tmp" do
    for {{from, move}, _} <- @legal do
      {:ok, _, before, later} = State.move(life(from), move, 200)
      assert :clear_tmp in (before ++ later) == (move == :resume)
    end
  end

  test "a disk is removed only after the record says where it is" do
    for {{from, move}, _} <- @legal do
      {:ok, _, before, _} = State.move(life(from), move, 200)
      refute :remove_live in before or :remove_cold in before
    end
  end

  test "idleness suspends after 15 minutes and freezes after 24 hours, both since the last use" do
    config = Config.new!([])
    assert State.idle(life(:active), config) == {:suspend, 100 + 15 * 60}
    {:ok, suspended, _, _} = State.move(life(:active), :suspend, 1_000)
    assert State.idle(suspended, config) == {:freeze, 100 + 24 * 60 * 60}
    for state <- [:created, :frozen, :archived, :deleted], do: assert(State.idle(life(state), config) == nil)
  end

  test "waking up is a use" do
    {:ok, awake, _, _} = State.move(life(:frozen), :resume, 5_000)
    assert State.idle(awake, Config.new!(suspend_after: 10)) == {:suspend, 5_010}
  end
end
