defmodule Workbooks.DoctestTest do
  use ExUnit.Case, async: true

  doctest Workbooks.Config
  doctest Workbooks.Conformance
  doctest Workbooks.Demos.Engine
  doctest Workbooks.Demos.Kernel
  doctest Workbooks.Error
  doctest Workbooks.JSON
  doctest Workbooks.Lifecycle
  doctest Workbooks.OQL
  doctest Workbooks.Policy
  doctest Workbooks.VFS
end
