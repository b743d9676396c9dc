defmodule Workbooks.JSONTest do
  use ExUnit.Case, async: true

  alias Workbooks.{Error, JSON}

  for {json, term} <- [
        {"null", nil},
        {"true", true},
        {"-9223372036854775808", -9_223_372_036_854_775_808},
        {"18446744073709551615", 18_446_744_073_709_551_615},
        {"1.5", 1.5},
        {"[]", []},
        {"{}", quote(do: %{})},
        {~S("a\"\\\n\u0001 é 🚀"), "a\"\\\n\u0001 é 🚀"},
        {~S({"a":[{"b":null}]}), quote(do: %{"a" => [%{"b" => nil}]})}
      ] do
    test "#{json} is read and written back" do
      assert JSON.decode(unquote(json)) == {:ok, unquote(term)}
      assert JSON.encode(unquote(term)) == {:ok, unquote(json)}
    end
  end

  for {what, json} <- [
        nothing: "",
        "an open list": "[1",
        "a word": "nul",
        "more than one value": "1 2",
        "a key twice": ~S({"a":1,"a":2}),
        "nesting without end": String.duplicate("[", 100_000)
      ] do
    test "#{what} is not JSON" do
      assert {:error, %Error{code: :not_json}} = JSON.decode(unquote(json))
    end
  end

  test "JSON nested 4,000 deep is read" do
    json = String.duplicate("[", 4_000) <> String.duplicate("]", 4_000)
    assert {:ok, [_]} = JSON.decode(json)
  end

  for size <- [32, 33, 1_000, 65_536] do
    test "an object of #{size} keys is read" do
      map = Map.new(1..unquote(size), &{"key #{&1}", &1})
      {:ok, json} = JSON.encode(map)
      assert JSON.decode(json) == {:ok, map}
    end
  end

  test "an object of more keys is refused, and so is a key that a large object has twice" do
    {:ok, json} = JSON.encode(Map.new(1..65_537, &{"key #{&1}", &1}))
    assert {:error, %Error{code: :not_json, message: message}} = JSON.decode(json)
    assert message =~ "more than 65536 keys"

    {:ok, "{" <> rest} = JSON.encode(Map.new(1..100, &{"key #{&1}", &1}))
    assert {:error, %Error{code: :not_json, message: message}} = JSON.decode(~S({"key 7":0,) <> rest)
    assert message =~ "one key twice"
  end

  test "bytes that are not UTF-8 are refused" do
    assert {:error, %Error{code: :not_utf8}} = JSON.decode(<<?", 255, ?">>)
    assert {:error, %Error{code: :not_json}} = JSON.encode(<<255>>)
  end

  test "terms without JSON are refused" do
    for term <- [{1, 2}, self(), [1 | 2], %{{1} => 2}, MapSet.new(), <<1::3>>] do
      assert {:error, %Error{code: :not_json}} = JSON.encode(term)
    end
  end
end
