defmodule Workbooks.BundleTest do
  use ExUnit.Case, async: true

  alias Workbooks.{Bundle, VFS}

  @moduletag :tmp_dir

  defp workbook!(dir) do
    book = Path.join(dir, "book")
    File.mkdir_p!(Path.join(book, "artifacts"))
    File.write!(Path.join(book, "workbook.org"), "* Report :workflow:\n")
    File.write!(Path.join(book, "artifacts/a.wasm"), <<0, "asm">>)
    disk = VFS.open!(Path.join(book, "vfs.sqlite"))
    VFS.write!(disk, "report.txt", "OPEN", :workspace)
    VFS.write!(disk, "diary.txt", "SECRET", :memory)
    VFS.close!(disk)
    book
  end

  test "a workbook travels as one file, without its memory", %{tmp_dir: dir} do
    book = workbook!(dir)
    bundle = Path.join(dir, "book.wbundle")
    assert {:ok, %{"volumes" => ["workspace"], "private_included" => false}} = Bundle.create(book, bundle)
    bytes = File.read!(bundle)
    assert {:ok, _} = Bundle.create(book, bundle)
    assert File.read!(bundle) == bytes

    assert {:ok, %{"id" => "book"}} = Bundle.unpack(bundle, Path.join(dir, "copy"))
    refute File.read!(Path.join(dir, "copy/vfs.sqlite")) =~ "SECRET"
    disk = VFS.open!(Path.join(dir, "copy/vfs.sqlite"))
    assert VFS.read!(disk, "report.txt", :workspace) == "OPEN"
    assert VFS.list!(disk, :memory) == []
    VFS.close!(disk)
  end

  test "with private, the memory comes along", %{tmp_dir: dir} do
    bundle = Path.join(dir, "book.wbundle")
    assert {:ok, %{"private_included" => true}} = Bundle.create(workbook!(dir), bundle, private: true)
    {:ok, _} = Bundle.unpack(bundle, Path.join(dir, "copy"))
    disk = VFS.open!(Path.join(dir, "copy/vfs.sqlite"))
    assert VFS.read!(disk, "diary.txt", :memory) == "SECRET"
    VFS.close!(disk)
  end

  test "a plan with diagnostics is refused with them", %{tmp_dir: dir} do
    plan = Path.join(dir, "plan.org")
    File.write!(plan, "* W :workflow:\n** Orphan task :component:\n")
    assert {:error, error} = Bundle.create(plan, Path.join(dir, "x.wbundle"))
    assert error.code == :diagnostics
    assert error.message =~ "source has diagnostics — fix them first (wbx lint)\n[{"
    assert [%{"scope" => "Orphan task"}] = error.details.diagnostics
    refute File.exists?(Path.join(dir, "x.wbundle"))
  end

  test "a signature holds, and a changed bundle is refused and leaves nothing", %{tmp_dir: dir} do
    bundle = Path.join(dir, "book.wbundle")
    {:ok, _} = Bundle.create(workbook!(dir), bundle)
    assert {:ok, %{intact: true, signed: false, did: nil}} = Bundle.verify(bundle)
    assert {:ok, did} = Bundle.sign(bundle, history: Path.join(dir, "history"))
    assert {:ok, %{intact: true, signed: true, did: ^did}} = Bundle.verify(bundle)

    <<head::binary-size(300), byte, rest::binary>> = File.read!(bundle)
    File.write!(bundle, <<head::binary, Bitwise.bxor(byte, 1), rest::binary>>)
    assert {:error, %{code: code}} = Bundle.verify(bundle)
    assert code in [:changed, :not_a_bundle, :bundle_too_large, :unsafe_entry]
    assert {:error, %{code: ^code}} = Bundle.unpack(bundle, Path.join(dir, "copy"))
    refute File.exists?(Path.join(dir, "copy"))
  end

  test "what is not there, not a bundle or in the way is said", %{tmp_dir: dir} do
    File.write!(Path.join(dir, "letter"), "dear Ada")
    assert {:error, %{code: :not_found}} = Bundle.create(Path.join(dir, "nothing"), Path.join(dir, "x"))
    assert {:error, %{code: :not_found}} = Bundle.verify(Path.join(dir, "nothing"))
    assert {:error, %{code: :not_a_bundle}} = Bundle.verify(Path.join(dir, "letter"))
    bundle = Path.join(dir, "book.wbundle")
    {:ok, _} = Bundle.create(workbook!(dir), bundle)
    assert {:error, %{code: :exists}} = Bundle.unpack(bundle, dir)
    assert {:error, %{code: :bad_option}} = Bundle.create(Path.join(dir, "book"), bundle, id: "../x")
    assert {:error, %{code: :bad_option}} = Bundle.create(Path.join(dir, "book"), bundle, colour: "red")
    assert {:error, %{code: :bad_option}} = Bundle.sign(bundle, key: "mine")
    assert %{"id" => "book"} = Bundle.unpack!(bundle, Path.join(dir, "copy"))
    assert_raise Workbooks.Error, fn -> Bundle.verify!(Path.join(dir, "letter")) end
  end
end
