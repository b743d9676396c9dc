//! SIGKILL at every boundary of a change: what was acknowledged is there, and the file is whole.
//!
//! The child is this test binary, asked for its one ignored test.

use access::{FAULTS, Scope, Store};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::{env, fs};

#[test]
#[ignore = "runs as the child of the other test"]
fn child() {
    let path = env::var_os("ACCESS_TEST_FILE").expect("the parent names a file");
    let store = Store::at(path);
    for n in 0..3 {
        let made = store.create(&format!("t{n}"), &[Scope::Read], None, 0).unwrap();
        println!("made {}", made.token);
        if n == 1 {
            store.revoke(&made.entry.id).unwrap();
            println!("revoked {}", made.token);
        }
    }
}

#[test]
fn what_was_acknowledged_survives_a_kill_anywhere() {
    for fault in FAULTS {
        for time in 1..=4 {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("tokens.json");
            let out = Command::new(env::current_exe().unwrap())
                .args(["--ignored", "--exact", "child", "--nocapture"])
                .env("ACCESS_TEST_FILE", &path)
                .env("WORKBOOKS_FAULT", format!("{fault}:{time}"))
                .output()
                .unwrap();
            assert_eq!(out.status.signal(), Some(9), "{fault}:{time}");
            let said = String::from_utf8(out.stdout).unwrap();
            let store = Store::at(&path);
            let entries = store.list().unwrap();
            let revoked: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("revoked ")).collect();
            for token in &revoked {
                assert!(store.bearer(token, 1).unwrap().is_none(), "{fault}:{time}");
            }
            let made: Vec<&str> = said
                .lines()
                .filter_map(|line| line.split_once("made ").map(|x| x.1))
                .collect();
            // The last one that was made may be on its way out without anybody having heard of it.
            for token in made.iter().filter(|token| !revoked.contains(token)) {
                let dying = time == 3 && made.last() == Some(token);
                assert!(dying || store.bearer(token, 1).unwrap().is_some(), "{fault}:{time}");
            }
            assert!(entries.len() <= 3);
            store.create("after", &[Scope::Run], None, 0).unwrap();
            let left: Vec<_> = fs::read_dir(dir.path())
                .unwrap()
                .map(|f| f.unwrap().file_name())
                .collect();
            assert!(left.len() <= 2, "{fault}:{time} leaves {left:?}");
        }
    }
}
