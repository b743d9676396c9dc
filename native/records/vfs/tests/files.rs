//! Files: what can be written can be read back, and what cannot is refused with a reason.

mod scratch;

use rusqlite::types::Value;
use scratch::Scratch;
use vfs::{Disk, Error, MAX_FILE, Options, Stat, Volume};

const WORK: Volume = Volume::Workspace;

#[test]
fn a_path_is_relative_and_normal() {
    let scratch = Scratch::new();
    let long = "x/".repeat(512) + "x";
    let long_name = "x".repeat(256);
    for (path, why) in [
        ("", "it is empty"),
        ("/a", "it is absolute"),
        ("//a", "it is absolute"),
        ("a//b", "it has an empty name between slashes"),
        ("a/", "it has an empty name between slashes"),
        (".", "it has a `.` or `..` in it"),
        ("..", "it has a `.` or `..` in it"),
        ("a/../b", "it has a `.` or `..` in it"),
        ("./a", "it has a `.` or `..` in it"),
        ("a\0b", "it holds a NUL"),
        (&long, "it is longer than 1024 bytes"),
        (&long_name, "it has a name longer than 255 bytes"),
    ] {
        let refused = |result: Result<(), Error>| {
            let error = result.unwrap_err();
            assert_eq!(error.code(), "invalid_path");
            assert!(error.to_string().ends_with(why), "{error}");
            assert!(error.to_string().len() < 300);
        };
        refused(scratch.write(WORK, path, b"", 0));
        refused(scratch.append(WORK, path, b"", 0));
        refused(scratch.read(WORK, path).map(drop));
        refused(scratch.delete(WORK, path).map(drop));
        refused(scratch.stat(WORK, path).map(drop));
    }
    let longest = "x/".repeat(511) + "xx";
    for path in [
        "a",
        "...",
        ".hidden",
        "a b/ c",
        "é/日本",
        "a\\b",
        "a\nb",
        "-rf",
        longest.as_str(),
    ] {
        scratch.write(WORK, path, path.as_bytes(), 0).unwrap();
        assert_eq!(scratch.read(WORK, path).unwrap(), path.as_bytes());
        scratch.delete(WORK, path).unwrap();
    }
}

#[test]
fn content_is_any_bytes() {
    let scratch = Scratch::new();
    let every_byte: Vec<u8> = (0..=255).collect();
    for content in [&b""[..], b"\0", b"\xff\xfe", &every_byte] {
        scratch.write(WORK, "f", content, 0).unwrap();
        assert_eq!(scratch.read(WORK, "f").unwrap(), content);
    }
}

#[test]
fn volumes_do_not_share_names() {
    let scratch = Scratch::new();
    for volume in Volume::ALL {
        scratch.write(volume, "f", volume.name().as_bytes(), 0).unwrap();
    }
    assert_eq!(scratch.clear(Volume::Tmp), Ok(1));
    assert_eq!(scratch.read(Volume::Tmp, "f").unwrap_err().code(), "not_found");
    assert_eq!(scratch.read(Volume::Memory, "f").unwrap(), b"memory");
    assert_eq!(scratch.read(WORK, "f").unwrap(), b"workspace");
}

#[test]
fn writing_replaces_and_appending_adds() {
    let scratch = Scratch::new();
    scratch.append(WORK, "f", b"1", 10).unwrap();
    scratch.append(WORK, "f", b"\x00\xff2", 20).unwrap();
    assert_eq!(scratch.read(WORK, "f").unwrap(), b"1\x00\xff2");
    assert_eq!(scratch.stat(WORK, "f"), Ok(Stat { size: 4, mtime: 20 }));
    scratch.write(WORK, "f", b"3", 5).unwrap();
    assert_eq!(scratch.read(WORK, "f").unwrap(), b"3");
    assert_eq!(scratch.stat(WORK, "f"), Ok(Stat { size: 1, mtime: 5 }));
    assert_eq!(scratch.delete(WORK, "f"), Ok(true));
    assert_eq!(scratch.delete(WORK, "f"), Ok(false));
    assert_eq!(scratch.stat(WORK, "f").unwrap_err().code(), "not_found");
}

#[test]
fn a_file_cannot_be_above_or_below_a_file() {
    let scratch = Scratch::new();
    scratch.write(WORK, "a/b", b"", 0).unwrap();
    for path in ["a", "a/b/c", "a/b/c/d"] {
        assert_eq!(
            scratch.write(WORK, path, b"", 0).unwrap_err().code(),
            "path_conflict",
            "{path}"
        );
    }
    for path in ["a/b", "a/c", "a.b", "a0", "b"] {
        scratch.write(WORK, path, b"", 0).unwrap();
    }
    scratch.write(Volume::Memory, "a", b"", 0).unwrap();
}

#[test]
fn a_file_has_a_largest_size() {
    let scratch = Scratch::new();
    let mut largest = vec![7; MAX_FILE];
    scratch.write(WORK, "big", &largest, 0).unwrap();
    assert_eq!(
        scratch.append(WORK, "big", b"x", 0).unwrap_err().code(),
        "file_too_large"
    );
    assert!(scratch.read(WORK, "big").unwrap() == largest);
    // A guest cannot load it, and can still see and delete it.
    assert_eq!(scratch.refusal("SELECT content FROM vfs"), "value_too_large");
    assert_eq!(
        scratch.sql("SELECT path, length(content) FROM vfs").unwrap(),
        r#"[["big",67108864]]"#
    );
    assert_eq!(scratch.sql("DELETE FROM vfs").unwrap(), "[]");
    largest.push(7);
    assert_eq!(
        scratch.write(WORK, "big", &largest, 0).unwrap_err().code(),
        "file_too_large"
    );
}

#[test]
fn whatever_a_guest_inserts_can_be_listed_and_read() {
    let scratch = Scratch::new();
    for (path, content, bytes) in [
        ("'a'", "NULL", &b""[..]),
        ("'b'", "'text'", b"text"),
        ("'c'", "42", b"42"),
        ("'d'", "CAST(x'ff' AS TEXT)", b"\xff"),
        ("'e'", "x'00ff'", b"\x00\xff"),
    ] {
        scratch
            .sql(&format!(
                "INSERT INTO vfs VALUES ('workspace', {path}, {content}, 'noon')"
            ))
            .unwrap();
        assert_eq!(scratch.read(WORK, path.trim_matches('\'')).unwrap(), bytes);
    }
    scratch
        .sql("INSERT INTO vfs VALUES ('workspace', '../up', x'', 9e999), ('workspace', x'ff', x'', -1)")
        .unwrap();
    let listed: Vec<_> = scratch
        .list(WORK)
        .unwrap()
        .into_iter()
        .map(|e| (e.path, e.stat.size, e.stat.mtime))
        .collect();
    let entry = |path: &str, size, mtime| (path.to_owned(), size, mtime);
    assert_eq!(
        listed,
        [
            entry("../up", 0, i64::MAX),
            entry("a", 0, 0),
            entry("b", 4, 0),
            entry("c", 2, 0),
            entry("d", 1, 0),
            entry("e", 2, 0),
            entry("\u{fffd}", 0, -1),
        ]
    );
}

#[test]
fn the_disk_is_full_at_its_page_cap_and_usable_after() {
    let scratch = Scratch::with(Options { max_pages: 64 });
    scratch.write(WORK, "small", b"kept", 0).unwrap();
    assert_eq!(scratch.write(WORK, "big", &[1; 64 * 4096], 0), Err(Error::DiskFull));
    assert_eq!(
        scratch.refusal("INSERT INTO vfs VALUES ('tmp', 'big', randomblob(262144), 0)"),
        "disk_full"
    );
    assert_eq!(
        scratch.refusal("CREATE TABLE t AS SELECT randomblob(262144) AS a"),
        "disk_full"
    );
    assert_eq!(scratch.read(WORK, "small").unwrap(), b"kept");
    scratch.write(WORK, "small", &[2; 32 * 4096], 0).unwrap();
    assert_eq!(scratch.list(WORK).unwrap().len(), 1);
    assert!(scratch.path("disk.sqlite").metadata().unwrap().len() <= 64 * 4096);
}

#[test]
fn the_file_is_plain_sqlite() {
    let scratch = Scratch::new();
    scratch.write(WORK, "a", b"hello", 7).unwrap();
    let raw = scratch.raw();
    let value = |sql: &str| raw.query_row(sql, [], |row| row.get::<_, Value>(0)).unwrap();
    assert_eq!(
        value("SELECT group_concat(sql) FROM sqlite_schema"),
        Value::Text(
            "CREATE TABLE vfs(volume TEXT NOT NULL, path TEXT NOT NULL, content BLOB, mtime INTEGER NOT NULL, \
             PRIMARY KEY(volume, path))"
                .into()
        )
    );
    assert_eq!(value("PRAGMA user_version"), Value::Integer(1));
    assert_eq!(
        value("PRAGMA application_id"),
        Value::Integer(i64::from(u32::from_be_bytes(*b"WBKD")))
    );
    assert_eq!(value("PRAGMA journal_mode"), Value::Text("wal".into()));
    assert_eq!(value("PRAGMA page_size"), Value::Integer(4096));
    assert_eq!(value("PRAGMA auto_vacuum"), Value::Integer(0));
    assert_eq!(
        value("SELECT content FROM vfs WHERE volume = 'workspace'"),
        Value::Blob(b"hello".into())
    );
}

#[test]
fn closing_the_disk_leaves_one_file() {
    let Scratch { disk, dir } = Scratch::new();
    disk.write(WORK, "a", b"hello", 7).unwrap();
    disk.read(WORK, "a").unwrap();
    drop(disk);
    let names: Vec<_> = dir
        .path()
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["disk.sqlite"]);
    let disk = Disk::open(dir.path().join("disk.sqlite"), Options::default()).unwrap();
    assert_eq!(disk.read(WORK, "a").unwrap(), b"hello");
}
