//! A file that is damaged, foreign or from the future is an error, and never a panic.

mod scratch;

use std::fs;
use std::time::Duration;

use proptest::prelude::*;
use scratch::Scratch;
use vfs::{Disk, Error, Options, Stop, Volume};

/// What damage may be called: a flipped bit in a path makes it another path, or one that is not text.
const CODES: [&str; 9] = [
    "corrupt",
    "not_a_disk",
    "unknown_version",
    "io",
    "sql",
    "disk_full",
    "not_found",
    "invalid_path",
    "path_conflict",
];

/// Does a bit of everything, as far as it goes.
fn exercise(path: &std::path::Path) -> Result<(), Error> {
    let disk = Disk::open(path, Options::default())?;
    let stop = Stop::after(Duration::from_secs(10));
    let results = [
        disk.list(Volume::Workspace).map(drop),
        disk.read(Volume::Workspace, "dir/3").map(drop),
        disk.stat(Volume::Workspace, "dir/3").map(drop),
        disk.query("SELECT count(*), total(length(content)) FROM vfs", &stop)
            .map(drop),
        disk.query("SELECT * FROM mine", &stop).map(drop),
        disk.export(Volume::Workspace, path.with_extension("out")).map(drop),
        disk.backup_to(path.with_extension("cold")),
        disk.write(Volume::Workspace, "new", &[5; 10_000], 1),
        disk.append(Volume::Workspace, "dir/2", b"more", 1),
        disk.query("DELETE FROM vfs WHERE volume = 'memory'", &stop).map(drop),
        disk.clear(Volume::Workspace).map(drop),
    ];
    results.into_iter().collect()
}

fn sound() -> Vec<u8> {
    let Scratch { disk, dir } = Scratch::new();
    for i in 0..40 {
        disk.write(Volume::Workspace, &format!("dir/{i}"), &vec![i; 300 * i as usize], 1)
            .unwrap();
        disk.write(Volume::Memory, &format!("{i}"), b"x", 1).unwrap();
    }
    let stop = Stop::after(Duration::from_secs(10));
    disk.query("CREATE TABLE mine(a UNIQUE)", &stop).unwrap();
    disk.query("INSERT INTO mine SELECT path FROM vfs GROUP BY path", &stop)
        .unwrap();
    drop(disk);
    fs::read(dir.path().join("disk.sqlite")).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bits_and_torn_tails_are_errors(
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8u8, any::<bool>()), 0..20),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        thread_local!(static SOUND: Vec<u8> = sound());
        let mut bytes = SOUND.with(Clone::clone);
        for (at, bit, in_header) in flips {
            let range = if in_header { 4096 } else { bytes.len() };
            bytes[at.index(range)] ^= 1 << bit;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("disk.sqlite");
        fs::write(&path, bytes).unwrap();
        if let Err(error) = exercise(&path) {
            prop_assert!(CODES.contains(&error.code()), "{:?}", error);
        }
    }

    #[test]
    fn noise_is_not_a_disk(bytes in prop::collection::vec(any::<u8>(), 1..10_000)) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("disk.sqlite");
        fs::write(&path, &bytes).unwrap();
        prop_assert_eq!(Disk::open(&path, Options::default()).err().unwrap().code(), "not_a_disk");
        prop_assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn the_sound_file_is_sound() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("disk.sqlite");
    fs::write(&path, sound()).unwrap();
    assert_eq!(exercise(&path), Ok(()));
}

/// Each change to a good file makes it one that is refused, and is left as it was.
#[test]
fn a_file_of_another_format_is_refused() {
    for (change, message) in [
        (
            "PRAGMA user_version = 2",
            "the disk has format version 2, and this program knows version 1",
        ),
        (
            "PRAGMA user_version = 0",
            "the disk has format version 0, and this program knows version 1",
        ),
        (
            "PRAGMA application_id = 1",
            "the file is not a workbook's disk: its application_id is another one",
        ),
        (
            "DROP TABLE vfs",
            "the file is not a workbook's disk: its vfs table has another shape",
        ),
        (
            "ALTER TABLE vfs ADD COLUMN x",
            "the file is not a workbook's disk: its vfs table has another shape",
        ),
        (
            "CREATE INDEX i ON VFS(mtime)",
            "the file is not a workbook's disk: its vfs table has an index or a trigger",
        ),
        (
            "CREATE TRIGGER t AFTER INSERT ON vfs BEGIN SELECT raise(IGNORE); END",
            "the file is not a workbook's disk: its vfs table has an index or a trigger",
        ),
    ] {
        let Scratch { disk, dir } = Scratch::new();
        drop(disk);
        let path = dir.path().join("disk.sqlite");
        let raw = rusqlite::Connection::open(&path).unwrap();
        raw.execute_batch(change).unwrap();
        drop(raw);
        let before = fs::read(&path).unwrap();
        let error = Disk::open(&path, Options::default()).err().unwrap();
        assert_eq!(error.to_string(), message, "{change}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

#[test]
fn a_file_of_one_byte_is_not_an_empty_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("disk.sqlite");
    fs::write(&path, "x").unwrap();
    assert_eq!(
        Disk::open(&path, Options::default()).err().unwrap().code(),
        "not_a_disk"
    );
    assert_eq!(fs::read(&path).unwrap(), b"x");
}

#[test]
fn somebody_elses_database_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("theirs");
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE t(a)")
        .unwrap();
    let before = fs::read(&path).unwrap();
    assert_eq!(
        Disk::open(&path, Options::default()).err().unwrap().code(),
        "not_a_disk"
    );
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_file_that_cannot_be_opened_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    for path in [dir.path().to_owned(), dir.path().join("no/such/directory")] {
        let error = Disk::open(&path, Options::default()).err().unwrap();
        assert_eq!(error.code(), "io");
        assert!(!error.to_string().contains(dir.path().to_str().unwrap()), "{error}");
    }
}
