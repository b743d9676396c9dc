defmodule Workbooks.Toolkits.Http do
  @moduledoc """
  Fetches over http and https with OTP's own client. Answers are bounded, certificates are checked, and a redirect is
  followed only to the same host: a header with a secret goes nowhere else.
  """

  alias Workbooks.Error

  @limit 64 * 1024 * 1024
  @timeout 30_000
  @redirects 3

  @doc "The body of a page; any status but 200 is an error."
  @spec get(String.t(), [{String.t(), String.t()}]) :: {:ok, binary} | {:error, Error.t()}
  def get(url, headers), do: get(url, headers, @redirects)

  defp get(url, headers, redirects) do
    {:ok, _} = Application.ensure_all_started(:inets)
    {:ok, _} = Application.ensure_all_started(:ssl)
    request = {String.to_charlist(url), charlists([{"user-agent", "workbooks"} | headers])}
    options = [timeout: @timeout, connect_timeout: @timeout, autoredirect: false, ssl: ssl(url)]

    with {:ok, id} <- :httpc.request(:get, request, options, sync: false, stream: :self) do
      id |> collect([], 0, deadline()) |> answer(url, headers, redirects)
    else
      {:error, _} -> failed(url, "it cannot be reached")
    end
  end

  # Piece by piece, so that an endless answer ends at the limit.
  defp collect(id, kept, size, _deadline) when size > @limit do
    :httpc.cancel_request(id)
    {:too_large, kept}
  end

  defp collect(id, kept, size, deadline) do
    receive do
      {:http, {^id, :stream_start, _headers}} -> collect(id, kept, size, deadline)
      {:http, {^id, :stream, bytes}} -> collect(id, [kept, bytes], size + byte_size(bytes), deadline)
      {:http, {^id, :stream_end, _headers}} -> {:ok, IO.iodata_to_binary(kept)}
      {:http, {^id, {{_, status, _}, headers, _body}}} -> {:status, status, headers}
      {:http, {^id, {:error, _}}} -> :unreachable
    after
      max(deadline - System.monotonic_time(:millisecond), 0) ->
        :httpc.cancel_request(id)
        :unreachable
    end
  end

  defp answer({:ok, body}, _url, _headers, _redirects), do: {:ok, body}
  defp answer({:too_large, _}, url, _, _), do: failed(url, "it has more than #{@limit} bytes")
  defp answer(:unreachable, url, _, _), do: failed(url, "it cannot be reached")

  defp answer({:status, status, answered}, url, headers, redirects)
       when status in [301, 302, 303, 307, 308] do
    case List.keyfind(answered, ~c"location", 0) do
      {_, to} when redirects > 0 -> follow(URI.merge(url, to_string(to)), URI.parse(url), headers, redirects)
      _ -> failed(url, "it leads elsewhere too often")
    end
  end

  defp answer({:status, 200, _}, _, _, _), do: {:ok, ""}
  defp answer({:status, status, _}, url, _, _), do: failed(url, "it answered with status #{status}")

  defp follow(
         %URI{host: host, scheme: scheme, port: port} = to,
         %URI{host: host, scheme: scheme, port: port},
         headers,
         left
       ),
       do: get(URI.to_string(to), headers, left - 1)

  defp follow(_to, from, _headers, _left), do: failed(URI.to_string(from), "it leads to another host")

  defp deadline, do: System.monotonic_time(:millisecond) + @timeout

  defp charlists(headers),
    do: for({name, value} <- headers, do: {String.to_charlist(name), String.to_charlist(value)})

  defp ssl("https" <> _ = url) do
    host = url |> URI.parse() |> Map.get(:host) |> String.to_charlist()

    [
      verify: :verify_peer,
      cacerts: authorities(),
      server_name_indication: host,
      customize_hostname_check: [match_fun: :public_key.pkix_verify_hostname_match_fun(:https)]
    ]
  end

  defp ssl(_url), do: []

  # Without any, nobody is believed.
  defp authorities do
    :public_key.cacerts_get()
  rescue
    _ -> []
  end

  # The query may hold a secret: only the host is named.
  defp failed(url, why),
    do:
      {:error, Error.new(:fetch_failed, "#{URI.parse(url).host}: #{why}", "check the address and try again")}

  use Workbooks.Bang, get: 2
end
