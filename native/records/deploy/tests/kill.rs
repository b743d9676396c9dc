//! SIGKILL at every boundary of a deploy and a rollback: what is live is one version whole, and life goes on.
//!
//! The child is this test binary, asked for its one ignored test. Its disk is a file with a number in it.

use deploy::{FAULTS, Live, Note, Store};
use serde_json::json;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

const SIGKILL: i32 = 9;

fn note() -> Note {
    Note::by("ada", 1)
}

fn put(path: &Path, text: &str) {
    let fresh = path.with_extension("new");
    fs::write(&fresh, text).unwrap();
    fs::rename(&fresh, path).unwrap();
}

/// A deploy as a host does it.
fn deploy(dir: &Path, plan: &str) {
    let built = dir.join("built");
    put(&built, &format!("built {plan}"));
    let mut change = Store::at(dir.join("store")).begin().unwrap();
    give_back(dir, change.live(), &mut change);
    let artifacts = ["a.wasm", "b.wasm"].map(|name| (name.to_owned(), built.clone()));
    change
        .stage(plan.as_bytes(), &json!({"plan": plan}), &artifacts)
        .unwrap();
    let disk = fs::read_to_string(dir.join("disk")).unwrap_or_default();
    put(&change.snapshot().unwrap(), &disk);
    change.commit(&note()).unwrap();
}

/// The disk of a rollback that was interrupted.
fn give_back(dir: &Path, live: Option<Live>, change: &mut deploy::Change) {
    if let Some(from) = live.and_then(|live| live.restoring) {
        put(&dir.join("disk"), &fs::read_to_string(from).unwrap());
        change.restored().unwrap();
    }
}

#[test]
#[ignore = "runs as the child of the other tests"]
fn child() {
    let dir = env::var_os("DEPLOY_TEST_DIR").expect("the parent names a directory");
    let dir = Path::new(&dir);
    println!("ack begin");
    for (plan, left) in [("one", "1"), ("two", "2"), ("three", "3")] {
        deploy(dir, plan);
        println!("ack {plan}");
        put(&dir.join("disk"), left);
    }
    let mut change = Store::at(dir.join("store")).begin().unwrap();
    let live = change.roll_back(&note()).unwrap();
    give_back(dir, Some(live), &mut change);
    println!("ack back");
}

/// What was acknowledged last, or `None` when nobody was killed.
fn run_and_kill(dir: &Path, fault: &str) -> Option<String> {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "child", "--nocapture"])
        .env("DEPLOY_TEST_DIR", dir)
        .env("WORKBOOKS_FAULT", fault)
        .output()
        .unwrap();
    if output.status.success() {
        return None;
    }
    assert_eq!(output.status.signal(), Some(SIGKILL), "{fault}: {output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    // The test harness has the beginning of the first line.
    let last = text.lines().filter_map(|line| line.split("ack ").nth(1)).next_back();
    Some(last.unwrap().to_owned())
}

fn killed_at(fault: &str) -> bool {
    let scratch = tempfile::tempdir().unwrap();
    let dir = scratch.path();
    let Some(acknowledged) = run_and_kill(dir, fault) else {
        return false;
    };
    let store = Store::at(dir.join("store"));
    let live = store.live().unwrap();
    let plan = live.as_ref().map(|live| store.verify(live.version).unwrap().plan);
    let plan = plan.as_deref().unwrap_or("nothing");
    let may_be: &[&str] = match acknowledged.as_str() {
        "begin" => &["nothing", "one"],
        "one" => &["one", "two"],
        "two" => &["two", "three"],
        "three" => &["three", "two"],
        _ => &["two"],
    };
    assert!(may_be.contains(&plan), "{fault}: {plan} is live after `{acknowledged}`");

    // The history says exactly what went live.
    let entries = store.history().unwrap();
    let newest = entries.last().map(|entry| entry.version);
    assert_eq!(newest, live.as_ref().map(|live| live.version), "{fault}");

    // And life goes on: a disk that is owed is given back, and the next version goes live.
    deploy(dir, "after");
    let now = store.live().unwrap().unwrap();
    assert_eq!(store.verify(now.version).unwrap().plan, "after", "{fault}");
    if plan == "two" && entries.len() == 4 {
        assert_eq!(
            fs::read_to_string(dir.join("disk")).unwrap(),
            "2",
            "{fault}: the disk of version two"
        );
    }
    assert_eq!(store.history().unwrap().len(), entries.len() + 1, "{fault}");
    let mut left: Vec<String> = fs::read_dir(dir.join("store/versions"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    let expected: Vec<String> = (1..=now.version).map(|n| n.to_string()).collect();
    assert_eq!(left, expected, "{fault}: something is left over");
    true
}

#[test]
fn a_deploy_killed_at_any_point_leaves_one_version_whole() {
    for fault in FAULTS {
        assert!(killed_at(fault), "nobody comes by {fault}");
        for time in 2..=6 {
            killed_at(&format!("{fault}:{time}"));
        }
    }
}

#[test]
fn an_unknown_point_kills_nobody() {
    let scratch = tempfile::tempdir().unwrap();
    assert_eq!(run_and_kill(scratch.path(), "no.such.point"), None);
}
