defmodule Workbooks.Bang do
  @moduledoc false
  # Twins with a bang for functions that answer `{:ok, _} | {:error, %Workbooks.Error{}}` or `:ok`:
  #
  #     use Workbooks.Bang, verify: 1, verify: 2

  defmacro __using__(twins) do
    for {name, arity} <- twins do
      args = Macro.generate_arguments(arity, __MODULE__)

      quote do
        @doc unquote("`#{name}/#{arity}`, or it raises.")
        def unquote(:"#{name}!")(unquote_splicing(args)),
          do: Workbooks.Error.bang(unquote(name)(unquote_splicing(args)))
      end
    end
  end
end
