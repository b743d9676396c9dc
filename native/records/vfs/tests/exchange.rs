//! A volume goes out to a directory and comes back, and nothing else does.

mod scratch;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use proptest::prelude::*;
use scratch::Scratch;
use vfs::{Stat, Volume};

const WORK: Volume = Volume::Workspace;

/// Every file below a directory.
fn tree(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut waiting = vec![dir.to_owned()];
    while let Some(here) = waiting.pop() {
        for entry in here.read_dir().unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => waiting.push(entry.path()),
                false => {
                    let path = entry.path();
                    let name = path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
                    files.insert(name, fs::read(path).unwrap());
                }
            }
        }
    }
    files
}

/// Names that mean something to a shell, a terminal, SQL or another file system.
fn hostile_name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]",
        prop::sample::select(vec![
            "...",
            "-rf",
            "~",
            "$(reboot)",
            "a b",
            "'; DROP TABLE vfs; --",
            "%2e%2e",
            "..\\..",
            "C:",
            "\u{202e}txt",
            "é",
            "e\u{301}",
            "a\nb",
            "\x1b[31m",
            "*",
            "CON",
            "\u{fffd}",
            "NUL",
        ])
        .prop_map(str::to_owned),
        "[^/\0]{1,60}".prop_filter("dots", |name| name != "." && name != ".."),
    ]
}

fn volume() -> impl Strategy<Value = BTreeMap<String, Vec<u8>>> {
    let path = prop::collection::vec(hostile_name(), 1..4).prop_map(|names| names.join("/"));
    prop::collection::btree_map(path, prop::collection::vec(any::<u8>(), 0..50), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_exported_is_imported_again(files in volume()) {
        let scratch = Scratch::new();
        let mut written = BTreeMap::new();
        for (path, content) in files {
            // A name may be both file and directory, which is refused, or longer in bytes than allowed.
            if scratch.write(WORK, &path, &content, 7).is_ok() {
                written.insert(path, content);
            }
        }
        let before = scratch.list(WORK).unwrap();
        let (out, again) = (scratch.path("out"), scratch.path("again"));
        prop_assert_eq!(scratch.export(WORK, &out).unwrap(), written.len());
        prop_assert_eq!(tree(&out), written.clone());

        prop_assert_eq!(scratch.import(Volume::Memory, &out, 7).unwrap(), written.len());
        prop_assert_eq!(scratch.list(Volume::Memory).unwrap(), before.clone());
        scratch.export(Volume::Memory, &again).unwrap();
        prop_assert_eq!(tree(&again), written);

        // Nothing changed, so nothing is written.
        scratch.import(WORK, &out, 99).unwrap();
        prop_assert_eq!(scratch.list(WORK).unwrap(), before);
    }
}

#[test]
fn an_import_makes_the_volume_what_the_directory_is() {
    let scratch = Scratch::new();
    for (path, content) in [("kept", "same"), ("changed", "old"), ("gone", "x"), ("was/dir", "x")] {
        scratch.write(WORK, path, content.as_bytes(), 1).unwrap();
    }
    scratch
        .sql("INSERT INTO vfs VALUES ('workspace', '../odd', x'', 1), ('workspace', x'ff', x'', 1)")
        .unwrap();
    scratch.write(Volume::Memory, "other", b"volume", 1).unwrap();
    let dir = scratch.path("in");
    fs::create_dir_all(dir.join("empty/nested")).unwrap();
    for (path, content) in [("kept", "same"), ("changed", "new"), ("was", "now a file")] {
        fs::write(dir.join(path), content).unwrap();
    }
    assert_eq!(scratch.import(WORK, &dir, 2), Ok(3));
    let listed: Vec<_> = scratch
        .list(WORK)
        .unwrap()
        .into_iter()
        .map(|e| (e.path, e.stat.mtime))
        .collect();
    assert_eq!(
        listed,
        [("changed".to_owned(), 2), ("kept".to_owned(), 1), ("was".to_owned(), 2)]
    );
    assert_eq!(scratch.read(Volume::Memory, "other").unwrap(), b"volume");
}

#[test]
fn an_export_keeps_the_times() {
    let scratch = Scratch::new();
    scratch.write(WORK, "a", b"", 1_700_000_000).unwrap();
    scratch.write(WORK, "b", b"", i64::MIN).unwrap();
    scratch.write(WORK, "c", b"", i64::MAX).unwrap();
    scratch.export(WORK, scratch.path("out")).unwrap();
    let mtime = |name| scratch.path("out").join(name).metadata().unwrap().modified().unwrap();
    assert_eq!(mtime("a"), UNIX_EPOCH + Duration::from_secs(1_700_000_000));
    assert_eq!(mtime("b"), UNIX_EPOCH);
}

#[test]
fn an_export_needs_an_absent_or_empty_directory_and_leaves_nothing_when_refused() {
    let scratch = Scratch::new();
    scratch.write(WORK, "a", b"new", 1).unwrap();
    let (full, empty, file) = (scratch.path("full"), scratch.path("empty"), scratch.path("file"));
    fs::create_dir(&full).unwrap();
    fs::write(full.join("a"), "old").unwrap();
    fs::create_dir(&empty).unwrap();
    fs::write(&file, "old").unwrap();
    for target in [&full, &file, &scratch.path("no/such/parent")] {
        assert_eq!(scratch.export(WORK, target).unwrap_err().code(), "io");
    }
    assert_eq!(fs::read(full.join("a")).unwrap(), b"old");
    scratch.export(WORK, &empty).unwrap();
    assert_eq!(fs::read(empty.join("a")).unwrap(), b"new");
    let hidden = |name: &OsStr| name.as_bytes().starts_with(b".");
    assert!(
        !scratch
            .dir
            .path()
            .read_dir()
            .unwrap()
            .any(|entry| hidden(&entry.unwrap().file_name()))
    );
}

#[test]
fn a_row_that_is_not_a_file_stops_an_export_before_it_appears() {
    for (path, code) in [
        ("'../up'", "invalid_path"),
        ("'/etc/passwd'", "invalid_path"),
        ("'a/../../up'", "invalid_path"),
        ("''", "invalid_path"),
        ("'a' || char(0)", "invalid_path"),
        ("'f/below'", "path_conflict"),
    ] {
        let scratch = Scratch::new();
        scratch.write(WORK, "f", b"", 1).unwrap();
        scratch
            .sql(&format!("INSERT INTO vfs VALUES ('workspace', {path}, 'x', 1)"))
            .unwrap();
        assert_eq!(
            scratch.export(WORK, scratch.path("out/")).unwrap_err().code(),
            code,
            "{path}"
        );
        assert_eq!(
            scratch
                .dir
                .path()
                .read_dir()
                .unwrap()
                .filter(|e| e.as_ref().unwrap().path().is_dir())
                .count(),
            0
        );
    }
}

#[test]
fn a_row_whose_path_only_looks_like_another_is_not_exported_as_it() {
    // Both are shown as U+FFFD; only one is a path.
    let scratch = Scratch::new();
    scratch
        .sql("INSERT INTO vfs VALUES ('workspace', x'ff', 'blob', 1)")
        .unwrap();
    assert_eq!(
        scratch.export(WORK, scratch.path("out")).unwrap_err().code(),
        "invalid_path"
    );
}

#[test]
fn an_import_refuses_what_is_not_a_file_and_changes_nothing() {
    type Plant = fn(&Path);
    let plants: [(Plant, &str); 7] = [
        (|dir| symlink("/etc/passwd", dir.join("x")).unwrap(), "not_a_file"),
        (|dir| symlink("/etc", dir.join("x")).unwrap(), "not_a_file"),
        (|dir| symlink("a", dir.join("x")).unwrap(), "not_a_file"),
        (|dir| symlink("nowhere", dir.join("x")).unwrap(), "not_a_file"),
        (|dir| drop(UnixListener::bind(dir.join("x")).unwrap()), "not_a_file"),
        (
            |dir| fs::write(dir.join(OsStr::from_bytes(b"\xff")), "").unwrap(),
            "invalid_path",
        ),
        (
            |dir| fs::File::create(dir.join("x")).unwrap().set_len(1 << 40).unwrap(),
            "file_too_large",
        ),
    ];
    for (plant, code) in plants {
        let scratch = Scratch::new();
        scratch.write(WORK, "before", b"1", 1).unwrap();
        let dir = scratch.path("in");
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("a"), "2").unwrap();
        plant(&dir);
        assert_eq!(scratch.import(WORK, &dir, 2).unwrap_err().code(), code);
        assert_eq!(scratch.list(WORK).unwrap().len(), 1);
        assert_eq!(scratch.stat(WORK, "before"), Ok(Stat { size: 1, mtime: 1 }));
    }
}

#[test]
fn an_import_refuses_the_disk_itself() {
    let scratch = Scratch::new();
    scratch.write(WORK, "before", b"1", 1).unwrap();
    assert_eq!(
        scratch.import(WORK, scratch.dir.path(), 2).unwrap_err().code(),
        "own_file"
    );
    assert_eq!(scratch.read(WORK, "before").unwrap(), b"1");
}

#[test]
fn a_directory_deeper_than_any_path_is_refused() {
    let scratch = Scratch::new();
    let deep = scratch.path("in").join("d/".repeat(600));
    fs::create_dir_all(&deep).unwrap();
    assert_eq!(
        scratch.import(WORK, scratch.path("in"), 2).unwrap_err().code(),
        "invalid_path"
    );
}

#[test]
fn an_import_that_does_not_fit_changes_nothing() {
    let scratch = Scratch::with(vfs::Options { max_pages: 64 });
    scratch.write(WORK, "before", b"1", 1).unwrap();
    let dir = scratch.path("in");
    fs::create_dir(&dir).unwrap();
    for i in 0..32 {
        fs::write(dir.join(i.to_string()), vec![i; 16 * 1024]).unwrap();
    }
    assert_eq!(scratch.import(WORK, &dir, 2).unwrap_err().code(), "disk_full");
    assert_eq!(scratch.list(WORK).unwrap().len(), 1);
}
