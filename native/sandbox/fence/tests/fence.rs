//! Every way to a kept file that does not go through its name.

use fence::{Fence, Listener, Stamp};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// A directory with `sub/plan.org`, and a fence around it.
fn fenced() -> (TempDir, Arc<Fence>) {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("sub")).unwrap();
    fs::write(dir.path().join("sub/plan.org"), "* TODO A\n").unwrap();
    let fence = Fence::around(&[dir.path().join("sub/plan.org")], None)
        .unwrap()
        .unwrap();
    (dir, fence)
}

fn open(path: &Path) -> File {
    File::options().append(true).create(true).open(path).unwrap()
}

#[test]
fn links_to_it_are_known_by_the_file_they_lead_to() {
    let (dir, fence) = fenced();
    symlink("sub/plan.org", dir.path().join("soft")).unwrap();
    fs::hard_link(dir.path().join("sub/plan.org"), dir.path().join("hard")).unwrap();
    for name in ["soft", "hard", "sub/plan.org"] {
        assert!(fence.writes(&open(&dir.path().join(name)), false).is_err(), "{name}");
    }
    assert!(fence.writes(&open(&dir.path().join("other")), true).is_ok());
}

#[test]
fn a_file_that_took_its_place_is_kept_as_well() {
    let (dir, fence) = fenced();
    fs::write(dir.path().join("new"), "* DONE A\n").unwrap();
    fs::rename(dir.path().join("new"), dir.path().join("sub/plan.org")).unwrap();
    assert!(fence.writes(&open(&dir.path().join("sub/plan.org")), false).is_err());
}

#[test]
fn what_is_about_to_take_its_place_cannot_be_made_or_written() {
    let (dir, fence) = fenced();
    let sub = File::open(dir.path().join("sub")).unwrap();
    assert!(fence.changes(&sub, ".plan.org.wb-0-1".as_ref()).is_err());
    assert!(fence.changes(&sub, ".plan.orc.wb-0-1".as_ref()).is_ok());
    let aside = dir.path().join("sub/.plan.org.wb-0-1");
    symlink("sub/.plan.org.wb-0-1", dir.path().join("soft")).unwrap();
    assert!(fence.writes(&open(&dir.path().join("soft")), true).is_err());
    assert!(!aside.exists(), "what opening made is gone");
}

#[test]
fn directories_above_it_stay_where_they_are() {
    let (dir, fence) = fenced();
    fs::create_dir(dir.path().join("free")).unwrap();
    let root = File::open(dir.path()).unwrap();
    assert!(fence.changes(&root, "sub".as_ref()).is_err());
    assert!(fence.changes(&root, "free".as_ref()).is_ok());
    assert!(fence.attributes(&root, Path::new("sub"), true, Some(0o000)).is_err());
    assert!(fence.attributes(&root, Path::new("sub"), true, Some(0o755)).is_ok());
    assert!(
        fence
            .attributes(&root, Path::new("sub/plan.org"), true, Some(0o644))
            .is_err()
    );
}

#[test]
fn it_gets_no_further_names() {
    let (dir, fence) = fenced();
    let sub = File::open(dir.path().join("sub")).unwrap();
    fs::hard_link(dir.path().join("sub/plan.org"), dir.path().join("sub/hard")).unwrap();
    assert!(fence.links(&sub, "plan.org".as_ref()).is_err());
    assert!(fence.links(&sub, "hard".as_ref()).is_err());
    assert!(fence.links(&sub, "other".as_ref()).is_ok());
}

#[test]
fn a_link_by_which_it_was_named_is_kept_with_it() {
    let (dir, _) = fenced();
    symlink("sub", dir.path().join("way")).unwrap();
    symlink("way/plan.org", dir.path().join("name.org")).unwrap();
    let fence = Fence::around(&[dir.path().join("name.org")], None).unwrap().unwrap();
    let root = File::open(dir.path()).unwrap();
    for name in ["name.org", "way", "sub"] {
        assert!(fence.changes(&root, name.as_ref()).is_err(), "{name}");
    }
    assert!(fence.writes(&open(&dir.path().join("sub/plan.org")), false).is_err());
}

#[test]
fn a_circle_of_links_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    symlink("b", dir.path().join("a")).unwrap();
    symlink("a", dir.path().join("b")).unwrap();
    assert!(Fence::around(&[dir.path().join("a")], None).is_err());
}

#[derive(Default)]
struct Heard(Mutex<Vec<(PathBuf, bool)>>);

impl Listener for Heard {
    fn read(&self, path: PathBuf, _: &File) {
        self.0.lock().unwrap().push((path, true));
    }
    fn change(&self, path: PathBuf, before: Option<Stamp>) {
        self.0.lock().unwrap().push((path, before.is_some()));
    }
}

#[test]
fn a_listener_hears_where_files_really_are() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    fs::write(root.join("file"), "x").unwrap();
    symlink("file", root.join("soft")).unwrap();
    let heard = Arc::new(Heard::default());
    let fence = Fence::around(&[], Some(heard.clone())).unwrap().unwrap();
    fence.reads(&File::open(root.join("soft")).unwrap());
    fence.writes(&open(&root.join("made")), true).unwrap();
    fence.changes(&File::open(&root).unwrap(), "file".as_ref()).unwrap();
    let expected = vec![
        (root.join("file"), true),
        (root.join("made"), false),
        (root.join("file"), true),
    ];
    assert_eq!(*heard.0.lock().unwrap(), expected);
}

#[test]
fn without_anything_to_keep_or_tell_there_is_no_fence() {
    assert!(Fence::around(&[], None).unwrap().is_none());
}
