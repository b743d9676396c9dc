//! `wbx toolkit`: the whole way of a toolkit, at a terminal and for programs.

use crate::{
    program::{Ended, Folder, feed, run, wbx},
    runs::engine_home,
};
use serde_json::Value;
use std::{fs, path::Path, process::Command};

const MANIFEST: &str = "\
#+TITLE: It
#+TOOLKIT: it
#+VERSION: 1.0.0
#+STATUS: stable
#+TAGLINE: When it is needed
#+EXEC: task
* It :toolkit:
:PROPERTIES:
:ID: it
:STATUS: stable
:END:
";

const SKILL: &str = "\
#+TITLE: All of it
* Shout
#+begin_src sh :role task
printf '%s\\n' \"$@\" | tr a-z A-Z; cat
#+end_src
* Fail
#+begin_src sh :role task
echo no >&2; exit 3
#+end_src
";

/// A folder with one toolkit.
fn library() -> Folder {
    Folder::with(&[
        ("toolkits/it/manifest.org", MANIFEST),
        ("toolkits/it/skills/overview.org", SKILL),
    ])
}

fn toolkit(folder: &Folder, args: &[&str]) -> Command {
    let mut command = wbx(&[&["toolkit"], args].concat());
    command
        .current_dir(folder.path())
        .env("XDG_STATE_HOME", folder.path().join("state"))
        .env("WORKBOOKS_HOME", engine_home())
        .env_remove("WB_TOOLKITS_ROOT")
        .env_remove("WB_TOOLKIT_EXEC");
    command
}

fn asked(folder: &Folder, args: &[&str]) -> Ended {
    run(&mut toolkit(folder, args))
}

/// The repository's own toolkits, in a copy.
pub fn copy_toolkits(to: &Path) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../toolkits");
    let done = Command::new("cp").arg("-R").arg(from).arg(to).status().unwrap();
    assert!(done.success());
}

#[test]
fn a_toolkit_is_listed_shown_and_searched() {
    let folder = library();
    let listed: Value = serde_json::from_str(&asked(&folder, &["list"]).stdout).unwrap();
    assert_eq!(listed[0]["id"], "it");
    let keys: Vec<&String> = listed[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["cli", "id", "skill_dir", "status", "title"]);
    let shown: Value = serde_json::from_str(&asked(&folder, &["show", "it"]).stdout).unwrap();
    assert_eq!(shown["tasks"], serde_json::json!(["shout", "fail"]));
    assert_eq!(asked(&folder, &["show", "it", "overview"]).stdout, SKILL);
    let found: Value = serde_json::from_str(&asked(&folder, &["search", "all", "of"]).stdout).unwrap();
    assert_eq!((&found[0]["skill"], &found[0]["line"]), (&"overview".into(), &1.into()));
}

#[test]
fn what_is_not_there_is_4_and_what_cannot_be_a_name_is_2() {
    let folder = library();
    for (args, exit) in [
        (&["show", "nobody"][..], 4),
        (&["show", "it", "nothing"], 4),
        (&["show", "it", "../manifest"], 2),
        (&["verify", "nobody"], 4),
        (&["push", "it", "nowhere"], 4),
        (&["push", "it", "toolkits/it"], 3),
    ] {
        let ended = asked(&folder, args);
        assert_eq!(ended.exit, exit, "{args:?}: {ended:?}");
        assert!(!ended.stderr.is_empty());
    }
    let empty = Folder::with(&[]);
    assert_eq!(asked(&empty, &["list"]).exit, 4);
}

#[test]
fn verify_says_a_line_for_each_promise_and_ends_with_the_truth() {
    let folder = library();
    let ended = asked(&folder, &["verify", "it"]);
    assert_eq!(
        ended.stdout,
        "✓ manifest: every field is valid\n\
         ✓ drawer: it repeats what the keywords say\n\
         ✓ skills: skills/overview.org and 0 more\n\
         ✓ exec: task: 2 recipes\n\
         ✓ caps: none needed\n\
         ✓ trust: first-party, not signed\n"
    );
    assert_eq!(ended.exit, 0);
    fs::write(
        folder.path().join("toolkits/it/manifest.org"),
        MANIFEST.replace("1.0.0", "one"),
    )
    .unwrap();
    let ended = asked(&folder, &["verify", "it", "--json"]);
    assert_eq!(ended.exit, 5);
    let envelope: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        (&envelope["ok"], &envelope["verb"]),
        (&false.into(), &"toolkit verify".into())
    );
    assert_eq!(envelope["data"]["findings"][0]["line"], 3);
}

#[test]
fn signing_is_seen_by_verify_and_so_is_a_change() {
    let folder = library();
    assert_eq!(asked(&folder, &["sign", "it"]).exit, 0);
    let ended = asked(&folder, &["verify", "it"]);
    assert!(
        ended.exit == 0 && ended.stdout.contains("all 2 files as signed by did:key:z6Mk"),
        "{ended:?}"
    );
    fs::write(folder.path().join("toolkits/it/skills/overview.org"), "* Other\n").unwrap();
    let ended = asked(&folder, &["verify", "it"]);
    assert!(
        ended.exit == 5
            && ended
                .stdout
                .contains("✗ trust: skills/overview.org is not as it was signed"),
        "{ended:?}"
    );
}

#[test]
fn a_recipe_runs_with_its_arguments_and_its_status() {
    let folder = library();
    let ended = asked(&folder, &["run", "it", "shout", "--", "a"]);
    assert_eq!(ended.exit, 7, "{ended:?}");
    assert!(ended.stderr.contains("WB_TOOLKIT_EXEC=1"));
    let shout = &mut toolkit(&folder, &["run", "it", "shout", "--", "a b", "-c"]);
    let ended = feed(shout.env("WB_TOOLKIT_EXEC", "1"), b"rest");
    assert_eq!((ended.exit, ended.stdout.as_str()), (0, "A B\n-C\nrest"), "{ended:?}");
    let fail = &mut toolkit(&folder, &["run", "it", "fail"]);
    let ended = run(fail.env("WB_TOOLKIT_EXEC", "1"));
    assert_eq!((ended.exit, ended.stderr.as_str()), (3, "no\n"));
    let missing = &mut toolkit(&folder, &["run", "it", "nothing"]);
    assert_eq!(run(missing.env("WB_TOOLKIT_EXEC", "1")).exit, 4);
}

#[test]
fn a_built_command_is_a_word_of_the_shell() {
    let folder = Folder::with(&[("p.csv", "a,\"b, c\"\n")]);
    copy_toolkits(&folder.path().join("toolkits"));
    let ended = asked(&folder, &["build", "csv"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert!(ended.stdout.starts_with("command `csv` registered, "));
    let mut shell = wbx(&["shell", "-c", "csv < p.csv | cut -f2"]);
    shell
        .current_dir(folder.path())
        .env("XDG_STATE_HOME", folder.path().join("state"))
        .env("WORKBOOKS_HOME", engine_home());
    assert_eq!(run(&mut shell).stdout, "b, c\n");
}
