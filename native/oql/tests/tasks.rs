//! The outline as the runner sees it.

use oql::{Check, Task};

fn one(org: &str) -> Task {
    oql::tasks(org).unwrap().remove(0)
}

#[test]
fn a_task_carries_everything_the_runner_needs() {
    let org = "\
* Research
** TODO Gather prices :web:
SCHEDULED: <2026-06-11 Thu>
:PROPERTIES:
:ORDERED: t
:END:
- Save the page.
  :done-when: test -s scratch/prices.html
";
    let tasks = oql::tasks(org).unwrap();
    assert_eq!(
        tasks[1],
        Task {
            id: "gather-prices".into(),
            path: vec!["Research".into(), "Gather prices".into()],
            level: 2,
            title: "Gather prices".into(),
            state: Some("TODO".into()),
            parent: Some("research".into()),
            ordered: true,
            done_when: Some("test -s scratch/prices.html".into()),
            check: None,
            body: "- Save the page.\n  :done-when: test -s scratch/prices.html\n".into(),
            props: [("ORDERED", "t"), ("DONE-WHEN", "test -s scratch/prices.html")]
                .map(|(k, v)| (k.to_owned(), v.to_owned()))
                .into(),
            line: 2,
        }
    );
}

#[test]
fn the_check_is_the_first_source_block_that_says_so() {
    let org = "* a\n#+begin_src sh\nno\n#+end_src\n#+begin_src sh :check\ntest -s a\n#+end_src\n#+begin_src sh :check\nlater\n#+end_src\n";
    let want = Check {
        lang: "sh".into(),
        body: "test -s a\n".into(),
    };
    assert_eq!(one(org).check, Some(want));
}

#[test]
fn a_check_reaches_the_shell_without_carriage_returns() {
    let check = one("* a\r\n#+begin_src sh :check\r\ntest -s a\r\n#+end_src\r\n")
        .check
        .unwrap();
    assert_eq!(check.body, "test -s a\n");
}

#[test]
fn a_check_without_a_language_is_still_a_check() {
    let check = one("* a\n#+begin_src :check\ntrue\n#+end_src\n").check.unwrap();
    assert_eq!(check.lang, "");
}

#[test]
fn done_when_is_known_in_both_spellings_and_the_drawer_wins() {
    for (org, want) in [
        ("* a\n:done-when: x\n", Some("x")),
        ("* a\n:done_when: x\n", Some("x")),
        ("* a\n:DONE-WHEN: x\n", Some("x")),
        (
            "* a\n:PROPERTIES:\n:done_when: drawer\n:END:\n:done-when: bare\n",
            Some("drawer"),
        ),
        ("* a\n:PROPERTIES:\n:done-when:\n:END:\n", Some("")),
        ("* a\n:done-when:\n", Some("")),
        ("* a\n#+begin_src sh\n:done-when: x\n#+end_src\n", None),
        ("* a\nprose :done-when: x\n", None),
    ] {
        assert_eq!(one(org).done_when.as_deref(), want, "{org:?}");
    }
}

#[test]
fn ordered_is_t_true_or_yes() {
    for (value, want) in [
        ("t", true),
        ("true", true),
        ("YES", true),
        ("nil", false),
        ("no", false),
    ] {
        assert_eq!(one(&format!("* a\n:ORDERED: {value}\n")).ordered, want, "{value}");
    }
}

#[test]
fn working_off_the_children_does_not_rename_the_parent() {
    let before = oql::tasks("* TODO Ship [0/1]\n** TODO a\n").unwrap();
    let after = oql::tasks("* DONE Ship [1/1]\n** DONE a\n").unwrap();
    assert_eq!((before[0].id.as_str(), after[0].id.as_str()), ("ship", "ship"));
}

#[test]
fn a_hundred_thousand_tasks_of_one_title_have_ids_of_their_own() {
    let tasks = oql::tasks(&"* TODO same\n".repeat(100_000)).unwrap();
    assert_eq!(tasks[99_999].id, "same-100000");
}

#[test]
fn paths_that_would_not_fit_are_an_error() {
    let mut org: String = (1..=900)
        .map(|n| format!("{} {}\n", "*".repeat(n), "long title ".repeat(40)))
        .collect();
    org.push_str(&format!("{} x\n", "*".repeat(901)).repeat(1_000));
    assert_eq!(oql::tasks(&org).unwrap_err().code, oql::Code::TooComplex);
}
