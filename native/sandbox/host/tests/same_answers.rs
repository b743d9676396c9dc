//! The kernel in WebAssembly and the kernel linked natively give the same bytes.

mod guest;

use host::{Answer, Cancel, Export, Kernel};
use oql::wire;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

const FACTS: &str = r#"{"commands":["test","echo"],"capabilities":["vfs","workbook:net/*"]}"#;
const OPTIONS: &str = r#"{"identity":true,"types":"structural","explain":true,"callers":true}"#;
const QUERY: &str = r#"(or (tags "component") (todo "TODO") (property "A" "b"))"#;

/// Every question about `text`, asked both ways.
fn same(kernel: &Kernel, text: &str, other: &str) {
    let natively: [(Export, &[&str], Answer); 10] = [
        (Export::ParseHeadlines, &[text], wire::parse_headlines(text)),
        (Export::Query, &[text, QUERY], wire::query(text, QUERY)),
        (Export::Lint, &[text, FACTS], wire::lint(text, FACTS)),
        (Export::TanglePlan, &[text], wire::tangle_plan(text)),
        (Export::Validate, &[text], wire::validate(text)),
        (
            Export::CheckUpgrade,
            &[text, other, "{}"],
            wire::check_upgrade(text, other, "{}"),
        ),
        (
            Export::CheckUpgrade,
            &[text, other, OPTIONS],
            wire::check_upgrade(text, other, OPTIONS),
        ),
        (Export::Render, &[text], wire::render(text)),
        (Export::Tasks, &[text], wire::tasks(text)),
        (
            Export::SetState,
            &[text, "a", "DONE"],
            wire::set_state(text, "a", "DONE"),
        ),
    ];
    for (export, args, native) in natively {
        let answer = guest::with_stack(|| kernel.call(export, args, &Cancel::default())).expect("an answer");
        assert_eq!(answer, native, "{} of {text:?}", export.name());
    }
}

#[test]
fn on_the_worked_examples_and_on_odd_text() {
    let kernel = guest::kernel();
    let broken = "* Broken workflow :workflow:\n** Summarize :component:\n\
                  #+begin_src js :in events:list :out summary:string\nexport default (e) => e;\n#+end_src\n\
                  ** Orphan task :component:\n";
    let v1 = "* Report :workflow:\n** Build :component:\n#+begin_src rust :out report:string\n#+end_src\n";
    let v2 = v1.replace(":out report:string", ":uses workbook:net/email :out report:json");
    for (text, other) in [
        (broken, ""),
        (v1, v2.as_str()),
        (v2.as_str(), v1),
        ("", ""),
        ("\u{feff}* TODO A [0/1]\r\n** DONE b :x:\r\n", broken),
        ("* a\n:PROPERTIES:\n:A: b\n", "* a\n"),
        ("* \0 🚀\n#+begin_quote\n", "*"),
    ] {
        same(&kernel, text, other);
    }
}

#[test]
fn on_what_people_write_and_on_checks_as_deep_as_they_may_be() {
    let kernel = guest::kernel();
    let people = include_str!("../../../kernel/oql/tests/emacs/people.org");
    same(&kernel, people, people);
    for (open, close) in [
        ("(", ")"),
        ("{ ", "; }"),
        ("echo $(", ")"),
        ("if a; then ", "; fi"),
        ("f() { ", "; }"),
        ("case x in x) ", " ;; esac"),
        ("while a; do ", "; done"),
    ] {
        for levels in [200, 201, 10_000] {
            let check = format!("{}true{}", open.repeat(levels), close.repeat(levels));
            same(&kernel, &format!("* TODO a\n:done-when: {check}\n"), "");
        }
    }
    let expansions = format!("echo {}a{}", "${x:-".repeat(200), "}".repeat(200));
    same(&kernel, &format!("* TODO a\n:done-when: {expansions}\n"), "");
}

#[test]
fn on_generated_plans() {
    let kernel = guest::kernel();
    let config = Config {
        cases: 300,
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&(plan(), plan()), |(text, other)| {
            same(&kernel, &text, &other);
            Ok(())
        })
        .unwrap();
}

/// Lines that mean something in a plan, in any order, with line endings of either kind.
fn plan() -> impl Strategy<Value = String> {
    let title = "[a-cA-C *:é🚀\\[\\]/0-2]{0,8}";
    let line = prop_oneof![
        4 => (1usize..5, "(TODO |DONE |NEXT )?", title, "( :workflow:| :component:| :x:)?")
            .prop_map(|(level, state, title, tags)| format!("{} {state}{title}{tags}", "*".repeat(level))),
        2 => "#\\+begin_src (js|rust|sh)( :in [ab]:(string|list<u8>))?( :out [ab]:(string|record \\{ a: u8 \\}))?( :uses vfs)?( :persist)?( :check)?",
        2 => Just("#+end_src".to_owned()),
        1 => "(:PROPERTIES:|:END:|:A: b|:ID: [a-c]|:WB_ID: [a-c]|:ORDERED: t|:BLOCKER: [a-c])",
        1 => "(SCHEDULED|DEADLINE): <2026-06-1[0-9]( 09:30)?( \\+1d)?>",
        1 => "(:done[-_]when\\+?: (test -[ef] [xy]( && true)?|ls -s x|true|if|`a)|touch x|: > y|:TZ: (UTC|Mars)|:SCHEDULE: @daily)",
        1 => "(\\* COMMENT a|#\\+HEADER: :in a:string|:header-args\\+?: :uses vfs|#\\+PROPERTY: header-args :persist)",
        1 => "(:done-when: (test|ls) -s x|#\\+TODO: [AB] \\| C|#\\+begin_quote|#\\+end_quote)",
        2 => "[ -~é🚀\t]{0,30}",
    ];
    (
        prop::collection::vec(line, 0..25),
        prop_oneof![Just("\n"), Just("\r\n")],
    )
        .prop_map(|(lines, ending)| lines.join(ending))
}
