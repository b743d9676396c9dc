//! What goes into a bundle, and that the same goes in comes out.

mod texts;

use bundle::{Error, Options, assemble, open, sign, unpack, verify};
use ledger::Signer;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;
use vfs::{Disk, Stop, Volume};

const PLAN: &str = "* Report :workflow:\r\n** Build :component:\n#+begin_src js :out report:string\nexport default () => \"<b>&amp;\";\n#+end_src\n";

/// A workbook with an artifact and a disk that has secrets, some of them deleted.
fn workbook() -> (TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let dir = home.path().join("report");
    fs::create_dir_all(dir.join("artifacts/deep")).unwrap();
    fs::write(dir.join("workbook.org"), PLAN).unwrap();
    fs::write(dir.join("artifacts/deep/build.wasm"), b"\0asm artifact").unwrap();
    fs::write(dir.join("notes.txt"), "not part of the workbook").unwrap();
    let disk = Disk::open(dir.join("vfs.sqlite"), vfs::Options::default()).unwrap();
    for i in 0..40 {
        let secret = format!("SECRET-{i} ").repeat(500);
        disk.write(Volume::Memory, &format!("diary/{i}"), secret.as_bytes(), 9_000_000_000)
            .unwrap();
        disk.write(Volume::Tmp, &format!("SECRETNAME-{i}"), secret.as_bytes(), 2)
            .unwrap();
        disk.write(Volume::Workspace, &format!("deleted/{i}"), b"SECRET and deleted", 3)
            .unwrap();
        disk.write(
            Volume::Workspace,
            &format!("work/{i}"),
            format!("OPEN-{i}").as_bytes(),
            1_000 + i,
        )
        .unwrap();
    }
    // What is deleted stays in free pages, and in pages that are half full.
    for i in 0..40 {
        disk.delete(Volume::Workspace, &format!("deleted/{i}")).unwrap();
        if i % 2 == 0 {
            disk.delete(Volume::Memory, &format!("diary/{i}")).unwrap();
        }
    }
    let stop = Stop::after(Duration::from_secs(5));
    disk.query("CREATE TABLE mine(x TEXT)", &stop).unwrap();
    disk.query("INSERT INTO mine VALUES ('SECRET in a table of a guest')", &stop)
        .unwrap();
    drop(disk);
    (home, dir)
}

fn holds(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

#[test]
fn a_bundle_holds_the_plan_the_page_the_artifacts_and_the_work() {
    let (home, dir) = workbook();
    let made = assemble(&dir, &Options::default()).unwrap();
    let names: Vec<&str> = made.manifest.files.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "artifacts/deep/build.wasm",
            "vfs.sqlite",
            "workbook.html",
            "workbook.org"
        ]
    );
    assert_eq!(
        (made.manifest.id.as_str(), made.manifest.format.as_str()),
        ("report", "wbundle/1")
    );
    assert_eq!(
        (made.manifest.volumes.as_slice(), made.manifest.private_included),
        (&["workspace".to_owned()][..], false)
    );

    let out = home.path().join("out");
    assert_eq!(unpack(&made.bytes, &out).unwrap(), made.manifest);
    assert_eq!(fs::read_to_string(out.join("workbook.org")).unwrap(), PLAN);
    assert_eq!(
        fs::read(out.join("artifacts/deep/build.wasm")).unwrap(),
        b"\0asm artifact"
    );
    let disk = Disk::open(out.join("vfs.sqlite"), vfs::Options::default()).unwrap();
    assert_eq!(disk.list(Volume::Workspace).unwrap().len(), 40);
    assert_eq!(disk.read(Volume::Workspace, "work/7").unwrap(), b"OPEN-7");
    assert!(disk.list(Volume::Memory).unwrap().is_empty());
    assert!(disk.list(Volume::Tmp).unwrap().is_empty());
}

/// The disk in the bundle is looked at raw: every page of it, free or not.
#[test]
fn what_is_private_is_not_in_the_file() {
    let (_home, dir) = workbook();
    assert!(holds(&fs::read(dir.join("vfs.sqlite")).unwrap(), "SECRET and deleted"));
    let made = assemble(&dir, &Options::default()).unwrap();
    for (name, content) in &open(&made.bytes).unwrap().files {
        assert!(!holds(content, "SECRET"), "{name}");
        assert!(!holds(content, "diary"), "{name}");
        assert!(!holds(content, "memory"), "{name}");
    }
    assert!(holds(&open(&made.bytes).unwrap().files["vfs.sqlite"], "OPEN-7"));
    assert!(!holds(&made.bytes, "SECRET"));
}

#[test]
fn with_private_the_session_comes_along_but_nothing_that_was_deleted() {
    let (home, dir) = workbook();
    let private = Options {
        private: true,
        ..Options::default()
    };
    let made = assemble(&dir, &private).unwrap();
    assert_eq!(made.manifest.volumes, ["workspace", "memory", "tmp"]);
    assert!(made.manifest.private_included);
    assert!(!holds(
        &open(&made.bytes).unwrap().files["vfs.sqlite"],
        "SECRET and deleted"
    ));
    assert_eq!(made, assemble(&dir, &private).unwrap());
    unpack(&made.bytes, home.path().join("out")).unwrap();
    let disk = Disk::open(home.path().join("out/vfs.sqlite"), vfs::Options::default()).unwrap();
    assert_eq!(disk.list(Volume::Memory).unwrap().len(), 20);
    assert_eq!(disk.list(Volume::Tmp).unwrap().len(), 40);
    let table = disk.query("SELECT count(*) FROM mine", &Stop::after(Duration::from_secs(5)));
    assert_eq!(table.unwrap(), "[[1]]");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let (home, dir) = workbook();
    let before = fs::read(dir.join("vfs.sqlite")).unwrap();
    let made = assemble(&dir, &Options::default()).unwrap();
    assert_eq!(made, assemble(&dir, &Options::default()).unwrap());
    // The disk was only read.
    assert_eq!(fs::read(dir.join("vfs.sqlite")).unwrap(), before);

    // Elsewhere, in another order, with another past, but the same files and times.
    let copy = home.path().join("elsewhere/report");
    fs::create_dir_all(copy.join("artifacts/deep")).unwrap();
    for name in ["artifacts/deep/build.wasm", "workbook.org"] {
        fs::copy(dir.join(name), copy.join(name)).unwrap();
        let time = fs::metadata(dir.join(name)).unwrap().modified().unwrap();
        fs::File::options()
            .write(true)
            .open(copy.join(name))
            .unwrap()
            .set_modified(time)
            .unwrap();
    }
    let disk = Disk::open(copy.join("vfs.sqlite"), vfs::Options::default()).unwrap();
    for i in (0..40).rev() {
        disk.write(
            Volume::Workspace,
            &format!("work/{i}"),
            format!("OPEN-{i}").as_bytes(),
            1_000 + i,
        )
        .unwrap();
    }
    drop(disk);
    assert_eq!(made, assemble(&copy, &Options::default()).unwrap());
}

#[test]
fn created_is_the_time_of_the_newest_input_or_the_callers() {
    let home = tempfile::tempdir().unwrap();
    let plan = home.path().join("my plan!.org");
    fs::write(&plan, PLAN).unwrap();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_781_136_000);
    fs::File::options()
        .write(true)
        .open(&plan)
        .unwrap()
        .set_modified(time)
        .unwrap();
    let created = |created: Option<i64>| {
        let options = Options {
            created,
            ..Options::default()
        };
        assemble(&plan, &options).map(|made| (made.manifest.id, made.manifest.created))
    };
    assert_eq!(
        created(None).unwrap(),
        ("my-plan".into(), "2026-06-11T00:00:00Z".into())
    );
    assert_eq!(created(Some(0)).unwrap().1, "1970-01-01T00:00:00Z");
    assert_eq!(created(Some(-1)).unwrap_err().code(), "bad_option");
}

/// The diary is the newest thing on the disk; its time must not leak.
#[test]
fn the_time_of_a_private_file_is_not_the_time_of_the_bundle() {
    let (_home, dir) = workbook();
    let made = assemble(&dir, &Options::default()).unwrap();
    assert!(made.manifest.created.starts_with("20"), "{}", made.manifest.created);
    assert!(!made.manifest.created.starts_with("2255"), "{}", made.manifest.created);
}

#[test]
fn a_plan_with_diagnostics_is_refused_in_these_words() {
    let home = tempfile::tempdir().unwrap();
    let plan = home.path().join("broken.org");
    fs::write(&plan, "* W :workflow:\n** Orphan task :component:\n").unwrap();
    let error = assemble(&plan, &Options::default()).unwrap_err();
    assert_eq!(error.code(), "diagnostics");
    assert_eq!(
        error.to_string(),
        "source has diagnostics — fix them first (wbx lint)\n[{\"level\":\"error\",\"message\":\"component has no source block / language\",\"scope\":\"Orphan task\"}]"
    );
}

#[test]
fn a_link_among_the_artifacts_is_refused_and_not_followed() {
    let (home, dir) = workbook();
    fs::write(home.path().join("password"), "SECRET").unwrap();
    std::os::unix::fs::symlink(home.path().join("password"), dir.join("artifacts/link")).unwrap();
    let error = assemble(&dir, &Options::default()).unwrap_err();
    assert!(
        matches!(&error, Error::Unbundleable { path, .. } if path == "artifacts/link"),
        "{error}"
    );
}

#[test]
fn what_is_not_there_is_not_found() {
    let home = tempfile::tempdir().unwrap();
    for path in [home.path().join("nothing.org"), home.path().to_owned()] {
        assert_eq!(assemble(&path, &Options::default()).unwrap_err().code(), "not_found");
    }
    fs::write(home.path().join("workbook.org"), PLAN).unwrap();
    let options = Options {
        disk: Some(home.path().join("nowhere.sqlite")),
        ..Options::default()
    };
    assert_eq!(assemble(home.path(), &options).unwrap_err().code(), "not_found");
    assert!(!home.path().join("nowhere.sqlite").exists());
}

/// A browser's parser reads the page: the source comes out of it to the last byte, and nothing in it runs.
#[test]
fn the_page_carries_the_source_and_no_script() {
    let home = tempfile::tempdir().unwrap();
    let plan = home.path().join("plan.org");
    let nasty = "\n* </pre><script>alert(1)</script> &lt; \"q\"\r\n#+begin_export html\n<script>alert(2)</script>\n#+end_export\n";
    fs::write(&plan, nasty).unwrap();
    let made = assemble(&plan, &Options::default()).unwrap();
    let page = &open(&made.bytes).unwrap().files["workbook.html"];
    let page = String::from_utf8(page.clone()).unwrap();
    assert!(!page.contains("<script"));
    assert_eq!(texts::source(&page), nasty);
}

#[test]
fn a_signature_holds_until_anything_changes() {
    let (_home, dir) = workbook();
    let made = assemble(&dir, &Options::default()).unwrap();
    let (ada, grace) = (Signer::from_seed(&[1; 32]), Signer::from_seed(&[2; 32]));
    let unsigned = verify(&made.bytes).unwrap();
    assert_eq!(
        (unsigned.intact, unsigned.signed, unsigned.did.as_deref()),
        (true, false, None)
    );

    let signed = sign(&made.bytes, &ada).unwrap();
    let found = verify(&signed).unwrap();
    assert!(found.holds());
    assert_eq!(found.did, Some(ada.did()));
    // Signing again gives the same bytes, and another signer takes the place of the first.
    assert_eq!(sign(&signed, &ada).unwrap(), signed);
    assert_eq!(verify(&sign(&signed, &grace).unwrap()).unwrap().did, Some(grace.did()));

    // A signature of one bundle does not hold for another: the same signature, another manifest.
    let other = Options {
        id: Some("other".into()),
        ..Options::default()
    };
    let other = assemble(&dir, &other).unwrap();
    let swapped = graft(&signed, &other.bytes);
    let found = verify(&swapped).unwrap();
    assert_eq!((found.intact, found.signed), (true, false));
}

/// Puts the signature of one bundle into another.
fn graft(from: &[u8], to: &[u8]) -> Vec<u8> {
    use std::io::{Cursor, Read as _, Write as _};
    let mut from = zip::ZipArchive::new(Cursor::new(from)).unwrap();
    let mut to = zip::ZipArchive::new(Cursor::new(to)).unwrap();
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..to.len() {
        out.raw_copy_file(to.by_index_raw(index).unwrap()).unwrap();
    }
    let mut signature = Vec::new();
    from.by_name("signature.json")
        .unwrap()
        .read_to_end(&mut signature)
        .unwrap();
    out.start_file("signature.json", zip::write::SimpleFileOptions::default())
        .unwrap();
    out.write_all(&signature).unwrap();
    out.finish().unwrap().into_inner()
}

#[test]
fn what_packs_too_well_is_stored_and_can_be_read_again() {
    let (home, dir) = workbook();
    fs::write(dir.join("artifacts/zeros"), vec![0; 3 << 20]).unwrap();
    let made = assemble(&dir, &Options::default()).unwrap();
    unpack(&made.bytes, home.path().join("out")).unwrap();
    assert_eq!(
        fs::metadata(home.path().join("out/artifacts/zeros")).unwrap().len(),
        3 << 20
    );
    assert!(Path::new(&home.path().join("out/workbook.html")).is_file());
}
