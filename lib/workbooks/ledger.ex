defmodule Workbooks.Ledger do
  @moduledoc """
  Was the log of a run touched, and who stands for it?

  Every step of a run is a line in `_steps.jsonl`, every line is hashed into a chain, and `_ledger.json` is the chain's
  end, signed. `docs/history.md` has the format.
  """

  alias Workbooks.{Error, History}

  @typedoc """
  `tamper_evident`: the log is, to the last byte, the one that was sealed. `attributable`: the seal is signed by `did`.
  `first_bad_line` counts from 1, and names a missing line by the place where it should stand. Of a plan all of this is said
  of its newest run, `run_id`; `runs` is how many there are, and `problems` names each that was changed, is missing, or is
  followed by two.
  """
  @type verification :: %{
          tamper_evident: boolean,
          attributable: boolean,
          did: String.t(),
          count: non_neg_integer,
          head: String.t(),
          first_bad_line: pos_integer | nil,
          run_id: String.t(),
          runs: pos_integer,
          problems: [problem]
        }

  @type problem :: %{
          run_id: String.t(),
          kind: :changed | :missing | :forked,
          message: String.t(),
          line: pos_integer | nil
        }

  @kinds Map.new([:changed, :missing, :forked], &{Atom.to_string(&1), &1})

  @doc """
  Holds a log against its seal: a `_steps.jsonl`, or the one in a directory. Of a plan every run is held against its seal, and
  against the run that follows it.

  ## Options

    * `:history` - the history directory; by default the user's
  """
  @spec verify(Path.t(), history: Path.t()) :: {:ok, verification} | {:error, Error.t()}
  def verify(at, opts \\ []) when is_binary(at) do
    with {:ok, found} <- History.ask({:verify, Path.expand(at)}, opts) do
      {:ok,
       %{
         tamper_evident: found["tamper_evident"],
         attributable: found["attributable"],
         did: found["did"],
         count: found["count"],
         head: found["head"],
         first_bad_line: found["first_bad_line"],
         run_id: found["run_id"],
         runs: found["runs"],
         problems: Enum.map(found["problems"], &problem/1)
       }}
    end
  end

  defp problem(%{"run_id" => run_id, "kind" => kind, "message" => message, "line" => line}),
    do: %{run_id: run_id, kind: Map.fetch!(@kinds, kind), message: message, line: line}

  @doc "The did:key that this user's runs are sealed with. It is made on first use."
  @spec did(history: Path.t()) :: {:ok, String.t()} | {:error, Error.t()}
  def did(opts \\ []), do: History.ask(:did, opts)

  use Workbooks.Bang, verify: 1, verify: 2, did: 0, did: 1
end
