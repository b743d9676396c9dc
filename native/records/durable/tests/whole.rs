//! Files and directories appear whole or not at all, whoever stands in the way and whenever the process ends.

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use durable::{NewDirectory, Point, Target, save};
use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;

const FAULTS: &[&str] = &[
    "file.written",
    "file.synced",
    "file.placed",
    "tree.synced",
    "tree.placed",
];
const FILE: [Point; 3] = [
    Point::on(FAULTS, "file.written"),
    Point::on(FAULTS, "file.synced"),
    Point::on(FAULTS, "file.placed"),
];
const TREE: [Point; 2] = [Point::on(FAULTS, "tree.synced"), Point::on(FAULTS, "tree.placed")];

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_file_is_its_owners_alone_unless_the_caller_says_otherwise() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    Target::at(&path).unwrap().replace(b"a").unwrap();
    assert_eq!(mode(&path), 0o600);
    fs::set_permissions(&path, Permissions::from_mode(0o751)).unwrap();
    Target::at(&path).unwrap().keep_mode().replace(b"b").unwrap();
    assert_eq!((mode(&path), fs::read(&path).unwrap()), (0o751, b"b".to_vec()));
    Target::at(&path).unwrap().replace(b"c").unwrap();
    assert_eq!(mode(&path), 0o600);
}

#[test]
fn a_failed_write_leaves_the_old_file_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    fs::write(&path, "old").unwrap();
    let failed = Target::at(&path).unwrap().stage(|file| {
        file.write_all(b"half")?;
        Err(io::ErrorKind::StorageFull.into())
    });
    assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
    drop(
        Target::at(&path)
            .unwrap()
            .stage(|file| file.write_all(b"never placed"))
            .unwrap(),
    );
    assert_eq!(
        (names(dir.path()), fs::read(&path).unwrap()),
        (vec!["file".to_owned()], b"old".to_vec())
    );
}

#[test]
fn a_file_that_cannot_be_placed_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("taken")).unwrap();
    assert!(Target::at(&dir.path().join("taken")).unwrap().replace(b"x").is_err());
    assert_eq!(names(dir.path()), ["taken"]);
    assert!(Target::at(&dir.path().join("absent/file")).is_err());
    assert!(Target::at(Path::new("/")).is_err());
    assert!(Target::at(&dir.path().join("..")).is_err());
}

#[test]
fn a_link_is_replaced_by_a_program_and_followed_for_a_person() {
    let dir = tempfile::tempdir().unwrap();
    let (file, link) = (dir.path().join("file"), dir.path().join("link"));
    fs::write(&file, "old").unwrap();
    symlink("file", &link).unwrap();
    save(&link, b"saved").unwrap();
    assert!(link.is_symlink());
    Target::at(&link).unwrap().replace(b"replaced").unwrap();
    assert!(!link.is_symlink());
    assert_eq!(
        (fs::read(&file).unwrap(), fs::read(&link).unwrap()),
        (b"saved".to_vec(), b"replaced".to_vec())
    );
    save(Path::new("/dev/null"), b"gone").unwrap();
    save(&dir.path().join("new"), b"new").unwrap();
    assert_eq!(mode(&dir.path().join("new")) & 0o600, 0o600);
}

#[test]
fn below_an_open_directory_no_link_leads_outside() {
    let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let dir = Dir::open_ambient_dir(inside.path(), ambient_authority()).unwrap();
    fs::create_dir(inside.path().join("sub")).unwrap();
    symlink(outside.path(), inside.path().join("out")).unwrap();
    Target::within(&dir, "sub/file").unwrap().replace(b"x").unwrap();
    assert!(Target::within(&dir, "out/file").is_err());
    assert!(Target::within(&dir, "../file").is_err());
    assert_eq!(fs::read(inside.path().join("sub/file")).unwrap(), b"x");
    assert!(names(outside.path()).is_empty());
}

#[test]
fn of_many_that_create_a_file_at_once_one_does() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("key");
    let created: Vec<bool> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8u8)
            .map(|n| {
                scope.spawn({
                    let path = &path;
                    move || Target::at(path).unwrap().create(&[n]).unwrap()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let winner = created.iter().position(|created| *created).unwrap();
    assert_eq!(created.iter().filter(|created| **created).count(), 1);
    assert_eq!(
        (fs::read(&path).unwrap(), names(dir.path())),
        (vec![winner as u8], vec!["key".to_owned()])
    );
}

#[test]
fn what_a_killed_holder_of_a_lock_left_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("segment.tmp"), "a much longer leftover").unwrap();
    let target = Target::at(&dir.path().join("segment"))
        .unwrap()
        .temporary_name("segment.tmp");
    target.replace(b"new").unwrap();
    assert_eq!(fs::read(dir.path().join("segment")).unwrap(), b"new");
    fs::create_dir_all(dir.path().join(".tree/old")).unwrap();
    let tree = NewDirectory::private(&dir.path().join("tree"), ".tree").unwrap();
    tree.write("new", b"").unwrap();
    tree.place_new().unwrap();
    assert_eq!(names(&dir.path().join("tree")), ["new"]);
    assert_eq!(mode(&dir.path().join("tree")), 0o700);
}

#[test]
fn a_directory_replaces_an_empty_one_at_most_and_only_if_it_may() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("tree");
    let new = || {
        let new = NewDirectory::at(&target, ".tree-").unwrap();
        new.write("a/b", b"x").unwrap();
        new
    };
    fs::create_dir(&target).unwrap();
    assert_eq!(new().place_new().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    new().place().unwrap();
    assert_eq!(new().place().unwrap_err().kind(), io::ErrorKind::DirectoryNotEmpty);
    drop(new());
    assert_eq!(names(dir.path()), ["tree"]);
    let outside = NewDirectory::at(&target, ".tree-").unwrap();
    assert!(outside.write("../escaped", b"x").is_err());
    outside.write("once", b"x").unwrap();
    assert_eq!(
        outside.write("once", b"y").unwrap_err().kind(),
        io::ErrorKind::AlreadyExists
    );
}

/// What the killed process does: replaces a file and makes a directory.
fn child(home: &Path) {
    Target::at(&home.join("file"))
        .unwrap()
        .points(FILE)
        .replace(b"new")
        .unwrap();
    let tree = NewDirectory::at(&home.join("tree"), ".tree-").unwrap().points(TREE);
    tree.write("a", b"a").unwrap();
    tree.place_new().unwrap();
}

#[test]
fn a_process_that_is_killed_leaves_the_old_or_the_new() {
    if let Some(home) = std::env::var_os("DURABLE_CHILD") {
        return child(Path::new(&home));
    }
    for (at, fault) in FAULTS.iter().enumerate() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("file"), "old").unwrap();
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "a_process_that_is_killed_leaves_the_old_or_the_new"])
            .env("DURABLE_CHILD", home.path())
            .env("WORKBOOKS_FAULT", fault)
            .output()
            .unwrap();
        assert_eq!(output.status.signal(), Some(9), "{fault}: {output:?}");
        let expected: &[u8] = if at < 2 { b"old" } else { b"new" };
        assert_eq!(fs::read(home.path().join("file")).unwrap(), expected, "{fault}");
        assert_eq!(home.path().join("tree/a").exists(), at == 4, "{fault}");
        assert_eq!(home.path().join("tree").exists(), at == 4, "{fault}");
    }
}
