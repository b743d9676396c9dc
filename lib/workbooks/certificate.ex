defmodule Workbooks.Certificate do
  @moduledoc """
  A portable statement that a DONE was earned: an in-toto Statement in a DSSE envelope, signed with this user's key.

      {:ok, certificate} = Workbooks.Certificate.issue("plan.org", "gather-the-pages")
      File.write!("gathered.json", certificate)
      {:ok, %{"did" => who, "statement" => statement}} = Workbooks.Certificate.verify(certificate)

  It says what the plan and the check were, by their hashes, with which exit status the check ended, which commands it ran
  and which files it read, and where the verdict stands in the ledger. `priv/static/verify.html` checks one in a browser,
  without an engine and without a network. `docs/history.md` has the fields.
  """

  alias Workbooks.{Error, Operations}

  @doc """
  Certifies a task with everything below it, or the whole plan: one line of JSON.

  A task that is not earned gets none: `:not_earned`. Nor does one above an amendment that nobody accepted, or one whose log is
  not what was sealed.

  ## Options

    * `:history` - the history directory; by default the user's
    * `:ts` - the time that it carries, in milliseconds since 1970; now by default
  """
  @spec issue(Path.t(), String.t() | nil, keyword) :: {:ok, String.t()} | {:error, Error.t()}
  def issue(plan, task \\ nil, opts \\ []) when is_binary(plan) do
    opts = Keyword.validate!(opts, [:history, :ts])
    context = [now: opts[:ts], history: opts[:history] && Path.expand(opts[:history]), as: :json]

    with {:ok, json} <- Operations.call("plan.certify", %{plan: Path.expand(plan), task: task}, context),
         do: {:ok, json <> "\n"}
  end

  @doc "The same, or raises."
  @spec issue!(Path.t(), String.t() | nil, keyword) :: String.t()
  def issue!(plan, task \\ nil, opts \\ []), do: Error.bang(issue(plan, task, opts))

  @doc """
  Checks a certificate. Gives who signed it, `"did"`, and what it says, `"statement"`. Whether to believe that signer is for
  the caller to say.

      iex> {:error, error} = Workbooks.Certificate.verify("{}")
      iex> error.code
      :not_a_certificate
  """
  @spec verify(binary) :: {:ok, map} | {:error, Error.t()}
  def verify(json) when is_binary(json) do
    Operations.call("certificate.verify", %{certificate: json})
  end

  @doc "The same, or raises."
  @spec verify!(binary) :: map
  def verify!(json), do: Error.bang(verify(json))
end
