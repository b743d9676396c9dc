//! Every field, right and wrong.

use super::scratch::{NODE, PLAIN};
use proptest::prelude::*;
use toolkit::{ArgMode, BuildSrc, Manifest, Shape, Status, Trust};

const DID: &str = "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp";

fn problems(keywords: &str) -> Vec<String> {
    let read = Manifest::read(&format!("{PLAIN}{keywords}{NODE}"), "dates").unwrap();
    read.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn a_full_manifest_is_read_field_by_field() {
    let hash = "0".repeat(64);
    let text = format!(
        "#+title: Dates\r\n#+TOOLKIT: dates\r\n#+VERSION: 1.2.0-rc.1\r\n#+STATUS: experimental\r\n#+TAGLINE: When\r\n\
         #+EXEC: command\r\n#+TRUST: third-party\r\n#+CAPS: vfs net\r\n#+BUILD_LANG: c\r\n\
         #+BUILD_SRC: archive:https://example.org/d.tar.gz\r\n#+CLI_BIN: cal\r\n#+CLI_VERSION_RANGE: >=1.6 <2\r\n\
         #+REQUIRES: node>=20 jq\r\n#+ARG_MODE: stdin1\r\n#+SHA256: {hash}\r\n#+WASM_PATH: bin/cal.wasm\r\n\
         #+PREOPEN: share\r\n#+AUTHOR_DID: {DID}\r\n#+SIGNATURE: x\r\n#+IMPORTED_FROM: elsewhere\r\n\
         * Dates :toolkit:\r\n:PROPERTIES:\r\n:ID: dates\r\n:CLI_BIN: cal\r\n:STATUS: experimental\r\n\
         :SKILL_DIR: recipes\r\n:END:\r\n"
    );
    let read = Manifest::read(&text, "dates").unwrap();
    assert!(read.is_valid(), "{:?} {:?}", read.problems, read.mirrors);
    assert_eq!(read.title.as_deref(), Some("Dates"));
    assert_eq!(read.status, Some(Status::Experimental));
    assert_eq!(read.exec, Some(Shape::Command));
    assert_eq!(read.trust, Trust::ThirdParty);
    assert_eq!(read.caps, ["vfs", "net"]);
    assert_eq!(
        read.build_src,
        Some(BuildSrc::Archive("https://example.org/d.tar.gz".into()))
    );
    assert_eq!(read.cli_bin.as_deref(), Some("cal"));
    assert_eq!(read.requires, ["node>=20", "jq"]);
    assert_eq!(read.arg_mode, ArgMode::Stdin1);
    assert_eq!(read.wasm_path.as_deref(), Some("bin/cal.wasm"));
    assert_eq!(read.skill_dir, "recipes");
}

#[test]
fn what_does_not_parse_is_named_with_its_line() {
    for (keywords, expected) in [
        ("", &[][..]),
        ("#+EXEC: daemon\n", &["line 6: EXEC: unknown mode \"daemon\""]),
        (
            "#+TRUST: friend\n",
            &["line 6: TRUST: `friend` is neither first-party nor third-party"],
        ),
        (
            "#+CAPS: vfs Net\n",
            &["line 6: CAPS: `Net` is not the name of a capability"],
        ),
        ("#+CAPS: vfs vfs\n", &["line 6: CAPS: `vfs` stands there twice"]),
        (
            "#+BUILD_LANG: cobol\n",
            &["line 6: BUILD_LANG: `cobol` is none of rust zig c go js ts svelte python"],
        ),
        (
            "#+BUILD_SRC: git+https://x.org/y\n",
            &["line 6: BUILD_SRC: `git+https://x.org/y`: use crate: or path:"],
        ),
        (
            "#+BUILD_SRC: path:src\n",
            &["BUILD_LANG: a build from source needs its language"],
        ),
        (
            "#+BUILD_SRC: wasm:a.wasm\n",
            &["SHA256: what is fetched has to be pinned by its hash"],
        ),
        (
            "#+EXEC: command\n",
            &["CLI_BIN: this shape needs the name of its command"],
        ),
        (
            "#+EXEC: command\n#+CLI_BIN: a b\n",
            &["line 7: CLI_BIN: `a b` is not the name of a command: letters, digits, `_`, `.` and `-`"],
        ),
        (
            "#+SHA256: abc\n#+BUILD_SRC: wasm:a\n",
            &["line 6: SHA256: it is not a SHA-256: 64 hexadecimal digits in lower case"],
        ),
        ("#+ARG_MODE: argv\n", &["line 6: ARG_MODE: it is only for a command"]),
        ("#+WIT: engine\n", &["line 6: WIT: it is only for a component"]),
        (
            "#+WASM_PATH: ../x\n",
            &[
                "line 6: WASM_PATH: `../x` is not a path below the toolkit",
                "line 6: WASM_PATH: it is only for archive:",
            ],
        ),
        (
            "#+TRUST: third-party\n",
            &["AUTHOR_DID: a third-party toolkit names its author"],
        ),
        (
            "#+AUTHOR_DID: did:web:x\n",
            &["line 6: AUTHOR_DID: `did:web:x` is not a did:key of an Ed25519 key"],
        ),
        ("#+URL: https://x.org\n", &["line 6: URL: it is only for a federation"]),
        ("#+EXEC: federation\n", &["URL: a federation names its source"]),
        ("#+TITLE: again\n", &["line 6: TITLE: it stands on line 1 already"]),
        (
            "#+CLI_VERSION_RANGE: newest\n",
            &[
                "line 6: CLI_VERSION_RANGE: `newest` is not a range of versions: unexpected character 'n' while parsing major version number",
            ],
        ),
        (
            "#+REQUIRES: node>=x\n",
            &["line 6: REQUIRES: `node>=x`: `>=x` is not a version"],
        ),
        (
            "* Other :toolkit:\n",
            &["line 7: :toolkit:: a second headline has this tag"],
        ),
    ] {
        assert_eq!(problems(keywords), expected, "{keywords}");
    }
}

#[test]
fn a_manifest_with_every_field_wrong_names_every_one() {
    let text = "#+TITLE:\n#+TOOLKIT: two words\n#+VERSION: one\n#+STATUS: fine\n#+TAGLINE:\n#+EXEC: x\n#+TRUST: x\n\
                #+CAPS: X\n#+BUILD_LANG: x\n#+BUILD_SRC: x\n#+CLI_BIN: a/b\n#+CLI_VERSION_RANGE: newest\n#+REQUIRES: a/b\n\
                #+ARG_MODE: x\n#+SHA256: x\n#+WASM_PATH: /x\n#+PREOPEN: ..\n#+AUTHOR_DID: x\n#+WIT: X!\n";
    let read = Manifest::read(text, "dates").unwrap();
    let lines: std::collections::BTreeSet<usize> = read.problems.iter().filter_map(|p| p.line).collect();
    assert_eq!(lines, (1..=19).collect());
    assert!(read.problems.iter().any(|p| p.field == ":toolkit:" && p.line.is_none()));
}

#[test]
fn a_keyword_below_a_headline_is_no_promise() {
    let text = format!("{PLAIN}{NODE}#+EXEC: posix\n#+begin_example\n#+TRUST: third-party\n#+end_example\n");
    let read = Manifest::read(&text, "dates").unwrap();
    assert_eq!(read.exec, None);
    assert_eq!(read.trust, Trust::FirstParty);
    let shown: Vec<String> = read.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        ["line 11: EXEC: it stands below a headline, and a file's keywords stand above the first"]
    );
}

#[test]
fn the_drawer_repeats_the_keywords_or_is_wrong() {
    let node = "* Dates :toolkit:\n:PROPERTIES:\n:ID: other\n:CLI_BIN: ncal\n:STATUS: deprecated\n:END:\n";
    let read = Manifest::read(&format!("{PLAIN}#+EXEC: command\n#+CLI_BIN: cal\n{node}"), "dates").unwrap();
    let shown: Vec<String> = read.mirrors.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "line 10: :ID:: it is `other`, and #+TOOLKIT: is `dates`",
            "line 11: :CLI_BIN:: it is `ncal`, and #+CLI_BIN: is `cal`",
            "line 12: :STATUS:: it is `deprecated`, and #+STATUS: is `stable`",
        ]
    );
    let node = "* Dates :toolkit:\n:PROPERTIES:\n:ID: dates\n:CLI_BIN: cal\n:END:\n";
    let read = Manifest::read(&format!("{PLAIN}#+EXEC: command\n{node}"), "dates").unwrap();
    assert!(
        read.is_valid() && read.cli_bin.as_deref() == Some("cal"),
        "from the drawer alone"
    );
}

#[test]
fn a_posix_toolkit_is_never_a_strangers() {
    let found = problems(&format!(
        "#+EXEC: posix\n#+CLI_BIN: x\n#+TRUST: third-party\n#+AUTHOR_DID: {DID}\n"
    ));
    assert_eq!(found, ["line 6: EXEC: a third-party toolkit is never posix"]);
}

proptest! {
    #[test]
    fn any_text_has_an_answer_and_every_line_named_is_there(text in "(#\\+[A-Z_]{3,10}: ?[ -~é]{0,20}\r?\n|\\* [a-z:]{0,12}\n|:[A-Z_]{2,8}: [a-z]{0,5}\n|.{0,10}\n){0,12}") {
        if let Ok(read) = Manifest::read(&text, "dates") {
            let lines = text.lines().count();
            for problem in read.problems.iter().chain(&read.mirrors) {
                prop_assert!(problem.line.is_none_or(|line| (1..=lines).contains(&line)), "{problem}");
                prop_assert!(!problem.message.is_empty());
            }
        }
    }
}
