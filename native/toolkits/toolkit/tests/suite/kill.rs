//! Killed at every boundary: what lies there is the old file or the new one, and signing again mends it.

use super::scratch::Scratch;
use ledger::Signer;
use std::env;
use std::fs;
use std::process::Command;
use toolkit::{FAULTS, Grants, Toolkit, check_signature, sign};

/// Not a test of its own: the process that is killed.
#[test]
fn child() {
    let Some(dir) = env::var_os("WORKBOOKS_KILL_CHILD") else {
        return;
    };
    let toolkit = Toolkit::open(dir.as_ref()).unwrap();
    sign(&toolkit, &Signer::from_seed(&[7; 32])).unwrap();
    let toolkit = Toolkit::open(dir.as_ref()).unwrap();
    let grants = Grants::at(&toolkit.path().join("../../state"));
    grants.grant(&toolkit, &["vfs".to_owned()], 1).unwrap();
}

#[test]
fn a_killed_signature_leaves_whole_files() {
    for point in FAULTS {
        // Three files: the statement, the manifest, the grants.
        for time in 1..=3 {
            let scratch = Scratch::new();
            let did = Signer::from_seed(&[7; 32]).did();
            let dates = scratch.dates(&format!("#+TRUST: third-party\n#+CAPS: vfs\n#+AUTHOR_DID: {did}\n"));
            let manifest = dates.path().join("manifest.org");
            let before = fs::read_to_string(&manifest).unwrap();
            let ended = Command::new(env::current_exe().unwrap())
                .args(["--exact", "kill::child", "--test-threads=1"])
                .env("WORKBOOKS_KILL_CHILD", dates.path())
                .env("WORKBOOKS_FAULT", format!("{point}:{time}"))
                .output()
                .unwrap();
            use std::os::unix::process::ExitStatusExt;
            assert_eq!(ended.status.signal(), Some(9), "{point}:{time} was not reached");
            let after = fs::read_to_string(&manifest).unwrap();
            assert!(
                after == before || toolkit::without_signature(&after) == before,
                "{point}:{time}"
            );
            let grants = Grants::at(&scratch.path().join("state"));
            grants.of("dates").unwrap();
            for leftover in fs::read_dir(dates.path()).unwrap() {
                let path = leftover.unwrap().path();
                if path.file_name().unwrap().to_string_lossy().contains(".wb-") {
                    fs::remove_file(path).unwrap();
                }
            }
            sign(&scratch.open("dates"), &Signer::from_seed(&[7; 32])).unwrap();
            check_signature(&scratch.open("dates")).unwrap();
            grants.grant(&scratch.open("dates"), &["vfs".to_owned()], 2).unwrap();
        }
    }
}
