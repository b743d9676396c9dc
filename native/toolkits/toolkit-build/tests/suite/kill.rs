//! Killed at every boundary: the shelf has the old artifact or the new one, and both are whole.

use std::env;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use toolkit_build::{FAULTS, Shelf};

/// Not a test of its own: the process that is killed.
#[test]
fn child() {
    let Some(dir) = env::var_os("WORKBOOKS_KILL_CHILD") else {
        return;
    };
    Shelf::new("kernel", Path::new(&dir)).put("it", b"new").unwrap();
}

#[test]
fn a_killed_registration_leaves_the_old_or_the_new() {
    for point in FAULTS {
        // The artifact, then the index.
        for time in 1..=2 {
            let dir = tempfile::tempdir().unwrap();
            let shelf = Shelf::new("kernel", dir.path());
            shelf.put("it", b"old").unwrap();
            let ended = Command::new(env::current_exe().unwrap())
                .args(["--exact", "kill::child", "--test-threads=1"])
                .env("WORKBOOKS_KILL_CHILD", dir.path())
                .env("WORKBOOKS_FAULT", format!("{point}:{time}"))
                .output()
                .unwrap();
            assert_eq!(ended.status.signal(), Some(9), "{point}:{time} was not reached");
            let (_, wasm) = shelf.get("it").unwrap();
            let placed = (*point, time) == ("shelf.placed", 2);
            assert_eq!(wasm, if placed { &b"new"[..] } else { &b"old"[..] }, "{point}:{time}");
            shelf.put("it", b"newer").unwrap();
            assert_eq!(shelf.get("it").unwrap().1, b"newer");
        }
    }
}
