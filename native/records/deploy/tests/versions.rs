//! What a store promises, one sentence at a time.

use deploy::{Action, Error, FORMAT, Note, Store};
use proptest::prelude::*;
use serde_json::json;
use std::fs;
use std::path::PathBuf;

fn note() -> Note {
    Note::by("ada", 1)
}

struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Scratch {
        Scratch {
            dir: tempfile::tempdir().unwrap(),
        }
    }

    fn store(&self) -> Store {
        Store::at(self.path("store"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn deploy(&self, plan: &str) -> u64 {
        let built = self.path("built.wasm");
        fs::write(&built, format!("built from {plan}")).unwrap();
        let mut change = self.store().begin().unwrap();
        let artifacts = [("built.wasm".to_owned(), built)];
        change
            .stage(plan.as_bytes(), &json!({"title": plan}), &artifacts)
            .unwrap();
        fs::write(change.snapshot().unwrap(), format!("before {plan}")).unwrap();
        change.commit(&note()).unwrap().version
    }
}

#[test]
fn nothing_is_live_before_the_first_deploy() {
    let scratch = Scratch::new();
    assert_eq!(scratch.store().live().unwrap(), None);
    assert_eq!(scratch.store().history().unwrap(), []);
    assert_eq!(scratch.store().version(1).unwrap_err().code(), "not_found");
    assert!(!scratch.path("store").exists(), "looking makes nothing");
}

#[test]
fn a_version_that_is_staged_and_not_committed_changes_nothing() {
    let scratch = Scratch::new();
    scratch.deploy("one");
    let mut change = scratch.store().begin().unwrap();
    assert_eq!(change.stage(b"two", &json!({}), &[]).unwrap(), 2);
    drop(change);
    assert_eq!(scratch.store().live().unwrap().unwrap().version, 1);
    assert_eq!(scratch.deploy("two"), 2, "its number is given again");
    assert_eq!(scratch.store().version(2).unwrap().plan, "two");
}

#[test]
fn the_second_who_wants_to_change_gets_a_conflict() {
    let scratch = Scratch::new();
    let first = scratch.store().begin().unwrap();
    assert_eq!(scratch.store().begin().unwrap_err().code(), "conflict");
    drop(first);
    assert!(scratch.store().begin().is_ok());
}

#[test]
fn a_rollback_makes_the_version_before_live_and_says_which_disk_to_give_back() {
    let scratch = Scratch::new();
    scratch.deploy("one");
    scratch.deploy("two");
    let mut change = scratch.store().begin().unwrap();
    let live = change.roll_back(&note()).unwrap();
    assert_eq!(live.version, 1);
    assert_eq!(fs::read_to_string(live.restoring.unwrap()).unwrap(), "before two");
    assert_eq!(
        change.roll_back(&note()).unwrap_err().code(),
        "conflict",
        "not before it is restored"
    );
    change.stage(b"three", &json!({}), &[]).unwrap();
    assert_eq!(change.commit(&note()).unwrap_err().code(), "conflict");
    assert_eq!(change.restored().unwrap().restoring, None);
    assert_eq!(
        change.roll_back(&note()).unwrap_err().code(),
        "not_found",
        "the first has none before it"
    );
    drop(change);
    let seen: Vec<_> = scratch
        .store()
        .history()
        .unwrap()
        .iter()
        .map(|e| (e.n, e.action, e.version, e.from))
        .collect();
    assert_eq!(
        seen,
        [
            (1, Action::Deploy, 1, None),
            (2, Action::Deploy, 2, Some(1)),
            (3, Action::Rollback, 1, Some(2))
        ]
    );
    assert_eq!(scratch.deploy("three"), 3, "numbers are not given twice");
    assert_eq!(scratch.store().version(3).unwrap().parent, Some(1));
}

#[test]
fn a_rollback_to_a_damaged_version_is_refused() {
    let scratch = Scratch::new();
    scratch.deploy("one");
    scratch.deploy("two");
    fs::write(scratch.path("store/versions/1/artifacts/built.wasm"), "other").unwrap();
    let mut change = scratch.store().begin().unwrap();
    assert_eq!(change.roll_back(&note()).unwrap_err().code(), "corrupt");
    assert_eq!(scratch.store().live().unwrap().unwrap().version, 2);
}

#[test]
fn what_cannot_be_read_is_an_error_and_never_an_empty_store() {
    let table: &[(&str, &str, &str)] = &[
        ("current", "", "corrupt"),
        ("current", "{}", "corrupt"),
        ("current", r#"{"format":2}"#, "unknown_version"),
        ("current", r#"{"format":1}"#, "corrupt"),
        ("versions/1/version.json", r#"{"format":7}"#, "unknown_version"),
        ("versions/1/workbook.org", "another plan", "corrupt"),
        ("history.jsonl", "{}\n", "corrupt"),
    ];
    for (file, text, code) in table {
        let scratch = Scratch::new();
        scratch.deploy("one");
        fs::write(scratch.path("store").join(file), text).unwrap();
        let look = || -> Result<(), Error> {
            let store = scratch.store();
            store.history()?;
            store.version(store.live()?.map_or(0, |live| live.version))?;
            Ok(())
        };
        assert_eq!(look().unwrap_err().code(), *code, "{file}: {text}");
    }
}

#[test]
fn the_name_of_an_artifact_can_only_be_a_name() {
    for name in [
        "",
        ".",
        "..",
        ".hidden",
        "a/b",
        "/etc/passwd",
        "a\0b",
        "ä",
        &"x".repeat(129),
    ] {
        let scratch = Scratch::new();
        let built = scratch.path("built");
        fs::write(&built, "x").unwrap();
        let mut change = scratch.store().begin().unwrap();
        let refused = change.stage(b"", &json!({}), &[(name.to_owned(), built)]).unwrap_err();
        assert_eq!(refused.code(), "bad_option", "{name:?}");
    }
}

#[test]
fn the_history_is_only_ever_appended_to() {
    let scratch = Scratch::new();
    let mut before = Vec::new();
    for plan in ["one", "two", "three"] {
        scratch.deploy(plan);
        let now = fs::read(scratch.path("store/history.jsonl")).unwrap();
        assert!(now.starts_with(&before) && now.len() > before.len());
        before = now;
    }
}

#[test]
fn every_file_says_its_format() {
    let scratch = Scratch::new();
    scratch.deploy("one");
    for file in ["current", "versions/1/version.json"] {
        let text = fs::read_to_string(scratch.path("store").join(file)).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["format"], FORMAT, "{file}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever bytes stand in its files, a store answers, and never panics.
    #[test]
    fn any_bytes_are_read_or_refused(current in any::<Vec<u8>>(), history in any::<Vec<u8>>(), record in "\\PC*") {
        let scratch = Scratch::new();
        scratch.deploy("one");
        for (file, bytes) in [("current", &current), ("history.jsonl", &history), ("versions/1/version.json", &record.into_bytes())] {
            let path = scratch.path("store").join(file);
            let kept = fs::read(&path).unwrap();
            fs::write(&path, bytes).unwrap();
            let store = scratch.store();
            let _ = (store.live(), store.history(), store.verify(1));
            let _ = store.begin();
            fs::write(&path, kept).unwrap();
        }
        prop_assert!(scratch.store().verify(1).is_ok());
    }
}
