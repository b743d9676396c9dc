//! Pipelines: all stages at once, in the memory of their buffers.

mod workshop;

use std::fs;
use std::path::Path;
use workshop::{job, run, sh};

fn empty() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn out(script: &str) -> String {
    String::from_utf8(sh(script, empty().path()).stdout).unwrap()
}

#[test]
fn bytes_are_exact() {
    let dir = empty();
    let bytes: Vec<u8> = (0..1_000_000u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    fs::write(dir.path().join("in"), &bytes).unwrap();
    sh("cat in | cat | tee copy > out; cmp in copy", dir.path());
    assert!(fs::read(dir.path().join("out")).unwrap() == bytes);
    assert!(fs::read(dir.path().join("copy")).unwrap() == bytes);
}

/// Each of these would take for ever if a writer outlived its reader.
#[test]
fn an_early_end_of_the_reader_ends_the_writers() {
    for (script, stdout) in [
        ("yes | head -1", "y\n"),
        ("yes | cat | cat | head -2", "y\ny\n"),
        ("while :; do echo x; done | head -1", "x\n"),
        ("yes | sed 2q | tail -1", "y\n"),
        ("yes | (read x; echo $x)", "y\n"),
        ("yes | grep -q y; echo $?", "0\n"),
        ("set -o pipefail; yes | head -1; echo $?", "y\n141\n"),
        ("yes | true; echo ${?}", "0\n"),
        ("(yes; echo never) | head -1", "y\n"),
        ("cat /dev/zero | head -c 3 | wc -c", "3\n"),
    ] {
        assert_eq!(out(script), stdout, "{script}");
    }
}

#[test]
fn the_stages_run_at_once() {
    // The second stage asks and the first answers, over and over; nobody could finish before the other starts.
    let script = "
        mkdir q
        { n=0; while [ $n -lt 20 ]; do until [ -e q/$n ]; do :; done; echo $n; n=$((n+1)); done; } |
        { n=0; while [ $n -lt 20 ]; do : > q/$n; read x; echo got $x; n=$((n+1)); done; } | tail -1";
    assert_eq!(out(script), "got 19\n");
}

#[test]
fn every_stage_says_which_module_it_was() {
    let dir = empty();
    let ran = sh("echo a | tr a b | sort; [ -f x ]; nosuch", dir.path());
    let names: Vec<&str> = ran.finished.stages.iter().map(|stage| stage.name.as_str()).collect();
    assert_eq!(names, ["tr", "sort"]);
    assert!(ran.finished.stages.iter().all(|stage| stage.module.is_some()));
    assert_eq!(ran.finished.missing, ["nosuch"]);
}

#[test]
fn a_command_starts_commands_under_the_same_roof() {
    for (script, stdout) in [
        ("printf '1\\n2\\n' | xargs -n1 echo n", "n 1\nn 2\n"),
        ("echo x | xargs sh -c 'echo $1 | tr x y' _", "y\n"),
        ("mkdir d; echo hi > d/f; find d -type f -exec cat {} ';'", "hi\n"),
        ("env A=b sh -c 'echo $A'", "b\n"),
        ("awk 'BEGIN { system(\"echo from awk\") }'", "from awk\n"),
        ("awk 'BEGIN { \"echo piped\" | getline x; print x }'", "piped\n"),
        ("printf '2\\n1\\n' | awk '{ print | \"sort\" }'", "1\n2\n"),
        ("cd /; mkdir s; cd s; find . -exec pwd ';'", "/s\n"),
        ("timeout 0.1 sleep 60; echo $?", "124\n"),
    ] {
        assert_eq!(out(script), stdout, "{script}");
    }
}

#[test]
fn what_is_not_allowed_is_not_there() {
    let mut only_cat = job("cat < /dev/null; echo a | sort || echo x | xargs sort", None);
    only_cat.commands = Some(["cat".to_owned(), "xargs".to_owned()].into());
    let ran = run(only_cat).unwrap();
    assert_eq!(ran.finished.missing, ["sort"]);
    assert_eq!(ran.finished.status, 127);
}

#[test]
fn a_run_without_a_directory_has_an_empty_one() {
    let ran = run(job("ls -A / | wc -l; echo x > f; cat f", None)).unwrap();
    assert_eq!(String::from_utf8(ran.stdout).unwrap().trim(), "0\nx");
    assert!(!Path::new("f").exists());
}

#[test]
fn a_cold_start_maps_its_commands() {
    let batteries = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../priv/wasm/commands");
    let compiled = fs::read_dir(batteries).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().ends_with(".cwasm")
    });
    assert!(
        compiled.count() > 5,
        "the commands are not compiled ahead: `make commands`"
    );
}
