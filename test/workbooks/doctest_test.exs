defmodule Workbooks.DoctestTest do
  use ExUnit.Case, async: true

  doctest Workbooks
  doctest Workbooks.Bundle
  doctest Workbooks.Config
  doctest Workbooks.Conformance
  doctest Workbooks.DataSource
  doctest Workbooks.Demos.Acceptance
  doctest Workbooks.Demos.Deploy
  doctest Workbooks.Demos.Engine
  doctest Workbooks.Demos.Kernel
  doctest Workbooks.Error
  doctest Workbooks.History
  doctest Workbooks.JSON
  doctest Workbooks.KernelRegistry
  doctest Workbooks.Lanes
  doctest Workbooks.Lifecycle
  doctest Workbooks.OQL
  doctest Workbooks.Plans
  doctest Workbooks.Policy
  doctest Workbooks.Schedule
  doctest Workbooks.Server
  doctest Workbooks.Testing
  doctest Workbooks.Toolkits
  doctest Workbooks.Toolkits.Audit
  doctest Workbooks.Toolkits.Import
  doctest Workbooks.VFS
  doctest Workbooks.Workflow.Check
  doctest Workbooks.Workflow.ShellWorker
  doctest Workbooks.Workflow.Todo
end
