defmodule Workbooks.DoctestTest do
  use ExUnit.Case, async: true

  doctest Workbooks.Config
  doctest Workbooks.Demos.Kernel
  doctest Workbooks.Error
  doctest Workbooks.JSON
  doctest Workbooks.Lifecycle
  doctest Workbooks.OQL
  doctest Workbooks.Policy
end
