//! The section of the manifest, byte for byte.

use toolkit_audit::section::{BAIT, write};
use toolkit_audit::{Lanes, Report};

const MANIFEST: &str = "\
#+TITLE: Demo
#+TOOLKIT: demo
* Demo :toolkit:
:PROPERTIES:
:ID: demo
:END:
What it does.
";

const SCRIPTS: [(&str, &str); 4] = [
    ("calc.py", "#!/usr/bin/env python3\nimport numpy\n"),
    ("fetch.sh", "#!/bin/bash\ncurl -s x | jq .\n"),
    ("ok.sh", "echo\n"),
    ("tool", "\0\0"),
];

const SECTION: &str = "\
** dependency audit (static, auto)
*** calc.py — blocked (python3)
    - interpreter =python3= :: blocked — no python lane today — rewrite in a covered lane or split the logic
    - pip =numpy= :: blocked — no python lane
*** fetch.sh — convertible (bash)
    - interpreter =bash= :: ready — posix shape — shell runs in the sandbox
    - binary =curl= :: convertible — network is engine-brokered — route through the Dock, not raw sockets
    - binary =jq= :: ready — c lane — jq compiles to wasm cleanly
*** ok.sh — ready (sh)
    - interpreter =sh= :: ready — posix shape — shell runs in the sandbox
*** tool — convertible (unknown)
    - interpreter =unknown= :: convertible — unknown: identify it, declare a build
** TODO fix-up plan [0/3]
   The agent manual: work each item, check it off, then prove the whole
   toolkit — done when =wbx toolkit push demo <dir>= · =wbx toolkit build demo=
   · =wbx toolkit verify demo= all pass. With an engine reachable,
   =wbx toolkit audit <dir> --fix= runs that push→build→verify for you.
   :done-when: audit scripts --expect ready
*** TODO calc.py (blocked — python3)
    - [ ] rewrite in JS for the quickjs lane — keep the script's CLI contract (same args in, same stdout out) so callers don't change
    - [ ] or split the logic into org tasks with =sh= blocks — =wbx run= works them off in the WASM shell
    - [ ] =numpy= goes away with the python rewrite (see the interpreter item)
    - [ ] re-run =wbx toolkit audit= — calc.py must classify ready
    :done-when: audit scripts/calc.py --expect ready
*** TODO fetch.sh (convertible — bash)
    - [ ] route HTTP through the Dock — a component with the capability =browse= calls =browse-fetch=; a script has no network, so let its caller hand the data in
    - [ ] re-run =wbx toolkit audit= — fetch.sh must classify ready
    :done-when: audit scripts/fetch.sh --expect ready
*** TODO tool (convertible — unknown)
    - [ ] identify the language; if it's in a compile lane (js/ts/python/c) declare a build recipe, then wbx toolkit build produces the wasm — else build it elsewhere and declare the artifact as =wasm:=
    - [ ] re-run =wbx toolkit audit= — tool must classify ready
    :done-when: audit scripts/tool --expect ready
";

const ALL_READY: &str = "\
** dependency audit (static, auto)
*** ok.sh — ready (sh)
    - interpreter =sh= :: ready — posix shape — shell runs in the sandbox
** fix-up plan
   nothing to fix — every script is sandbox-ready
   prove it: =wbx toolkit push demo <dir>= · =wbx toolkit build demo= · =wbx toolkit verify demo=
";

const NO_SCRIPTS: &str = "\
** dependency audit (static, auto)
   no carried scripts — guidance-only toolkit, nothing to convert
";

fn report(scripts: &[(&str, &str)]) -> Report {
    toolkit_audit::audit(scripts, &Lanes::none())
}

fn full() -> Report {
    report(&SCRIPTS)
}

fn twice(manifest: &str, report: &Report) -> String {
    let once = write(manifest, "demo", report);
    assert_eq!(write(&once, "demo", report), once, "a second time changes nothing");
    once
}

#[test]
fn the_bait_becomes_the_findings_and_the_plan() {
    let manifest = format!("{MANIFEST}{BAIT}");
    assert_eq!(twice(&manifest, &full()), format!("{MANIFEST}{SECTION}"));
}

#[test]
fn text_before_and_after_survives() {
    for after in [
        "\n",
        "\n* Notes\nmine\n",
        "** Mine\n",
        "words without a headline",
        "\n\n   indented words\n- [ ] my list\n",
    ] {
        let manifest = format!("{MANIFEST}{BAIT}{after}");
        assert_eq!(
            twice(&manifest, &full()),
            format!("{MANIFEST}{SECTION}{after}"),
            "{after:?}"
        );
        let section = format!("{MANIFEST}{SECTION}{after}");
        assert_eq!(
            twice(&section, &report(&SCRIPTS[2..3])),
            format!("{MANIFEST}{ALL_READY}{after}"),
            "{after:?}"
        );
        let ready = format!("{MANIFEST}{ALL_READY}{after}");
        assert_eq!(twice(&ready, &full()), section, "{after:?}");
        assert_eq!(
            twice(&ready, &report(&[])),
            format!("{MANIFEST}{NO_SCRIPTS}{after}"),
            "{after:?}"
        );
    }
}

#[test]
fn a_manifest_without_bait_gets_it_at_the_end_of_its_node() {
    let manifest = format!("{MANIFEST}* Other\n");
    assert_eq!(
        twice(&manifest, &report(&[])),
        format!("{MANIFEST}{NO_SCRIPTS}* Other\n")
    );
    assert_eq!(twice("* Other", &report(&[])), format!("* Other\n{NO_SCRIPTS}"));
    assert_eq!(twice("", &report(&[])), NO_SCRIPTS);
}

#[test]
fn each_part_stays_where_it_stands() {
    let (findings, plan) = SECTION.split_at(SECTION.find("** TODO fix-up").unwrap());
    let moved = format!("{MANIFEST}{plan}** Mine\nwords\n{findings}");
    assert_eq!(twice(&moved, &full()), moved);
}

#[test]
fn line_ends_of_the_file_are_kept() {
    let manifest = format!("{MANIFEST}{BAIT}* Notes\n").replace('\n', "\r\n");
    let want = format!("{MANIFEST}{SECTION}* Notes\n").replace('\n', "\r\n");
    assert_eq!(twice(&manifest, &full()), want);
}

#[test]
fn ticks_and_states_of_what_did_not_change_survive() {
    let worked = SECTION
        .replace("** TODO fix-up plan [0/3]", "** PARTIAL fix-up plan [1/3]")
        .replace("- [ ] or split", "- [X] or split")
        .replace(
            "*** TODO fetch.sh (convertible — bash)",
            "*** DONE [#A] fetch.sh (convertible — bash) :mine:",
        )
        .replace("*** TODO tool", "*** FAILED tool");
    let manifest = format!("{MANIFEST}{worked}");
    assert_eq!(twice(&manifest, &full()), manifest, "nothing changed");

    // Another dependency in one script: its task is open again, its ticks stay, the others are as they were.
    let mut scripts = SCRIPTS;
    scripts[0].1 = "#!/usr/bin/env python3\nimport numpy\nimport yaml\n";
    let new = twice(&manifest, &report(&scripts));
    assert!(new.contains("** TODO fix-up plan [1/3]\n"), "{new}");
    assert!(
        new.contains("*** TODO calc.py (blocked — python3)\n    - [ ] rewrite"),
        "{new}"
    );
    assert!(new.contains("    - [X] or split the logic"), "{new}");
    assert!(new.contains("    - [ ] =yaml= goes away"), "{new}");
    assert!(
        new.contains("*** DONE [#A] fetch.sh (convertible — bash) :mine:\n"),
        "{new}"
    );
    assert!(new.contains("*** FAILED tool"), "{new}");

    // A task that was done and is another one now is to be done again.
    scripts[1].1 = "#!/bin/bash\ncurl -s x\nsudo y\n";
    let new = twice(&manifest, &report(&scripts));
    assert!(
        new.contains("** TODO fix-up plan [0/3]\n*") || new.contains("** TODO fix-up plan [0/3]\n "),
        "{new}"
    );
    assert!(new.contains("*** TODO fetch.sh (blocked — bash)\n"), "{new}");
}

#[test]
fn what_others_wrote_into_a_task_survives() {
    let drawer = ":PROPERTIES:\n:ORDERED: t\n:END:\n";
    let note = "    I asked around.\n    - a list of mine\n**** TODO my own\n    - [ ] step\n";
    let noted = SECTION
        .replace(
            "** TODO fix-up plan [0/3]\n",
            &format!("** TODO fix-up plan [0/3]\n{drawer}"),
        )
        .replace(
            "(blocked — python3)\n    - [ ] rew",
            &format!("(blocked — python3)\n{drawer}    - [ ] rew"),
        )
        .replace(
            "audit scripts/calc.py --expect ready\n",
            &format!("audit scripts/calc.py --expect ready\n{note}"),
        );
    let manifest = format!("{MANIFEST}{noted}");
    assert_eq!(twice(&manifest, &full()), manifest);
}

#[test]
fn a_hostile_file_name_stays_in_its_line() {
    let name = "a\n* Evil :toolkit:\n:done-when: true";
    let scripts = [
        (name, "sudo x\n"),
        ("DONE", "sudo x\n"),
        ("it's", "sudo x\n"),
        ("b (blocked — x)", "sudo x\n"),
    ];
    let written = twice(&format!("{MANIFEST}{BAIT}"), &report(&scripts));
    let tasks = oql::tasks(&written).unwrap();
    let titles: Vec<_> = tasks.iter().map(|task| task.title.as_str()).collect();
    assert_eq!(titles.len(), 1 + 1 + 4 + 1 + 4, "{titles:?}");
    let open: Vec<_> = tasks.iter().filter(|task| task.state.is_some()).collect();
    assert_eq!(open.len(), 5, "{written}");
    let checks: Vec<_> = open.iter().map(|task| task.done_when.clone().unwrap()).collect();
    assert_eq!(checks[3], "audit $'scripts/it\\047s' --expect ready");
    assert!(
        checks
            .iter()
            .all(|check| check.starts_with("audit ") && check.ends_with(" --expect ready"))
    );
}

#[test]
fn the_plan_lints_and_every_task_of_it_has_a_check() {
    let written = twice(&format!("{MANIFEST}{BAIT}"), &full());
    let facts = oql::Facts::default();
    assert_eq!(oql::lint(&written, &facts).unwrap().len(), 0);
    let tasks = oql::tasks(&written).unwrap();
    let open: Vec<_> = tasks
        .iter()
        .filter(|task| task.state.as_deref() == Some("TODO"))
        .collect();
    assert_eq!(open.len(), 4);
    assert!(open.iter().all(|task| task.done_when.is_some()));
    assert_eq!(
        open[1].done_when.as_deref(),
        Some("audit scripts/calc.py --expect ready")
    );
    // The runner's verdict moves the cookie, and the next audit leaves both alone.
    let done = oql::set_state(&written, &open[2].id, "DONE").unwrap();
    assert!(done.contains("** TODO fix-up plan [1/3]"));
    assert_eq!(write(&done, "demo", &full()), done);
}
