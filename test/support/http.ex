defmodule Workbooks.HTTP do
  @moduledoc "One request on a connection of its own, so that tests need no HTTP client."

  @doc "Status and body. `opts`: `token:`, `headers:`, `body:`."
  def ask(url, method, path, opts \\ []) do
    {:ok, socket} = connect(url)
    body = opts[:body] || ""
    bearer = if opts[:token], do: [{"authorization", "Bearer " <> opts[:token]}], else: []
    fixed = [{"host", "localhost"}, {"connection", "close"}, {"content-length", "#{byte_size(body)}"}]
    headers = for {name, value} <- fixed ++ bearer ++ (opts[:headers] || []), do: [name, ": ", value, "\r\n"]
    :ok = :gen_tcp.send(socket, [method, " ", path, " HTTP/1.1\r\n", headers, "\r\n", body])
    read(socket, "")
  end

  @doc "A connection that says nothing yet."
  def connect(url) do
    %URI{host: host, port: port} = URI.parse(url)
    :gen_tcp.connect(String.to_charlist(host), port, [:binary, active: false])
  end

  defp read(socket, answer) do
    case :gen_tcp.recv(socket, 0, 60_000) do
      {:ok, more} -> read(socket, answer <> more)
      {:error, :closed} -> parse(answer)
    end
  end

  defp parse("HTTP/1.1 " <> <<status::binary-size(3)>> <> rest) do
    [head, body] = String.split(rest, "\r\n\r\n", parts: 2)
    chunked? = head |> String.downcase() |> String.contains?("transfer-encoding: chunked")
    {String.to_integer(status), if(chunked?, do: unchunk(body), else: body)}
  end

  defp unchunk(body) do
    [length, rest] = String.split(body, "\r\n", parts: 2)

    case String.to_integer(length, 16) do
      0 ->
        ""

      n ->
        <<chunk::binary-size(n), "\r\n", more::binary>> = rest
        chunk <> unchunk(more)
    end
  end
end
