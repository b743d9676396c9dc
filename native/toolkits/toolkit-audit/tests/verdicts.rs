//! Every row of the verdict table, in a build with a python lane and in one without. Expected values are typed by hand.

use toolkit_audit::{Class, Finding, Kind, Lanes, Script, table::TABLE};

const LANE: &str = "cpython 3.12";

fn without() -> Lanes {
    Lanes::none()
}

fn with() -> Lanes {
    Lanes::from_iter([("python", LANE)])
}

fn script(file: &str, text: &str, lanes: &Lanes) -> Script {
    toolkit_audit::audit(&[(file, text)], lanes).scripts.remove(0)
}

fn said(finding: &Finding) -> (Kind, &str, &str, &str) {
    (finding.kind, &finding.name, finding.class.word(), &finding.note)
}

const SHELL: &str = "posix shape — shell runs in the sandbox";
const NODE: &str = "quickjs lane — most of Node's surface; full-Node APIs may need shims";
const DOCK: &str = "network is engine-brokered — route through the Dock, not raw sockets";
const NPM: &str = "npm lane exists — resolve/bundle at build time, not install at runtime";
const CONTAINER: &str = "container runtimes can't nest in the sandbox — engine territory";
const ADMIN: &str = "host administration — has no sandbox meaning";
const DESKTOP: &str = "host-desktop integration — no sandbox equivalent";
const PACKAGES: &str = "host package managers — dependencies must compile into the toolkit";
const UNKNOWN: &str = "unknown: identify it, declare a build";

#[test]
fn every_interpreter_has_its_verdict() {
    for (name, class, note) in [
        ("sh", "ready", SHELL),
        ("bash", "ready", SHELL),
        ("zsh", "ready", SHELL),
        ("node", "ready", NODE),
        ("js", "ready", NODE),
        (
            "python",
            "blocked",
            "no python lane today — rewrite in a covered lane or split the logic",
        ),
        (
            "python3",
            "blocked",
            "no python lane today — rewrite in a covered lane or split the logic",
        ),
        (
            "python2.7",
            "blocked",
            "no python2 lane today — rewrite in a covered lane or split the logic",
        ),
        (
            "ruby",
            "blocked",
            "no ruby lane today — rewrite in a covered lane or split the logic",
        ),
        (
            "perl",
            "blocked",
            "no perl lane today — rewrite in a covered lane or split the logic",
        ),
        ("lua", "convertible", UNKNOWN),
        ("php", "convertible", UNKNOWN),
    ] {
        let script = script("x", &format!("#!/usr/bin/env {name}\n"), &without());
        assert_eq!(script.interpreter, name);
        assert_eq!(script.class.word(), class, "{name}");
        let findings: Vec<_> = script.findings.iter().map(said).collect();
        assert_eq!(findings, [(Kind::Interpreter, name, class, note)]);
    }
}

#[test]
fn with_a_python_lane_python_is_ready_and_the_lane_is_the_reason() {
    for name in ["python", "python3", "python3.12"] {
        let script = script("x", &format!("#!/usr/bin/env {name}\nimport json\n"), &with());
        let findings: Vec<_> = script.findings.iter().map(said).collect();
        assert_eq!(findings, [(Kind::Interpreter, name, "ready", LANE)]);
    }
    // The lane of one language is not the lane of another.
    for name in ["python2", "ruby", "perl"] {
        let script = script("x", &format!("#!/usr/bin/env {name}\n"), &with());
        assert_eq!(script.class, Class::Blocked, "{name}");
    }
    let lanes = Lanes::from_iter([("ruby", "ruby 3.2"), ("perl", "zeroperl 5.42")]);
    assert_eq!(script("x.rb", "", &lanes).findings[0].note, "ruby 3.2");
    assert_eq!(
        script("x", "#!/usr/bin/perl\n", &lanes).findings[0].note,
        "zeroperl 5.42"
    );
}

#[test]
fn every_binary_has_its_verdict() {
    for (names, class, note) in [
        (&["jq"][..], "ready", "c lane — jq compiles to wasm cleanly"),
        (
            &["ffmpeg"],
            "ready",
            "already a shipped toolkit — depend on it instead of bundling",
        ),
        (&["curl", "wget"], "convertible", DOCK),
        (
            &["git"],
            "convertible",
            "git exists engine-side — call through the engine, not a local binary",
        ),
        (&["npm", "npx", "bun", "node"], "convertible", NPM),
        (&["docker", "podman"], "blocked", CONTAINER),
        (&["sudo", "systemctl", "launchctl"], "blocked", ADMIN),
        (&["osascript", "open", "xdg-open"], "blocked", DESKTOP),
        (&["brew", "apt", "apt-get", "yum"], "blocked", PACKAGES),
    ] {
        for name in names {
            for lanes in [without(), with()] {
                let script = script("x.sh", &format!("echo start\n{name} --flag | {name}\n"), &lanes);
                let findings: Vec<_> = script.findings.iter().map(said).collect();
                assert_eq!(
                    findings,
                    [
                        (Kind::Interpreter, "sh", "ready", SHELL),
                        (Kind::Binary, *name, class, note)
                    ]
                );
            }
        }
    }
}

#[test]
fn pip_waits_for_the_lane() {
    for name in ["pip", "pip3"] {
        let text = format!("{name} install numpy\n");
        let finding = &script("x.sh", &text, &without()).findings[1];
        assert_eq!(said(finding), (Kind::Binary, name, "blocked", "no python lane"));
        let finding = &script("x.sh", &text, &with()).findings[1];
        let note = "cpython 3.12 — carry modules with the toolkit, not install at runtime";
        assert_eq!(said(finding), (Kind::Binary, name, "convertible", note));
    }
    let text = "import json, numpy\nfrom os import path\nfrom yaml import load\n";
    let old = script("calc.py", text, &without());
    assert_eq!(
        said(&old.findings[1]),
        (Kind::Pip, "numpy", "blocked", "no python lane")
    );
    assert_eq!(said(&old.findings[2]), (Kind::Pip, "yaml", "blocked", "no python lane"));
    assert_eq!(old.findings.len(), 3);
    let new = script("calc.py", text, &with());
    let note = "cpython 3.12 — not in its standard library, carry the module with the toolkit";
    assert_eq!(said(&new.findings[1]), (Kind::Pip, "numpy", "convertible", note));
    assert_eq!(new.class, Class::Convertible);
}

#[test]
fn a_specifier_is_convertible() {
    let text = "import fs from 'node:fs';\nconst _ = require('lodash');\nimport x from './x.js';\n";
    let script = script("x.mjs", text, &without());
    let note = "npm lane — resolve + bundle at toolkit build time";
    let findings: Vec<_> = script.findings.iter().map(said).collect();
    assert_eq!(
        findings,
        [
            (Kind::Interpreter, "node", "ready", NODE),
            (Kind::Npm, "node:fs", "convertible", note),
            (Kind::Npm, "lodash", "convertible", note),
        ]
    );
}

#[test]
fn what_the_table_does_not_know_gets_no_finding() {
    let text = "frobnicate --all | sort\n# curl x\n   // docker\n./open\necho curl\n";
    assert_eq!(script("x.sh", text, &without()).findings.len(), 1);
}

#[test]
fn the_worst_finding_is_the_verdict_and_the_summary_counts_scripts() {
    let scripts = [
        ("a.sh", "echo\n"),
        ("b.sh", "curl x\ngit y\n"),
        ("c.sh", "curl x\nsudo y\n"),
        ("d.py", "import numpy\n"),
    ];
    let report = toolkit_audit::audit(&scripts, &without());
    let classes: Vec<_> = report.scripts.iter().map(|script| script.class.word()).collect();
    assert_eq!(classes, ["ready", "convertible", "blocked", "blocked"]);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(
        json["summary"],
        serde_json::json!({"ready": 1, "convertible": 1, "blocked": 2})
    );
    assert_eq!(
        json["scripts"][3],
        serde_json::json!({
            "file": "d.py", "interpreter": "python", "class": "blocked",
            "findings": [
                {"name": "python", "kind": "interpreter", "class": "blocked",
                 "note": "no python lane today — rewrite in a covered lane or split the logic"},
                {"name": "numpy", "kind": "pip", "class": "blocked", "note": "no python lane"}
            ]
        })
    );
}

#[test]
fn a_module_that_is_carried_is_no_dependency() {
    let scripts = [
        ("calc.py", "import helper\nimport lib.x\nimport numpy\n"),
        ("helper.py", ""),
        ("lib/x.py", ""),
    ];
    let report = toolkit_audit::audit(&scripts, &without());
    let names: Vec<_> = report.scripts[0].findings.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["python", "numpy"]);
}

#[test]
fn a_finding_appears_once() {
    let text = "curl a\ncurl b | curl c\n";
    assert_eq!(script("x.sh", text, &without()).findings.len(), 2);
}

#[test]
fn line_ends_of_another_system_hide_nothing() {
    let script = script(
        "x",
        "#!/usr/bin/env python3\r\nimport numpy\r\nfrom yaml import load\r\n",
        &without(),
    );
    let names: Vec<_> = script.findings.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["python3", "numpy", "yaml"]);
}

#[test]
fn bytes_that_are_no_text_are_unknown_and_not_believed() {
    let elf: Vec<u8> = (0..100_000u32).flat_map(|n| n.to_le_bytes()).collect();
    let report = toolkit_audit::audit(&[("tool", &elf)], &without());
    assert_eq!(report.scripts[0].interpreter, "unknown");
    assert_eq!(report.scripts[0].class, Class::Convertible);
}

#[test]
fn a_thousand_packages_are_counted_and_not_all_named() {
    let text: String = (0..1000).map(|n| format!("require('p{n}')\n")).collect();
    let script = script("x.js", &text, &without());
    assert_eq!(script.findings.len(), 1 + 200 + 1);
    assert_eq!(script.findings.last().unwrap().name, "and 800 more");
}

#[test]
fn what_is_too_large_to_read_is_blocked() {
    let text = vec![b'\n'; toolkit_audit::MAX_SCRIPT + 1];
    let report = toolkit_audit::audit(&[("x.sh", text)], &without());
    let finding = &report.scripts[0].findings[0];
    assert_eq!((finding.kind, finding.class), (Kind::File, Class::Blocked));
}

#[test]
fn every_row_that_is_not_ready_has_a_recipe() {
    for row in TABLE {
        for verdict in [Some(&row.verdict), row.with_lane.as_ref()].into_iter().flatten() {
            assert_eq!(verdict.steps.is_empty(), verdict.class == Class::Ready, "{row:?}");
        }
    }
}
