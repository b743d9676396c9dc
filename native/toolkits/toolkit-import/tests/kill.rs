//! SIGKILL at every write boundary: the target is absent or whole, the manifest is the old one or the new one.
//!
//! The child is this test binary, asked for its one ignored test.

use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use toolkit_audit::Lanes;
use toolkit_import::{FAULTS, Order};

const SIGKILL: i32 = 9;

#[test]
#[ignore = "runs as the child of the other test"]
fn child() {
    let dir = env::var_os("IMPORT_TEST_DIR").expect("the parent names a directory");
    let dir = Path::new(&dir);
    let order = Order {
        source: &dir.join("source"),
        kind: None,
        target: Some(&dir.join("made")),
        here: dir,
        lanes: &Lanes::none(),
    };
    toolkit_import::import(&order).unwrap();
}

#[test]
fn a_kill_leaves_all_or_nothing() {
    for (at, fault) in FAULTS.iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("source/scripts")).unwrap();
        fs::write(dir.path().join("source/SKILL.md"), "---\nname: x\n---\n# X\n").unwrap();
        fs::write(dir.path().join("source/scripts/a.sh"), "curl x\n").unwrap();
        let output = Command::new(env::current_exe().unwrap())
            .args(["--exact", "child", "--ignored", "--nocapture"])
            .env("IMPORT_TEST_DIR", dir.path())
            .env("WORKBOOKS_FAULT", fault)
            .output()
            .unwrap();
        assert_eq!(output.status.signal(), Some(SIGKILL), "{fault}: {output:?}");
        let made = dir.path().join("made");
        let placed = FAULTS.iter().position(|name| *name == "import.placed").unwrap();
        assert_eq!(made.exists(), at >= placed, "{fault}");
        if made.exists() {
            let manifest = fs::read_to_string(made.join("manifest.org")).unwrap();
            let audited = *fault == "audit.placed";
            assert_eq!(
                manifest.contains("** TODO fix-up plan [0/1]"),
                audited,
                "{fault}: {manifest}"
            );
            assert_eq!(manifest.ends_with(toolkit_audit::section::BAIT), !audited, "{fault}");
            for file in ["scripts/a.sh", "skills/x.org", "skills/overview.org"] {
                assert!(made.join(file).exists(), "{fault}: {file}");
            }
            // The next audit comes to its end, whatever the last one left.
            toolkit_import::audit(&made, false, &Lanes::none()).unwrap();
            let manifest = fs::read_to_string(made.join("manifest.org")).unwrap();
            assert!(manifest.contains("** TODO fix-up plan [0/1]"), "{fault}");
        }
    }
}
