defmodule Workbooks.Lifecycle.State do
  @moduledoc false
  # Where a workbook is in its life, and where it may go: a pure reducer. A move says what to do before it is recorded
  # and what after. Each effect can be done twice, so a crash in between is settled by doing it again.

  alias Workbooks.Error

  @enforce_keys [:id, :state, :since, :used]
  defstruct [:id, :state, :since, :used]

  @type name :: :created | :active | :suspended | :frozen | :archived | :deleted
  @type move :: :activate | :suspend | :freeze | :resume | :archive | :delete
  @type effect :: :open | :reopen | :close | :backup | :thaw | :clear_tmp | :remove_live | :remove_cold
  @type t :: %__MODULE__{id: String.t(), state: name, since: integer, used: integer}

  @names [:created, :active, :suspended, :frozen, :archived, :deleted]

  # From, to: before the record, after it.
  @moves %{
    activate: %{created: {:active, [:open], []}},
    suspend: %{active: {:suspended, [:close], []}},
    freeze: %{
      active: {:frozen, [:close, :backup], [:remove_live]},
      suspended: {:frozen, [:backup], [:remove_live]}
    },
    resume: %{
      suspended: {:active, [:reopen, :clear_tmp], []},
      frozen: {:active, [:thaw, :clear_tmp], []}
    },
    archive: %{
      created: {:archived, [], []},
      active: {:archived, [:close, :backup], [:remove_live]},
      suspended: {:archived, [:backup], [:remove_live]},
      frozen: {:archived, [], []}
    },
    delete: %{
      created: {:deleted, [], []},
      active: {:deleted, [:close], [:remove_live, :remove_cold]},
      suspended: {:deleted, [], [:remove_live, :remove_cold]},
      frozen: {:deleted, [], [:remove_cold]},
      archived: {:deleted, [], [:remove_cold]}
    }
  }

  @goals %{
    activate: :active,
    resume: :active,
    suspend: :suspended,
    freeze: :frozen,
    archive: :archived,
    delete: :deleted
  }

  @spec names() :: [name]
  def names, do: @names

  @spec new(String.t(), integer) :: t
  def new(id, now), do: %__MODULE__{id: id, state: :created, since: now, used: now}

  @doc "The state after a move, and the effects before and after it is recorded."
  @spec move(t, move, integer) :: {:ok, t, [effect], [effect]} | {:error, Error.t()}
  def move(%__MODULE__{state: from} = life, move, now) do
    case @moves[move][from] do
      {to, before, later} ->
        {:ok, used(%{life | state: to, since: now}, to, now), before, later}

      nil ->
        text = "workbook `#{life.id}` is #{from} and cannot become #{@goals[move]} by #{move}"
        {:error, Error.new(:illegal_move, text, "from #{from} it can: #{Enum.join(open(from), ", ")}")}
    end
  end

  # Becoming active is a use; falling asleep is not.
  defp used(life, :active, now), do: %{life | used: now}
  defp used(life, _to, _now), do: life

  defp open(from) do
    case for {move, table} <- @moves, is_map_key(table, from), do: move do
      [] -> ["nothing"]
      moves -> moves
    end
  end

  @doc "Somebody used it."
  @spec touch(t, integer) :: t
  def touch(life, now), do: %{life | used: now}

  @doc "What makes the files agree with a record that was found."
  @spec settle(t) :: [effect]
  def settle(%__MODULE__{state: :active}), do: [:reopen]
  def settle(%__MODULE__{state: state}) when state in [:frozen, :archived], do: [:remove_live]
  def settle(%__MODULE__{state: :deleted}), do: [:remove_live, :remove_cold]
  def settle(%__MODULE__{}), do: []

  @doc "The move that idleness leads to, and when."
  @spec idle(t, Workbooks.Config.t()) :: {move, integer} | nil
  def idle(%__MODULE__{state: :active} = life, config), do: {:suspend, life.used + config.suspend_after}
  def idle(%__MODULE__{state: :suspended} = life, config), do: {:freeze, life.used + config.freeze_after}
  def idle(%__MODULE__{}, _config), do: nil
end
