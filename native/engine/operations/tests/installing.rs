//! `toolkit.install`: what somebody sends is unpacked all of it or not at all, and nobody is trusted for having sent it.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use engine::{Engine, Environment, Place, Places};
use failure::Failure;
use operations::{Context, EngineParts, NoEngine};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

const MANIFEST: &str = "\
#+TITLE: Demo
#+TOOLKIT: demo
#+VERSION: 1.0.0
#+STATUS: stable
#+TAGLINE: When it is needed
#+EXEC: task
#+TRUST: first-party
* Demo :toolkit:
:PROPERTIES:
:ID: demo
:STATUS: stable
:END:
";

struct Operator(TempDir);

impl Operator {
    fn new() -> Operator {
        Operator(tempfile::tempdir().unwrap())
    }

    fn ask(&self, name: &str, params: Value) -> Result<Value, Failure> {
        let environment = Environment::from([("HOME", self.0.path().to_str().unwrap())]);
        let places = Places::new(environment).give(Place::Toolkits, self.0.path().join("toolkits-state"));
        let parts = EngineParts {
            engine: Arc::new(Engine::new(places)),
            toolkits_root: None,
            toolkits_dir: None,
            execute: false,
            posix: false,
        };
        let context = Context::new(Arc::new(parts), Arc::new(NoEngine), self.0.path());
        operations::answer(&context, name, params)
    }

    fn install(&self, id: &str, zip: &[u8]) -> Result<Value, Failure> {
        self.ask("toolkit.install", json!({"id": id, "zip": BASE64_STANDARD.encode(zip)}))
    }

    fn pushed(&self) -> PathBuf {
        self.0.path().join("toolkits-state/pushed")
    }

    /// Everything that lies where pushed toolkits are, hidden names too.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.pushed()).into_iter().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    bundle::pack(files.iter().map(|(name, text)| (*name, text.as_bytes()))).unwrap()
}

fn demo(skill: &str) -> Vec<u8> {
    zip(&[("manifest.org", MANIFEST), ("skills/overview.org", skill)])
}

#[test]
fn what_was_sent_is_found_as_a_third_partys_whatever_it_says_of_itself() {
    let operator = Operator::new();
    let installed = operator.install("demo", &demo("#+TITLE: One\n")).unwrap();
    assert_eq!((&installed["id"], &installed["files"]), (&"demo".into(), &2.into()));
    assert_eq!(installed["path"], operator.pushed().join("demo").to_str().unwrap());
    let listed = operator.ask("toolkit.list", json!({})).unwrap();
    assert_eq!(listed[0]["id"], "demo");
    let verified = operator.ask("toolkit.verify", json!({"id": "demo"})).unwrap();
    assert_eq!(verified["ok"], false, "{verified}");
    let text = verified["text"].as_str().unwrap();
    assert!(
        text.contains("✗ trust: ") && text.contains("names its author: sign it"),
        "{text}"
    );
}

#[test]
fn a_second_one_takes_the_place_of_the_first_and_leaves_nothing_of_it() {
    let operator = Operator::new();
    let more = zip(&[
        ("manifest.org", MANIFEST),
        ("skills/overview.org", "one"),
        ("notes.org", "mine"),
    ]);
    operator.install("demo", &more).unwrap();
    operator.install("demo", &demo("two")).unwrap();
    let demo = operator.pushed().join("demo");
    assert_eq!(fs::read_to_string(demo.join("skills/overview.org")).unwrap(), "two");
    assert!(!demo.join("notes.org").exists());
    assert_eq!(operator.names(), ["demo"]);
}

#[test]
fn a_hostile_archive_is_refused_and_nothing_of_it_is_left() {
    let operator = Operator::new();
    operator.install("demo", &demo("sound")).unwrap();
    let manifest = ("manifest.org", MANIFEST);
    let with = |name| zip(&[manifest, (name, "x")]);
    let large = vec![b'x'; toolkit_build::MAX_ARCHIVE + 1];
    let mut link = demo("x");
    let listed = link.windows(4).rposition(|four| four == b"PK\x01\x02").unwrap();
    link[listed + 38..listed + 42].copy_from_slice(&(0o120_777_u32 << 16).to_le_bytes());
    let mut cut = demo("x");
    cut.truncate(cut.len() - 5);
    for (name, archive, code) in [
        ("no zip", b"hello".to_vec(), "bad_toolkit_archive"),
        ("cut off", cut, "bad_toolkit_archive"),
        (
            "no manifest",
            zip(&[("skills/overview.org", "x")]),
            "bad_toolkit_archive",
        ),
        ("a way out", with("../evil"), "bad_toolkit_archive"),
        ("an absolute name", with("/etc/evil"), "bad_toolkit_archive"),
        ("a backslash", with("a\\b"), "bad_toolkit_archive"),
        (
            "a file that is a directory",
            zip(&[manifest, ("a", "x"), ("a/b", "x")]),
            "bad_toolkit_archive",
        ),
        ("a link", link, "bad_toolkit_archive"),
        ("too large", large, "too_large"),
    ] {
        let refused = operator.install("demo", &archive).unwrap_err();
        assert_eq!(refused.code.name, code, "{name}: {}", refused.message);
        assert_eq!(operator.names(), ["demo"], "{name}");
    }
    let kept = operator.pushed().join("demo/skills/overview.org");
    assert_eq!(fs::read_to_string(kept).unwrap(), "sound");
    assert!(!operator.0.path().join("evil").exists());
}

#[test]
fn a_name_that_leads_elsewhere_and_a_text_that_is_no_base64_are_refused() {
    let operator = Operator::new();
    for id in ["", "..", "a/b", ".hidden", "a b"] {
        assert_eq!(
            operator.install(id, &demo("x")).unwrap_err().code.kind,
            failure::Kind::Usage,
            "{id}"
        );
    }
    let refused = operator
        .ask("toolkit.install", json!({"id": "demo", "zip": "?"}))
        .unwrap_err();
    assert_eq!(
        (refused.code.name, refused.pointer.as_deref()),
        ("bad_option", Some("/zip"))
    );
    assert_eq!(operator.names(), [""; 0]);
}
