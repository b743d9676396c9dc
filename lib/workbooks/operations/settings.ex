defmodule Workbooks.Operations.Settings do
  @moduledoc false
  # What the configuration and the environment say to operations: which toolkits, and what may be done with them.

  alias Workbooks.{Config, Error}

  @spec new() :: map
  def new do
    config = config()

    %{
      toolkits_root: named() || config.toolkits_root,
      toolkits_dir: with({:ok, dir} <- Config.dir(config, :toolkits_dir), do: dir, else: (_ -> nil)),
      execute: System.get_env("WB_TOOLKIT_EXEC") == "1",
      posix: config.posix_toolkits
    }
  end

  @doc "The directory of grants, kernels and components of toolkits."
  @spec toolkits_dir() :: {:ok, Path.t()} | {:error, Error.t()}
  def toolkits_dir, do: Config.dir(config(), :toolkits_dir)

  # The environment's word counts only if there is such a directory.
  defp named do
    root = System.get_env("WB_TOOLKITS_ROOT", "")
    if File.dir?(root), do: root
  end

  defp config, do: :workbooks |> Application.get_all_env() |> Config.new!()
end
