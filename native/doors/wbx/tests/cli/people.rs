//! What a person at a terminal sees.

use crate::{
    program::{Folder, run, wbx},
    runs::engine_home,
    terminal::{watch, watch_all},
    worked_examples::{BROKEN, COHERENT, V1, V2},
};
use std::{
    fs::File,
    io::Write,
    process::Command,
    thread::{self, JoinHandle},
    time::Duration,
};

/// What stands on a terminal without colour, and the exit code.
fn plain(folder: &Folder, args: &[&str]) -> (String, i32) {
    let ended = watch(folder.wbx(args).env("NO_COLOR", "1"));
    (ended.stdout, ended.exit)
}

/// What an error looks like without colour.
fn complaint(folder: &Folder, args: &[&str]) -> (String, i32) {
    let ended = watch(folder.wbx(args).env("NO_COLOR", "1"));
    assert_eq!(ended.stdout, "");
    (ended.stderr, ended.exit)
}

#[test]
fn lint_prints_like_rustc() {
    let folder = Folder::with(&[("plan.org", BROKEN)]);
    let expected = "\
error[WB002]: input `events:list` has no upstream producer
 --> plan.org:3:20
  |
3 | #+begin_src js :in events:list :out summary:string
  |                    ^^^^^^^^^^^
  |
  = help: give a component of this workflow `:out events:list`, or drop the input

error[WB001]: component has no source block / language
 --> plan.org:6:4
  |
6 | ** Orphan task :component:
  |    ^^^^^^^^^^^
  |
  = help: add a source block with a language: #+begin_src js

plan.org: 2 errors
";
    assert_eq!(plain(&folder, &["lint", "plan.org"]), (expected.to_owned(), 5));
}

#[test]
fn a_coherent_plan_is_told_so() {
    let folder = Folder::with(&[("plan.org", COHERENT)]);
    assert_eq!(
        plain(&folder, &["lint", "plan.org"]),
        ("plan.org: the plan coheres\n".to_owned(), 0)
    );
}

#[test]
fn the_wider_net_is_cast_only_on_demand() {
    let folder = Folder::with(&[("plan.org", "* TODO Same\n* TODO Same\n")]);
    let (narrow, _) = plain(&folder, &["lint", "plan.org"]);
    assert_eq!(narrow, "plan.org: the plan coheres\n");
    let (wide, _) = plain(&folder, &["lint", "--all", "plan.org"]);
    assert!(wide.contains("[WB005]"), "{wide}");
    assert!(wide.contains("--> plan.org:2:8\n"), "{wide}");
}

#[test]
fn check_upgrade_names_the_workflow_of_each_broken_promise() {
    let folder = Folder::with(&[("v1.org", V1), ("v2.org", V2)]);
    let expected = "\
error: export `report:string` removed (breaking)
 |
 = note: in workflow `Report`

warning: new capability `workbook:net/email` now required
 |
 = note: in workflow `Report`

error: component `Build` output type changed (breaking)
 |
 = note: in workflow `Report`

v2.org: 2 errors, 1 warning
";
    assert_eq!(
        plain(&folder, &["check-upgrade", "v1.org", "v2.org"]),
        (expected.to_owned(), 5)
    );
}

#[test]
fn explain_shows_the_promise_and_the_line_that_breaks_it() {
    let folder = Folder::with(&[("v1.org", V1), ("v2.org", V2)]);
    let (seen, exit) = plain(&folder, &["check-upgrade", "--explain", "v1.org", "v2.org"]);
    assert!(seen.contains("--> v1.org:3:1\n"), "{seen}");
    assert!(seen.contains("3 | #+begin_src rust :out report:string\n"), "{seen}");
    assert!(seen.contains("v2.org:3:1\n"), "{seen}");
    assert_eq!(exit, 5);
}

#[test]
fn a_kept_promise_is_told_so() {
    let folder = Folder::with(&[("v1.org", V1)]);
    let expected = "v1.org: every promise of v1.org holds\n";
    assert_eq!(
        plain(&folder, &["check-upgrade", "v1.org", "v1.org"]),
        (expected.to_owned(), 0)
    );
}

#[test]
fn a_query_prints_a_table() {
    let plan = "\
* TODO Ship 🦀 :release:
SCHEDULED: <2026-06-11 Thu 09:30>
* DONE Plan
";
    let folder = Folder::with(&[("plan.org", plan)]);
    let expected = "\
LINE  STATE  TITLE    TAGS     SCHEDULED
1     TODO   Ship 🦀  release  2026-06-11T09:30
3     DONE   Plan

2 headlines
";
    assert_eq!(
        plain(&folder, &["query", "plan.org", "(level 1)"]),
        (expected.to_owned(), 0)
    );
}

#[test]
fn a_query_that_selects_nothing_says_so() {
    let folder = Folder::with(&[("plan.org", "* One\n")]);
    assert_eq!(
        plain(&folder, &["query", "plan.org", "(level 7)"]),
        ("0 headlines\n".to_owned(), 0)
    );
}

#[test]
fn a_bad_query_is_pointed_at() {
    let folder = Folder::with(&[("plan.org", "* One\n")]);
    let (seen, exit) = complaint(&folder, &["query", "plan.org", "(and (frob) (done))"]);
    assert!(seen.starts_with("error[bad_query]: "), "{seen}");
    let pointed = "\
 --> query:1:7
  |
1 | (and (frob) (done))
  |       ^
";
    assert!(seen.contains(pointed), "{seen}");
    assert_eq!(exit, 2);
}

#[test]
fn tasks_are_an_outline_with_states() {
    let plan = "\
* TODO Release
:PROPERTIES:
:ORDERED: t
:END:
** DONE Build
:PROPERTIES:
:DONE-WHEN: test -f out
:END:
** FAILED Ship
* Notes
";
    let folder = Folder::with(&[("plan.org", plan)]);
    let expected = "\
TODO Release (release, in order)
  DONE Build (build, done when `test -f out`)
  FAILED Ship (ship)
Notes (notes)

4 tasks
";
    assert_eq!(plain(&folder, &["tasks", "plan.org"]), (expected.to_owned(), 0));
}

#[test]
fn worlds_are_an_outline_with_signatures() {
    let plan = "\
* Agent :workflow:
:PROPERTIES:
:SCHEDULE: 0 9 * * *
:END:
** Remember :component:
#+begin_src rust :persist :uses workbook:fs :out memory:json
#+end_src
** Act :component:
#+begin_src js :in memory:json
#+end_src
** Inner :workflow:
";
    let folder = Folder::with(&[("plan.org", plan)]);
    let expected = "\
Agent at 0 9 * * *
  imports workbook:fs
  Remember [rust] -> memory:json (persists)
  Act [js] memory:json
  Remember -> Act
  Inner

1 world
";
    assert_eq!(plain(&folder, &["tangle", "plan.org"]), (expected.to_owned(), 0));
}

#[test]
fn colour_is_for_terminals_that_want_it() {
    let folder = Folder::with(&[("plan.org", BROKEN)]);
    let lint = ["lint", "plan.org"];
    for (name, value, coloured) in [
        ("NO_COLOR", "", true),
        ("NO_COLOR", "1", false),
        ("NO_COLOR", "0", false),
        ("TERM", "dumb", false),
        ("TERM", "xterm", true),
    ] {
        let seen = watch(folder.wbx(&lint).env(name, value)).stdout;
        assert_eq!(seen.contains('\x1B'), coloured, "{name}={value}");
    }
    assert!(!run(&mut folder.wbx(&lint)).stdout.contains('\x1B'), "in a pipe");
}

#[test]
fn a_terminal_gets_data_when_it_asks_for_it() {
    let folder = Folder::with(&[("plan.org", COHERENT)]);
    for (args, expected) in [
        (&["lint", "plan.org", "--agent"][..], "[]\n"),
        (
            &["lint", "plan.org", "--json"],
            "{\"ok\":true,\"verb\":\"lint\",\"data\":[]}\n",
        ),
    ] {
        assert_eq!(watch(&mut folder.wbx(args)).stdout, expected);
    }
    assert_eq!(
        watch(folder.wbx(&["lint", "plan.org"]).env("WBX_AGENT", "1")).stdout,
        "[]\n"
    );
}

#[test]
fn a_plan_cannot_steer_the_terminal() {
    let plan = "* TODO \x1B[2J\x1B]0;owned\x07 :workflow:\n** \x1B[31mred :component:\n";
    let folder = Folder::with(&[("pl\x1B[2Jan.org", plan)]);
    for args in [&["lint"][..], &["lint", "--all"], &["tasks"], &["tangle"]] {
        let (seen, _) = plain(&folder, &[args, &["pl\x1B[2Jan.org"]].concat());
        assert!(!seen.contains(['\x1B', '\x07']), "{args:?}: {seen:?}");
    }
    let (seen, _) = plain(&folder, &["query", "pl\x1B[2Jan.org", "(level 1)"]);
    assert!(!seen.contains(['\x1B', '\x07']), "{seen:?}");
    let (seen, _) = complaint(&folder, &["lint", "gone\x1B[2J.org"]);
    assert!(!seen.contains('\x1B'), "{seen:?}");
}

#[test]
fn doctor_ends_with_the_verdict() {
    let ended = watch(
        wbx(&["doctor"])
            .env("WORKBOOKS_HOME", engine_home())
            .env("NO_COLOR", "1"),
    );
    assert!(ended.stdout.starts_with("CHECK"), "{}", ended.stdout);
    assert!(ended.stdout.ends_with("\nhealthy\n"), "{}", ended.stdout);
    assert_eq!(ended.exit, 0);
}

#[test]
fn an_error_on_a_terminal_is_coloured() {
    let gone = ["lint", "gone.org"];
    let (seen, _) = watch_all(&mut wbx(&gone));
    assert!(seen.contains("\x1B["), "{seen}");
    let (seen, _) = watch_all(wbx(&gone).env("NO_COLOR", "1"));
    assert!(!seen.contains('\x1B'), "{seen}");
}

#[test]
fn long_work_shows_progress_on_a_terminal_and_nowhere_else() {
    for (term, shown) in [("xterm", true), ("dumb", false)] {
        let (folder, writer) = slow_plan();
        let (seen, exit) = watch_all(folder.wbx(&["lint", "plan.org"]).env("TERM", term));
        writer.join().unwrap();
        assert_eq!(seen.contains("⠁ lint"), shown, "{seen:?}");
        assert!(seen.ends_with("plan.org: the plan coheres\n"), "{seen:?}");
        assert_eq!(exit, 0);
    }
    let (folder, writer) = slow_plan();
    let ended = watch(&mut folder.wbx(&["lint", "plan.org"]));
    writer.join().unwrap();
    assert_eq!(
        (ended.stdout.as_str(), ended.stderr.as_str()),
        ("plan.org: the plan coheres\n", "")
    );
}

/// A pipe that takes its time to deliver a plan.
fn slow_plan() -> (Folder, JoinHandle<()>) {
    let folder = Folder::with(&[]);
    let pipe = folder.path().join("plan.org");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = thread::spawn(move || {
        let mut pipe = File::options().write(true).open(pipe).unwrap();
        thread::sleep(Duration::from_millis(700));
        pipe.write_all(COHERENT.as_bytes()).unwrap();
    });
    (folder, writer)
}

#[test]
fn a_line_of_a_megabyte_is_cut() {
    let plan = format!(
        "* W :workflow:\n** C :component:\n#+begin_src js :in a:b {}\n#+end_src\n",
        "x".repeat(1 << 20)
    );
    let folder = Folder::with(&[("plan.org", &plan)]);
    let (seen, exit) = plain(&folder, &["lint", "plan.org"]);
    assert!(seen.len() < 2_000, "{} bytes", seen.len());
    assert_eq!(exit, 5);
}
