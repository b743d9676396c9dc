//! The examples of the specification, byte for byte.

use crate::program::{Folder, feed, run, wbx};

pub const BROKEN: &str = "\
* Broken workflow :workflow:
** Summarize :component:
#+begin_src js :in events:list :out summary:string
export default (e) => e;
#+end_src
** Orphan task :component:
";

pub const COHERENT: &str = "\
* Report :workflow:
** Fetch :component:
#+begin_src js :out events:list
export default () => [];
#+end_src
** Summarize :component:
#+begin_src js :in events:list :out summary:string
export default (e) => String(e);
#+end_src
";

pub const V1: &str = "\
* Report :workflow:
** Build :component:
#+begin_src rust :out report:string
#+end_src
";

pub const V2: &str = "\
* Report :workflow:
** Build :component:
#+begin_src rust :uses workbook:net/email :out report:json
#+end_src
";

const TWO_DIAGNOSTICS: &str = concat!(
    r#"[{"level":"error","message":"input `events:list` has no upstream producer","scope":"Summarize"},"#,
    r#"{"level":"error","message":"component has no source block / language","scope":"Orphan task"}]"#,
);

const THREE_DIAGNOSTICS: &str = concat!(
    r#"[{"level":"error","message":"export `report:string` removed (breaking)","scope":"Report"},"#,
    r#"{"level":"warn","message":"new capability `workbook:net/email` now required","scope":"Report"},"#,
    r#"{"level":"error","message":"component `Build` output type changed (breaking)","scope":"Report"}]"#,
);

#[test]
fn lint_in_a_pipe_prints_the_bare_array() {
    for (plan, array, exit) in [(BROKEN, TWO_DIAGNOSTICS, 5), (COHERENT, "[]", 0), ("", "[]", 0)] {
        let ended = feed(&mut wbx(&["lint", "-"]), plan.as_bytes());
        assert_eq!((ended.stdout, ended.exit), (format!("{array}\n"), exit));
        assert_eq!(ended.stderr, "");
    }
}

#[test]
fn lint_with_json_wraps_the_same_array() {
    for (plan, array, ok) in [(BROKEN, TWO_DIAGNOSTICS, false), (COHERENT, "[]", true)] {
        let ended = feed(&mut wbx(&["lint", "--json", "-"]), plan.as_bytes());
        let start = format!("{{\"ok\":{ok},\"verb\":\"lint\",\"data\":{array}");
        assert!(ended.stdout.starts_with(&start), "{}", ended.stdout);
    }
}

#[test]
fn lint_gives_the_same_bytes_for_a_plan_with_windows_line_ends_or_a_byte_order_mark() {
    for plan in [BROKEN.replace('\n', "\r\n"), format!("\u{FEFF}{BROKEN}")] {
        let ended = feed(&mut wbx(&["lint", "-"]), plan.as_bytes());
        assert_eq!((ended.stdout, ended.exit), (format!("{TWO_DIAGNOSTICS}\n"), 5));
    }
}

#[test]
fn the_upgrade_demo_gives_exactly_three_diagnostics() {
    let folder = Folder::with(&[("v1.org", V1), ("v2.org", V2)]);
    let ended = run(&mut folder.wbx(&["check-upgrade", "v1.org", "v2.org"]));
    assert_eq!((ended.stdout, ended.exit), (format!("{THREE_DIAGNOSTICS}\n"), 5));
}

#[test]
fn an_upgrade_that_keeps_its_promises_is_an_empty_array() {
    let folder = Folder::with(&[("v1.org", V1)]);
    let ended = run(&mut folder.wbx(&["check-upgrade", "v1.org", "v1.org"]));
    assert_eq!((ended.stdout.as_str(), ended.exit), ("[]\n", 0));
}

#[test]
fn an_upgrade_that_only_asks_for_more_is_a_warning_and_passes() {
    let more = V1.replace(":out", ":uses workbook:net/email :out");
    let folder = Folder::with(&[("v1.org", V1), ("v2.org", &more)]);
    let ended = run(&mut folder.wbx(&["check-upgrade", "v1.org", "v2.org"]));
    let warning = r#"{"level":"warn","message":"new capability `workbook:net/email` now required","scope":"Report"}"#;
    assert_eq!((ended.stdout, ended.exit), (format!("[{warning}]\n"), 0));
}

#[test]
fn the_persist_demo_compiles_to_one_world_with_one_edge() {
    let plan = "\
* Agent :workflow:
** Remember :component:
#+begin_src rust :persist :out memory:json
#+end_src
** Act :component:
#+begin_src js :in memory:json
#+end_src
";
    let expected = concat!(
        r#"{"worlds":[{"name":"Agent","schedule":null,"imports":[],"exports":[],"components":["#,
        r#"{"name":"Remember","lang":"rust","deps":[],"uses":[],"in":[],"out":"memory:json","persist":true,"#,
        r#""src":"","dir":null,"args":{},"key":"Remember","line":2},"#,
        r#"{"name":"Act","lang":"js","deps":[],"uses":[],"in":["memory:json"],"out":null,"persist":false,"#,
        r#""src":"","dir":null,"args":{},"key":"Act","line":5}],"edges":[{"from":"Remember","to":"Act"}],"#,
        r#""waves":[["Remember"],["Act"]],"cycles":[],"workflows":[]}]}"#,
        "\n",
    );
    let ended = feed(&mut wbx(&["tangle", "-"]), plan.as_bytes());
    assert_eq!((ended.stdout.as_str(), ended.exit), (expected, 0));
}
