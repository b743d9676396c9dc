//! A process that is killed while it unpacks leaves the whole workbook, or none of it.

use bundle::{Options, assemble, unpack};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use std::{env, fs, thread};

const FILES: usize = 60;

fn made(home: &Path) -> Vec<u8> {
    let dir = home.join("book");
    fs::create_dir_all(dir.join("artifacts")).unwrap();
    fs::write(dir.join("workbook.org"), "* Plan\n").unwrap();
    for i in 0..FILES {
        fs::write(dir.join(format!("artifacts/{i}")), format!("{i}").repeat(5_000)).unwrap();
    }
    assemble(&dir, &Options::default()).unwrap().bytes
}

/// The victim: unpacks one copy after the other until it is killed.
#[test]
#[ignore = "started by the test below"]
fn victim() {
    let Some(home) = env::var_os("UNPACK_UNTIL_KILLED") else {
        return;
    };
    let home = Path::new(&home);
    let bytes = fs::read(home.join("x.wbundle")).unwrap();
    for i in 0.. {
        unpack(&bytes, home.join(format!("out/{i}"))).unwrap();
    }
}

#[test]
fn a_workbook_appears_whole_or_not_at_all() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("x.wbundle"), made(home.path())).unwrap();
    let out = home.path().join("out");
    let mut whole = 0;
    for round in 0..12 {
        fs::create_dir_all(&out).unwrap();
        let mut victim = Command::new(env::current_exe().unwrap())
            .args(["--ignored", "--exact", "victim", "--nocapture"])
            .env("UNPACK_UNTIL_KILLED", home.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(60 + 37 * round));
        victim.kill().unwrap();
        victim.wait().unwrap();
        for entry in fs::read_dir(&out).unwrap() {
            let entry = entry.unwrap();
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            whole += 1;
            let count = fs::read_dir(entry.path().join("artifacts")).unwrap().count();
            assert_eq!(count, FILES, "{:?}", entry.path());
            assert_eq!(
                fs::read(entry.path().join("artifacts/7")).unwrap(),
                "7".repeat(5_000).as_bytes()
            );
            assert_eq!(fs::read(entry.path().join("workbook.org")).unwrap(), b"* Plan\n");
        }
        fs::remove_dir_all(&out).unwrap();
    }
    assert!(whole > 0, "nothing was ever unpacked: the test shows nothing");
}
