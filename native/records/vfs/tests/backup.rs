//! A copy of a live disk is the disk of one moment, and the way back is all or nothing.

mod scratch;

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use scratch::Scratch;
use vfs::{Disk, Options, Volume};

const WORK: Volume = Volume::Workspace;

#[test]
fn a_backup_taken_while_writing_is_consistent() {
    let scratch = Scratch::new();
    scratch.sql("CREATE TABLE pair(side PRIMARY KEY, n)").unwrap();
    scratch
        .sql("INSERT INTO pair VALUES ('left', 0), ('right', 0)")
        .unwrap();
    scratch.write(WORK, "ballast", &[1; 2_000_000], 0).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|threads| {
        threads.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                scratch.sql("UPDATE pair SET n = n + 1").unwrap();
                scratch.append(WORK, "log", b"x", 0).unwrap();
            }
        });
        let mut last = -1;
        for i in 0..20 {
            let path = scratch.path(&format!("cold-{i}"));
            scratch.backup_to(&path).unwrap();
            let copy = rusqlite::Connection::open(&path).unwrap();
            let number = |sql: &str| copy.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
            assert_eq!(number("SELECT count(DISTINCT n) FROM pair"), 1);
            let n = number("SELECT min(n) FROM pair");
            let log = number("SELECT coalesce(max(octet_length(content)), 0) FROM vfs WHERE path = 'log'");
            assert!(n == log || n == log + 1, "{n} updates, {log} appends");
            assert!(n >= last);
            last = n;
            assert_eq!(
                copy.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))
                    .unwrap(),
                "ok"
            );
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_backup_is_one_file_that_opens_as_a_disk() {
    let scratch = Scratch::new();
    scratch.write(WORK, "a", b"1", 7).unwrap();
    let cold = scratch.path("cold");
    fs::create_dir(&cold).unwrap();
    scratch.backup_to(cold.join("disk")).unwrap();
    scratch.backup_to(cold.join("disk")).unwrap();
    let names: Vec<_> = cold
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["disk"]);
    let copy = Disk::open(cold.join("disk"), Options::default()).unwrap();
    assert_eq!(copy.read(WORK, "a").unwrap(), b"1");
}

#[test]
fn a_restore_brings_back_what_was_and_only_that() {
    let scratch = Scratch::new();
    scratch.write(Volume::Memory, "kept", b"1", 7).unwrap();
    scratch.write(Volume::Tmp, "scrap", b"2", 7).unwrap();
    scratch.backup_to(scratch.path("cold")).unwrap();
    scratch.write(Volume::Memory, "later", &[3; 100_000], 8).unwrap();
    scratch.sql("CREATE TABLE mine(a)").unwrap();
    scratch.restore_from(scratch.path("cold")).unwrap();
    assert_eq!(scratch.list(Volume::Memory).unwrap().len(), 1);
    assert_eq!(scratch.refusal("SELECT * FROM mine"), "sql");
    // Resuming a workbook clears tmp, and only tmp.
    assert_eq!(scratch.clear(Volume::Tmp), Ok(1));
    assert_eq!(scratch.read(Volume::Memory, "kept").unwrap(), b"1");
    scratch
        .sql("INSERT INTO vfs VALUES ('tmp', 'guest', 'writes', 1)")
        .unwrap();
    assert_eq!(
        scratch
            .raw()
            .query_row("PRAGMA journal_mode", [], |row| row.get::<_, String>(0))
            .unwrap(),
        "wal"
    );
}

#[test]
fn a_restore_happens_at_once_for_those_who_read() {
    let scratch = Scratch::new();
    let sum = |scratch: &Scratch| scratch.sql("SELECT count(*), count(DISTINCT mtime) FROM vfs").unwrap();
    for (mtime, name) in [(1, "one"), (2, "two")] {
        for file in 0..50 {
            scratch
                .write(WORK, &file.to_string(), &vec![mtime as u8; 5_000], mtime)
                .unwrap();
        }
        scratch.backup_to(scratch.path(name)).unwrap();
    }
    let done = AtomicBool::new(false);
    thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    assert_eq!(sum(&scratch), "[[50,1]]");
                }
            });
        }
        for name in ["one", "two"].repeat(10) {
            scratch.restore_from(scratch.path(name)).unwrap();
            assert_eq!(
                scratch.stat(WORK, "7").unwrap().mtime,
                if name == "one" { 1 } else { 2 }
            );
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_restore_works_on_a_new_disk() {
    let scratch = Scratch::new();
    scratch.write(WORK, "a", &[9; 50_000], 7).unwrap();
    scratch.backup_to(scratch.path("cold")).unwrap();
    let other = Scratch::new();
    other.restore_from(scratch.path("cold")).unwrap();
    assert_eq!(other.read(WORK, "a").unwrap(), [9; 50_000]);
}

#[test]
fn a_restore_of_something_else_leaves_the_disk_alone() {
    let scratch = Scratch::new();
    scratch.write(WORK, "a", b"1", 7).unwrap();
    let foreign = rusqlite::Connection::open(scratch.path("foreign")).unwrap();
    foreign.execute_batch("CREATE TABLE t(a)").unwrap();
    fs::write(
        scratch.path("text"),
        "not a database, but long enough to look like one".repeat(100),
    )
    .unwrap();
    fs::write(scratch.path("empty"), "").unwrap();
    scratch.backup_to(scratch.path("torn")).unwrap();
    let bytes = fs::read(scratch.path("torn")).unwrap();
    fs::write(scratch.path("torn"), &bytes[..bytes.len() - 4096]).unwrap();
    for (name, codes) in [
        ("foreign", &["not_a_disk"][..]),
        ("text", &["not_a_disk"]),
        ("empty", &["not_a_disk"]),
        ("torn", &["corrupt"]),
        ("absent", &["io"]),
    ] {
        let code = scratch.restore_from(scratch.path(name)).unwrap_err().code();
        assert!(codes.contains(&code), "{name}: {code}");
        assert_eq!(scratch.read(WORK, "a").unwrap(), b"1");
    }
}

#[test]
fn a_restore_larger_than_the_page_cap_leaves_the_disk_alone() {
    let large = Scratch::new();
    large.write(WORK, "big", &[1; 1_000_000], 7).unwrap();
    large.backup_to(large.path("cold")).unwrap();
    let small = Scratch::with(Options { max_pages: 64 });
    small.write(WORK, "a", b"1", 7).unwrap();
    assert_eq!(small.restore_from(large.path("cold")).unwrap_err().code(), "disk_full");
    assert_eq!(small.read(WORK, "a").unwrap(), b"1");
    small.write(WORK, "b", b"2", 7).unwrap();
}
