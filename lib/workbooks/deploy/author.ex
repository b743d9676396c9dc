defmodule Workbooks.Deploy.Author do
  @moduledoc false
  # Who deploys, for the history: git's user, or the system's. A name that nobody can tell is an error, and never made up.

  alias Workbooks.Error

  @doc "As git writes it, `Ada <ada@example.org>`, or the login name of the user who runs this VM."
  @spec find() :: {:ok, String.t()} | {:error, Error.t()}
  def find do
    case git() || login() do
      nil ->
        text = "nobody can tell who deploys: neither git nor the system has a name"
        {:error, Error.new(:bad_option, text, "say who with `by:`, or run `git config --global user.name`")}

      name ->
        {:ok, name}
    end
  end

  # In the directory of this VM, not in that of the plan: a plan must not choose who deployed it.
  defp git do
    found = for line <- lines("git", ["config", "--get-regexp", "^user\\.(name|email)$"]), do: setting(line)

    case Map.new(found) do
      %{"user.name" => name, "user.email" => email} -> "#{name} <#{email}>"
      %{"user.name" => name} -> name
      %{"user.email" => email} -> email
      _ -> nil
    end
  end

  defp setting(line) do
    case String.split(line, " ", parts: 2) do
      [key, value] -> {key, value}
      [key] -> {"empty", key}
    end
  end

  defp login do
    with [] <- lines("id", ["-un"]),
         [number] <- lines("id", ["-u"]) do
      "uid #{number}"
    else
      [name] -> name
      _ -> nil
    end
  end

  # What a program says, or nothing where it is missing or fails.
  defp lines(program, arguments) do
    with path when path != nil <- System.find_executable(program),
         {text, 0} <- System.cmd(path, arguments, stderr_to_stdout: true),
         true <- String.valid?(text) do
      text |> String.split("\n", trim: true) |> Enum.map(&String.trim/1) |> Enum.reject(&(&1 == ""))
    else
      _ -> []
    end
  rescue
    ErlangError -> []
  end
end
