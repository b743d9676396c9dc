defmodule Workbooks.Run.PlanFile do
  @moduledoc false
  # Reading a plan, with an error that names it.

  alias Workbooks.Error

  @spec read(Path.t()) :: {:ok, binary} | {:error, Error.t()}
  def read(plan) do
    with {:error, reason} <- File.read(plan),
         do:
           {:error,
            Error.new(:not_found, "the plan `#{plan}`: #{:file.format_error(reason)}", "check the path")}
  end
end
