defmodule Workbooks.LicencesTest do
  use ExUnit.Case, async: true

  # CDLA-Permissive-2.0 is for data: the root certificates that a client of TLS believes.
  @allowed ~w(Apache-2.0 BSD-2-Clause BSD-3-Clause CDLA-Permissive-2.0 ISC MIT Unicode-3.0 Unlicense Zlib)

  test "every crate may be used under a licence that asks for no more than a notice" do
    assert_free(".", 100)
  end

  test "so may every crate that a compiler of the build lanes is made of" do
    assert_free("guests/compilers", 50)
  end

  defp assert_free(workspace, at_least) do
    dir = Path.expand("../#{workspace}", __DIR__)
    {metadata, 0} = System.cmd("cargo", ~w(metadata --format-version 1 --locked), cd: dir)
    {:ok, %{"packages" => packages}} = Workbooks.JSON.decode(metadata)
    assert length(packages) > at_least

    for %{"name" => name, "license" => licence} <- packages do
      assert free?(licence), "#{name}: #{inspect(licence)}"
    end
  end

  # `A OR B` is free when one of the two is; `A AND B` only when both are. `A/B` is an old way to write OR.
  defp free?(licence) do
    licence
    |> String.replace(["(", ")", " WITH LLVM-exception"], "")
    |> String.split(" AND ")
    |> Enum.all?(fn part ->
      part |> String.split([" OR ", "/"]) |> Enum.any?(&(String.trim(&1) in @allowed))
    end)
  end
end
