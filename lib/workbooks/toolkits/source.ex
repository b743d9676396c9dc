defmodule Workbooks.Toolkits.Source do
  @moduledoc false
  # What comes from elsewhere: the rows of a federation, and artifacts that are pinned by hash.

  alias Workbooks.{Error, Policy, Toolkits}
  alias Workbooks.Toolkits.Http

  @doc "The answer of a federation's source, and the options that are left."
  @spec fetch(String.t(), keyword) :: {:ok, binary, keyword} | Toolkits.error()
  def fetch(id, opts) do
    {profile, opts} = Keyword.pop(opts, :profile, :network)
    {fetch, opts} = Keyword.pop(opts, :fetch, &Http.get/2)
    {env, opts} = Keyword.pop(opts, :env, &System.get_env/1)

    with {:ok, source} <- Toolkits.ask("source", %{id: id}, opts),
         :ok <- granted(profile),
         {:ok, values} <- values(source["env_keys"], env),
         {url, headers} = request(source["url"], values),
         {:ok, body} <- fetch.(url, headers),
         {:ok, text} <- text(body),
         do: {:ok, text, opts}
  end

  @doc "Fetches an artifact into a file that is gone after `work`."
  @spec fetched(String.t(), function, keyword, (Path.t() -> result)) :: result | Toolkits.error()
        when result: term
  def fetched(id, fetch, opts, work) do
    with {:ok, %{"manifest" => %{"build_src" => %{"of" => url}}}} <- Toolkits.show(id, opts),
         {:ok, body} <- fetch.(url) do
      file = Path.join(System.tmp_dir!(), "workbooks-#{System.pid()}-#{System.unique_integer([:positive])}")

      try do
        File.write!(file, body, [:exclusive])
        work.(file)
      after
        File.rm(file)
      end
    end
  end

  defp granted(profile) do
    if Policy.grants?(profile, "net"),
      do: :ok,
      else:
        {:error,
         Error.new(
           :not_granted,
           "the profile #{inspect(profile)} does not grant `net`",
           "use one that does: :network"
         )}
  end

  defp values(keys, env) do
    Enum.reduce_while(keys, {:ok, []}, fn key, {:ok, found} ->
      case env.(key) do
        value when is_binary(value) and value != "" -> {:cont, {:ok, found ++ [{key, value}]}}
        _ -> {:halt, {:error, unset(key)}}
      end
    end)
  end

  defp unset(key),
    do: Error.new(:bad_option, "the environment has no `#{key}`", "set it where the engine runs")

  # What the URL names goes there; what it does not name is the bearer's token.
  defp request(url, values) do
    {named, bearer} = Enum.split_with(values, fn {key, _} -> String.contains?(url, "{#{key}}") end)

    url =
      Enum.reduce(named, url, fn {key, value}, url ->
        String.replace(url, "{#{key}}", URI.encode(value, &URI.char_unreserved?/1))
      end)

    {url, for({_, value} <- Enum.take(bearer, 1), do: {"authorization", "Bearer " <> value})}
  end

  defp text(body) do
    if String.valid?(body),
      do: {:ok, body},
      else: {:error, Error.new(:bad_rows, "the source's answer is not UTF-8", "check #+URL:")}
  end
end
