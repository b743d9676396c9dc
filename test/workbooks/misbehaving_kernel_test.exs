defmodule Workbooks.MisbehavingKernelTest do
  # Whatever happens inside the component, the VM stays up and the next call works.
  use ExUnit.Case, async: true

  import Workbooks.Eventually
  alias Workbooks.{Error, Misbehaving, Native}

  setup_all do
    %{kernel: Misbehaving.start!()}
  end

  for {order, code} <- [
        panic: :kernel_crashed,
        recurse: :kernel_crashed,
        babble: :kernel_crashed,
        nest: :kernel_crashed,
        refuse: :kernel_crashed,
        eat: :too_complex,
        spin: :too_complex
      ] do
    test "a kernel told to #{order} gives an error, and answers the next call", %{kernel: kernel} do
      assert {:error, %Error{code: unquote(code), message: message, hint: hint}} =
               Misbehaving.order(kernel, unquote(to_string(order)))

      assert message != "" and hint != ""
      assert Misbehaving.order(kernel, "behave") == {:ok, []}
    end
  end

  test "panics by the hundred leak nothing that later calls need", %{kernel: kernel} do
    for _ <- 1..1_500,
        do: assert({:error, %Error{code: :kernel_crashed}} = Misbehaving.order(kernel, "panic"))

    assert Misbehaving.order(kernel, "behave") == {:ok, []}
  end

  test "when the caller dies its guest is interrupted, long before the deadline" do
    kernel = Misbehaving.start!(workers: 1)
    {to_its_end, {:error, _}} = :timer.tc(fn -> Misbehaving.order(kernel, "spin") end)
    caller = calling(spawn(fn -> Misbehaving.order(kernel, "spin") end))
    Process.exit(caller, :kill)

    {micros, answer} = :timer.tc(fn -> Misbehaving.order(kernel, "behave") end)
    assert answer == {:ok, []}
    assert micros < to_its_end
  end

  test "a caller that dies while its call waits does not start a guest" do
    kernel = Misbehaving.start!(workers: 1)
    running = Task.async(fn -> :timer.tc(fn -> Misbehaving.order(kernel, "spin") end) end)
    calling(running.pid)
    waiting = for _ <- 1..20, do: calling(spawn(fn -> Misbehaving.order(kernel, "spin") end))
    Enum.each(waiting, &Process.exit(&1, :kill))

    assert {one_guest, {:error, %Error{code: :too_complex}}} = Task.await(running, :infinity)
    {micros, {:ok, []}} = :timer.tc(fn -> Misbehaving.order(kernel, "behave") end)
    assert micros < one_guest
  end

  test "one call more than the queue holds is busy, and the others are answered" do
    kernel = Misbehaving.start!(workers: 1, queue: 2)
    running = Task.async(fn -> Misbehaving.order(kernel, "spin") end)
    calling(running.pid)
    waiting = for _ <- 1..2, do: Task.async(fn -> Misbehaving.order(kernel, "behave") end)
    Enum.each(waiting, &calling(&1.pid))

    assert {:error, %Error{code: :busy}} = Misbehaving.order(kernel, "behave")
    assert {:error, %Error{code: :too_complex}} = Task.await(running)
    assert Task.await_many(waiting) == [{:ok, []}, {:ok, []}]
  end

  test "a file that is no kernel is refused when it is loaded" do
    runtime = Native.start(Workbooks.Config.new!(workers: 1, queue: 10))

    for {name, bytes} <- [
          garbage: "not wasm",
          module: <<0, ?a, ?s, ?m, 1, 0, 0, 0>>,
          component: <<0, ?a, ?s, ?m, 13, 0, 1, 0>>,
          truncated: binary_part(File.read!(Application.app_dir(:workbooks, "priv/wasm/oql.wasm")), 0, 10_000)
        ] do
      path = Path.join(System.tmp_dir!(), "workbooks-#{System.pid()}-#{name}.wasm")
      File.write!(path, bytes)
      assert {:error, %Error{code: :kernel_unavailable, hint: hint}} = Native.load_kernel(runtime, path)
      assert hint =~ "make build"
      File.rm!(path)
    end
  end
end
