//! The worked examples of the specification, byte for byte.

use oql::wire;

const BROKEN: &str = "\
* Broken workflow :workflow:
** Summarize :component:
#+begin_src js :in events:list :out summary:string
export default (e) => e;
#+end_src
** Orphan task :component:
";

const REPORT_V1: &str = "\
* Report :workflow:
** Build :component:
#+begin_src rust :out report:string
#+end_src
";

const REPORT_V2: &str = "\
* Report :workflow:
** Build :component:
#+begin_src rust :uses workbook:net/email :out report:json
#+end_src
";

const AGENT: &str = "\
* Agent :workflow:
** Remember :component:
#+begin_src rust :persist :out memory:json
#+end_src
** Act :component:
#+begin_src js :in memory:json
#+end_src
";

#[test]
fn a_broken_plan_is_refused_with_two_diagnostics() {
    let want = r#"[{"level":"error","message":"input `events:list` has no upstream producer","scope":"Summarize"},{"level":"error","message":"component has no source block / language","scope":"Orphan task"}]"#;
    assert_eq!(wire::validate(BROKEN).unwrap(), want);
}

#[test]
fn the_upgrade_demo_gives_exactly_three_diagnostics() {
    let want = concat!(
        r#"[{"level":"error","message":"export `report:string` removed (breaking)","scope":"Report"},"#,
        r#"{"level":"warn","message":"new capability `workbook:net/email` now required","scope":"Report"},"#,
        r#"{"level":"error","message":"component `Build` output type changed (breaking)","scope":"Report"}]"#
    );
    assert_eq!(wire::check_upgrade(REPORT_V1, REPORT_V2, "{}").unwrap(), want);
}

#[test]
fn the_persist_demo_compiles_to_one_world() {
    let want = concat!(
        r#"{"worlds":[{"name":"Agent","schedule":null,"imports":[],"exports":[],"components":["#,
        r#"{"name":"Remember","lang":"rust","deps":[],"uses":[],"in":[],"out":"memory:json","persist":true,"src":"","dir":null,"args":{},"key":"Remember","line":2},"#,
        r#"{"name":"Act","lang":"js","deps":[],"uses":[],"in":["memory:json"],"out":null,"persist":false,"src":"","dir":null,"args":{},"key":"Act","line":5}],"#,
        r#""edges":[{"from":"Remember","to":"Act"}],"waves":[["Remember"],["Act"]],"cycles":[],"workflows":[]}]}"#
    );
    assert_eq!(wire::tangle_plan(AGENT).unwrap(), want);
}

#[test]
fn an_error_is_json_with_code_message_and_hint() {
    let too_long = " ".repeat(oql::MAX_TEXT + 1);
    let want = r#"{"code":"too_large","message":"the text has 16777217 bytes, the limit is 16777216","hint":"split the plan into several files"}"#;
    assert_eq!(wire::validate(&too_long).unwrap_err(), want);
}

#[test]
fn facts_and_options_that_cannot_be_read_are_errors() {
    for json in ["", "[]", "{\"typo\":true}", "{\"types\":\"loose\"}"] {
        let error = wire::check_upgrade("", "", json).unwrap_err();
        assert!(error.starts_with(r#"{"code":"bad_option""#), "{json}: {error}");
    }
    assert!(wire::lint("", "{\"commands\":1}").is_err());
}
