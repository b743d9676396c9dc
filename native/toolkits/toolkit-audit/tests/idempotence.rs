//! For every manifest and every set of scripts: a second run changes no byte, and what follows the section survives.

use proptest::prelude::*;
use toolkit_audit::section::{BAIT, write};
use toolkit_audit::{Lanes, Report};

/// Lines that mean something to the writer, to Org, or to nobody.
fn line() -> impl Strategy<Value = String> {
    const KNOWN: &[&str] = &[
        "* Demo :toolkit:",
        "* Notes",
        "** TODO dependency audit",
        "** dependency audit (static, auto)",
        "** TODO fix-up plan [0/2]",
        "** DONE fix-up plan [2/2]",
        "** fix-up plan",
        "   nothing to fix — every script is sandbox-ready",
        "   The agent manual: work each item",
        "   :done-when: audit scripts --expect ready",
        "*** a.py — blocked (python)",
        "    - interpreter =python= :: blocked — no python lane today",
        "*** TODO a.py (blocked — python)",
        "*** DONE b.sh (convertible — sh)",
        "*** mine",
        "    - [ ] or split the logic into org tasks with =sh= blocks — =wbx run= works them off in the WASM shell",
        "    - [X] re-run =wbx toolkit audit= — a.py must classify ready",
        "    - [x] re-run =wbx toolkit audit= — b.sh must classify ready",
        "    :done-when: audit scripts/a.py --expect ready",
        ":PROPERTIES:",
        ":END:",
        "   no carried scripts — guidance-only toolkit, nothing to convert",
        "",
        "words",
        "   words",
        "    words",
        "#+begin_src sh",
        "#+end_src",
    ];
    prop_oneof![8 => prop::sample::select(KNOWN).prop_map(str::to_owned), 1 => "[ *:=\\[\\]a-z—]{0,12}"]
}

fn manifest() -> impl Strategy<Value = String> {
    (prop::collection::vec(line(), 0..40), prop::bool::ANY, prop::bool::ANY).prop_map(|(lines, crlf, ends)| {
        let end = if crlf { "\r\n" } else { "\n" };
        lines.join(end) + if ends { end } else { "" }
    })
}

fn report() -> impl Strategy<Value = Report> {
    let name = prop::sample::select(&["a.py", "b.sh", "c", "TODO", "d\n* e", "it's me.js"][..]);
    let text = prop::sample::select(&["", "curl x\n", "sudo y\n", "import numpy\n", "require('z')\n"][..]);
    let lanes = prop::bool::ANY;
    (prop::collection::btree_map(name, text, 0..5), lanes).prop_map(|(scripts, python)| {
        let scripts: Vec<_> = scripts.into_iter().collect();
        toolkit_audit::audit(
            &scripts,
            &Lanes::from_iter(python.then_some(("python", "cpython 3.12"))),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn a_second_run_changes_no_byte(manifest in manifest(), report in report()) {
        let once = write(&manifest, "demo", &report);
        prop_assert_eq!(&write(&once, "demo", &report), &once);
    }

    #[test]
    fn whoever_audits_in_between_the_last_report_decides(manifest in manifest(), first in report(), last in report()) {
        let between = write(&write(&manifest, "demo", &first), "demo", &last);
        prop_assert_eq!(&write(&between, "demo", &last), &between);
    }

    #[test]
    fn text_after_the_section_survives(after in manifest(), first in report(), last in report()) {
        // What begins with a headline of its own level is surely not the section's.
        let after = format!("* After\n{after}");
        let once = write(&format!("* Demo :toolkit:\n{BAIT}{after}"), "demo", &first);
        prop_assert!(once.ends_with(&after));
        let twice = write(&once, "demo", &last);
        prop_assert!(twice.ends_with(&after));
    }

    #[test]
    fn no_text_makes_the_scan_panic(file in ".{0,12}", text in prop::collection::vec(any::<u8>(), 0..400)) {
        let report = toolkit_audit::audit(&[(file, text)], &Lanes::none());
        prop_assert_eq!(report.scripts.len(), 1);
    }
}
