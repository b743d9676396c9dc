defmodule Workbooks.Toolkits.Place do
  @moduledoc false
  # Where toolkits are and what they may do: config and environment, for one call.

  alias Workbooks.{Config, Error, JSON, Policy}

  @spec new(keyword) :: {:ok, map} | {:error, Error.t()}
  def new(opts) do
    case Keyword.split(opts, [:root, :history]) do
      {known, []} -> with :ok <- there(known[:root]), do: place(known)
      {_, [{key, value} | _]} -> {:error, unknown(key, value)}
    end
  end

  @doc "The directory of grants, kernels and components."
  @spec state_dir() :: Path.t()
  def state_dir, do: config().toolkits_dir

  defp place(known) do
    config = config()

    with {:ok, policy} <- JSON.encode(%{profiles: profiles()}) do
      {:ok,
       %{
         root: known[:root] || named() || config.toolkits_root,
         here: File.cwd!(),
         state: config.toolkits_dir,
         history: known[:history],
         policy: policy,
         execute: System.get_env("WB_TOOLKIT_EXEC") == "1",
         posix: config.posix_toolkits
       }}
    end
  end

  # Whoever names a directory means that one and no other.
  defp there(nil), do: :ok

  defp there(root) do
    if is_binary(root) and File.dir?(root),
      do: :ok,
      else: {:error, Error.new(:no_toolkits, "#{inspect(root)} is not a directory", "check the option :root")}
  end

  # The environment's word counts only if there is such a directory.
  defp named do
    root = System.get_env("WB_TOOLKITS_ROOT", "")
    if File.dir?(root), do: root
  end

  defp config, do: :workbooks |> Application.get_all_env() |> Config.new!()

  defp profiles do
    Map.new(Policy.profiles(), fn profile ->
      {profile.name, Map.take(profile, [:memory_mib, :time_s, :capabilities])}
    end)
  end

  defp unknown(key, value) do
    text = "no such option for a toolkit: #{inspect([{key, value}], limit: 5)}"
    Error.new(:bad_option, text, "see the options of Workbooks.Toolkits")
  end
end
