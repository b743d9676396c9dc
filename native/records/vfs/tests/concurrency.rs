//! Many threads, one disk.

mod scratch;

use std::sync::Barrier;
use std::thread;

use scratch::Scratch;
use vfs::{Disk, Options, Volume};

const WORK: Volume = Volume::Workspace;

#[test]
fn eight_threads_write_and_read_without_losing_anything() {
    let scratch = Scratch::new();
    scratch.sql("CREATE TABLE counter(n)").unwrap();
    scratch.sql("INSERT INTO counter VALUES (0)").unwrap();
    thread::scope(|threads| {
        for thread in 0..8 {
            let scratch = &scratch;
            threads.spawn(move || {
                for i in 0..25 {
                    let path = format!("{thread}/{i}");
                    scratch.write(WORK, &path, path.as_bytes(), 1).unwrap();
                    assert_eq!(scratch.read(WORK, &path).unwrap(), path.as_bytes());
                    scratch.append(Volume::Memory, "log", b"x", 1).unwrap();
                    scratch.sql("UPDATE counter SET n = n + 1").unwrap();
                    assert!(scratch.list(WORK).unwrap().len() > i);
                }
            });
        }
    });
    assert_eq!(scratch.list(WORK).unwrap().len(), 200);
    assert_eq!(scratch.read(Volume::Memory, "log").unwrap(), [b'x'; 200]);
    assert_eq!(scratch.sql("SELECT n FROM counter").unwrap(), "[[200]]");
}

#[test]
fn a_reader_does_not_wait_for_a_writer_in_another_connection() {
    let scratch = Scratch::new();
    scratch.write(WORK, "a", b"old", 1).unwrap();
    let raw = scratch.raw();
    raw.execute_batch("BEGIN IMMEDIATE; UPDATE vfs SET content = 'new'")
        .unwrap();
    assert_eq!(scratch.read(WORK, "a").unwrap(), b"old");
    assert_eq!(
        scratch.sql("SELECT CAST(content AS TEXT) FROM vfs").unwrap(),
        r#"[["old"]]"#
    );
    raw.execute_batch("COMMIT").unwrap();
    assert_eq!(scratch.read(WORK, "a").unwrap(), b"new");
}

#[test]
fn a_disk_opened_twice_at_once_is_created_once() {
    for _ in 0..10 {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("disk");
        let start = Barrier::new(4);
        thread::scope(|threads| {
            for i in 0..4 {
                let (path, start) = (&path, &start);
                threads.spawn(move || {
                    start.wait();
                    let disk = Disk::open(path, Options::default()).unwrap();
                    disk.write(WORK, &i.to_string(), b"", 1).unwrap();
                });
            }
        });
        assert_eq!(
            Disk::open(&path, Options::default()).unwrap().list(WORK).unwrap().len(),
            4
        );
    }
}

#[test]
fn a_disk_can_be_sent_and_shared() {
    fn check<T: Send + Sync>() {}
    check::<Disk>();
}
