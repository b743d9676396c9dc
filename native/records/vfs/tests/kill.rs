//! Killing the process at any moment loses nothing acknowledged.
//!
//! A child process works on the disk and says on its standard output what is done. The test kills it with SIGKILL at
//! a random moment, opens the disk and looks. The child is this test binary, asked for its one ignored test.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use vfs::{Disk, Options, Volume};

const WORK: Volume = Volume::Workspace;
const FILES: u64 = 10_000;
const IMPORTED: usize = 200;

fn content(i: u64) -> Vec<u8> {
    format!("content of {i} ").repeat(1 + i as usize % 700).into_bytes()
}

fn record(i: u64) -> String {
    format!("record {i:08}\n")
}

fn open(dir: &Path) -> Disk {
    Disk::open(dir.join("disk.sqlite"), Options::default()).unwrap()
}

/// The child: does one thing after another from `start` on, and says so after each.
#[test]
#[ignore = "runs as the child of the other tests"]
fn child() {
    let dir = env::var_os("VFS_TEST_DIR").expect("the parent names a directory");
    let dir = Path::new(&dir);
    let start: u64 = env::var("VFS_TEST_START").unwrap().parse().unwrap();
    let disk = open(dir);
    let step: fn(&Disk, &Path, u64) = match env::var("VFS_TEST_STEP").unwrap().as_str() {
        "write" => |disk, _, i| disk.write(WORK, &format!("f/{i}"), &content(i), 1).unwrap(),
        "append" => |disk, _, i| disk.append(WORK, "log", record(i).as_bytes(), 1).unwrap(),
        "import" => |disk, dir, i| {
            disk.import(WORK, dir.join(i.rem_euclid(2).to_string()), 1).unwrap();
        },
        other => panic!("no step {other}"),
    };
    let mut out = std::io::stdout();
    for i in start.. {
        step(&disk, dir, i);
        writeln!(out, "\nack {i}").unwrap();
    }
}

/// Runs the child from `start` on, kills it within `longest`, and returns the number that comes after the last
/// acknowledged one.
fn run_and_kill(dir: &Path, step: &str, start: u64, longest: Duration) -> u64 {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env("VFS_TEST_DIR", dir)
        .env("VFS_TEST_STEP", step)
        .env("VFS_TEST_START", start.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let reader = thread::spawn(move || {
        let acknowledged = |line: String| line.strip_prefix("ack ")?.parse().ok();
        out.lines().map_while(Result::ok).filter_map(acknowledged).last()
    });
    let random = RandomState::new().hash_one(start);
    thread::sleep(longest.mul_f64(random as f64 / u64::MAX as f64));
    child.kill().unwrap();
    child.wait().unwrap();
    let last: Option<u64> = reader.join().unwrap();
    last.map_or(start, |last| last + 1)
}

fn assert_sound(dir: &Path) {
    let raw = rusqlite::Connection::open(dir.join("disk.sqlite")).unwrap();
    let verdict: String = raw.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
}

#[test]
fn every_acknowledged_write_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let (mut next, mut kills) = (0, 0);
    while next < FILES || kills < 20 {
        let start = next;
        next = run_and_kill(dir.path(), "write", start, Duration::from_millis(800));
        kills += 1;
        let disk = open(dir.path());
        for i in start..next {
            assert_eq!(disk.read(WORK, &format!("f/{i}")).unwrap(), content(i));
        }
        // At most one write was done and not yet acknowledged.
        let files = disk.list(WORK).unwrap().len() as u64;
        assert!(files == next || files == next + 1, "{files} files, {next} acknowledged");
        drop(disk);
        assert_sound(dir.path());
    }
    let disk = open(dir.path());
    for i in 0..next {
        assert_eq!(disk.read(WORK, &format!("f/{i}")).unwrap(), content(i));
    }
}

#[test]
fn an_append_is_whole_or_absent() {
    let dir = tempfile::tempdir().unwrap();
    let mut next = 0;
    for _ in 0..15 {
        next = run_and_kill(dir.path(), "append", next, Duration::from_millis(300));
        let log = open(dir.path()).read(WORK, "log").unwrap_or_default();
        let done = log.len() as u64 / 16;
        assert!(done == next || done == next + 1, "{done} records, {next} acknowledged");
        let expected: String = (0..done).map(record).collect();
        assert_eq!(String::from_utf8(log).unwrap(), expected);
        assert_sound(dir.path());
        // What was done need not be done again.
        next = done;
    }
    assert!(next > 0);
}

#[test]
fn an_import_is_whole_or_absent() {
    let dir = tempfile::tempdir().unwrap();
    for side in ["0", "1"] {
        fs::create_dir(dir.path().join(side)).unwrap();
        for file in 0..IMPORTED {
            fs::write(dir.path().join(side).join(file.to_string()), side.repeat(3_000)).unwrap();
        }
    }
    let mut next = 0;
    for _ in 0..15 {
        next = run_and_kill(dir.path(), "import", next, Duration::from_millis(400));
        let disk = open(dir.path());
        let mut sides = BTreeMap::new();
        for entry in disk.list(WORK).unwrap() {
            *sides.entry(disk.read(WORK, &entry.path).unwrap()).or_insert(0) += 1;
        }
        let side = |i: u64| BTreeMap::from([((i % 2).to_string().repeat(3_000).into_bytes(), IMPORTED)]);
        match next.checked_sub(1) {
            Some(last) => assert!(sides == side(last) || sides == side(last + 1)),
            None => assert!(sides.is_empty() || sides == side(0)),
        }
        drop(disk);
        assert_sound(dir.path());
    }
    assert!(next > 0);
}
