//! Input that nobody sane would write: a clear error or a right answer, never a crash, never a hang.

use crate::program::{Folder, feed, run, wbx};
use serde_json::Value;
use std::fs;

/// How each verb is asked about one plan.
const ASK: [&[&str]; 7] = [
    &["lint", "-"],
    &["lint", "--all", "-"],
    &["query", "-", "(level 1)"],
    &["tangle", "-"],
    &["tasks", "-"],
    &["render", "-"],
    &["check-upgrade", "plan.org", "-"],
];

fn ask_all(plan: &[u8]) -> Vec<Value> {
    let folder = Folder::with(&[("plan.org", "* Notes\n")]);
    ASK.iter()
        .map(|args| {
            let ended = feed(&mut folder.wbx(&[args, &["--json"][..]].concat()), plan);
            assert_eq!(ended.stderr, "", "{args:?}");
            let mut envelope: Value = serde_json::from_str(&ended.stdout).unwrap();
            envelope["exit"] = ended.exit.into();
            envelope
        })
        .collect()
}

fn refused(plan: &[u8], code: &str) {
    for answer in ask_all(plan) {
        assert_eq!(answer["error"]["code"], code, "{}", answer["verb"]);
        assert_eq!(answer["exit"], 1, "{}", answer["verb"]);
    }
}

fn answered(plan: &[u8]) {
    for answer in ask_all(plan) {
        assert!(answer.get("data").is_some(), "{}: {}", answer["verb"], answer["error"]);
        let exit = answer["exit"].as_i64().unwrap();
        assert!([0, 5].contains(&exit), "{}: {exit}", answer["verb"]);
    }
}

#[test]
fn text_that_is_not_utf8_is_refused() {
    refused(b"* One\n* caf\xE9\n", "not_utf8");
}

#[test]
fn seventeen_mebibytes_are_refused() {
    refused(&b"* Headline\n".repeat((17 << 20) / 11), "too_large");
}

#[test]
fn headlines_five_thousand_deep_are_refused() {
    let plan: String = (1..=5_000)
        .map(|depth| format!("{} Deep\n", "*".repeat(depth)))
        .collect();
    refused(plan.as_bytes(), "too_deep");
}

#[test]
fn a_hundred_thousand_headlines_are_answered_or_called_too_complex() {
    let plan = "* TODO Headline\n".repeat(100_000);
    for answer in ask_all(plan.as_bytes()) {
        let refused = answer["error"]["code"] == "too_complex";
        assert!(answer.get("data").is_some() || refused, "{}", answer["verb"]);
    }
}

#[test]
fn odd_characters_are_answered() {
    for plan in [
        "* Nul \0 :workflow:\n** \0 :component:\n",
        "* One\r\n** Two\r\n#+begin_src js :in a:b\r\n#+end_src\r\n",
        "\u{FEFF}* One :workflow:\n** Two :component:\n",
        "* 🦀🦀🦀 :workflow:\n** e\u{301} :component:\n#+begin_src js :in 🦀:list\n#+end_src\n",
        "*\tTab\t:workflow:\n",
        "* A ::workflow:: :component\n* :workflow:\n",
        "* One :workflow:\n** Two :component:\n#+begin_src js :in a:b\nnever closed\n",
        "\n\n\n",
        "*",
        "no newline at the end",
    ] {
        answered(plan.as_bytes());
    }
}

#[test]
fn unclosed_blocks_end_soon() {
    let plan = "#+begin_quote\n".repeat(20_000);
    for answer in ask_all(plan.as_bytes()) {
        let refused = answer["error"]["code"] == "too_complex";
        assert!(answer.get("data").is_some() || refused, "{}", answer["verb"]);
    }
}

#[test]
fn a_deep_query_is_refused_and_does_not_overflow() {
    let query = "(not ".repeat(20_000);
    let ended = feed(&mut wbx(&["query", "-", &query]), b"* One\n");
    assert_eq!(ended.exit, 2, "{}", ended.stderr);
}

#[test]
fn a_path_that_is_not_utf8_is_a_path_all_the_same() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let folder = Folder::with(&[]);
    let name = OsStr::from_bytes(b"caf\xE9.org");
    fs::write(folder.path().join(name), "* One\n").unwrap();
    let ended = run(folder.wbx(&["lint"]).arg(name));
    assert_eq!((ended.stdout.as_str(), ended.exit), ("[]\n", 0));
}

#[test]
fn an_argument_that_is_not_utf8_is_a_usage_error() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    for args in [&["query", "-"][..], &["help"], &[]] {
        let ended = run(wbx(args).arg(OsStr::from_bytes(b"\xFF")));
        assert_eq!(ended.exit, 2, "{args:?}");
        assert!(ended.stderr.starts_with("error[usage]: "), "{args:?}: {}", ended.stderr);
    }
}
