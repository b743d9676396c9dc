//! The outline as the runner sees it.

use oql::{Check, Task, TaskKind};

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
            done: false,
            kind: TaskKind::Leaf,
            parent: Some("research".into()),
            ordered: true,
            blockers: vec![],
            done_when: Some("test -s scratch/prices.html".into()),
            check: None,
            check_error: None,
            script: None,
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

#[test]
fn a_row_says_what_the_runner_makes_of_it() {
    let org = "\
#+TODO: OPEN | SHIPPED
* Week
** OPEN Ship [0/2]
*** SHIPPED Build [1/1]
**** Notes
*** CANCELLED Sell
** Ideas
";
    let rows: Vec<_> = oql::tasks(org)
        .unwrap()
        .into_iter()
        .map(|t| (t.title, t.state, t.done, t.kind))
        .collect();
    let row = |title: &str, state: Option<&str>, done, kind| (title.to_owned(), state.map(String::from), done, kind);
    assert_eq!(
        rows,
        [
            row("Week", None, false, TaskKind::Structure),
            row("Ship", Some("OPEN"), false, TaskKind::Composite),
            row("Build", Some("SHIPPED"), true, TaskKind::Leaf),
            row("Notes", None, false, TaskKind::Part),
            // Not a keyword of this plan, so it is a word of the title.
            row("CANCELLED Sell", None, false, TaskKind::Structure),
            row("Ideas", None, false, TaskKind::Structure),
        ]
    );
    assert_eq!(oql::tasks(org).unwrap()[3].path, ["Week", "Ship", "Build", "Notes"]);
}

#[test]
fn blockers_are_ids_in_order_and_a_part_stands_for_its_leaf() {
    let org = "\
* TODO A
** Notes
:ID: notes
* TODO B
:BLOCKER: notes, nobody
:BLOCKER+: a
:DEPENDS: week nobody
* Week
";
    assert_eq!(oql::tasks(org).unwrap()[2].blockers, ["a", "nobody", "week"]);
}

#[test]
fn lines_that_add_to_done_when_are_joined_whichever_comes_first() {
    for org in [
        "* a\n:done-when: true\n:done-when+: && false\n",
        "* a\n:done-when+: && false\n:done_when: true\n",
        "* a\n:PROPERTIES:\n:DONE_WHEN+: && false\n:END:\n- text\n  :done-when: true\n",
        "* a\n:PROPERTIES:\n:done-when: true\n:END:\n:done-when+: && false\n",
    ] {
        let task = one(org);
        assert_eq!(task.done_when.as_deref(), Some("true && false"), "{org:?}");
        assert_eq!(task.check_error, None, "{org:?}");
    }
}

#[test]
fn two_checks_are_an_error_of_the_plan_wherever_they_stand() {
    for (org, line) in [
        ("* a\n:done-when: true\n:done-when: false\n", 3),
        ("* a\n:done-when: true\ntext\n:done_when:\n", 4),
        ("* a\n:PROPERTIES:\n:done-when: true\n:done-when: true\n:END:\n", 4),
        ("* a\n:PROPERTIES:\n:done_when: true\n:END:\n:done-when: true\n", 5),
    ] {
        let task = one(org);
        assert_eq!(
            task.check_error.as_deref(),
            Some("the task has two `:done-when:` lines, and only one can decide"),
            "{org:?}"
        );
        let found = oql::lint(org, &Default::default()).unwrap();
        let found: Vec<_> = found.iter().filter(|f| f.code == "WB013").map(|f| f.line).collect();
        assert_eq!(found, [line], "{org:?}");
    }
}

#[test]
fn the_script_is_the_first_shell_block_that_is_no_check() {
    for (body, want) in [
        ("#+begin_src sh\necho hi\n#+end_src\n", Some("echo hi\n")),
        ("#+begin_src sh :check\ntrue\n#+end_src\n", None),
        ("#+begin_src sh :check no\nx\n#+end_src\n", Some("x\n")),
        (
            "#+begin_src js\n1\n#+end_src\n#+BEGIN_SRC Bash\nx\n#+END_SRC\n",
            Some("x\n"),
        ),
        ("#+begin_src shells\nx\n#+end_src\n", None),
        ("#+begin_src sh\nnever closed\n", None),
        ("#+begin_quote\n#+begin_src sh\nx\n#+end_src\n#+end_quote\n", None),
        ("  #+begin_src sh\n  ,* x\r\n    y\n  #+end_src\n", Some("* x\n  y\n")),
    ] {
        assert_eq!(one(&format!("* a\n{body}")).script.as_deref(), want, "{body:?}");
    }
}

#[test]
fn a_comment_subtree_is_not_live_anywhere() {
    let org = "\
* COMMENT Old :workflow:
** TODO Broken :component:
:done-when: if
#+begin_src js :in nothing:list
#+end_src
* TODO Live
";
    let titles = |tasks: Vec<Task>| tasks.into_iter().map(|t| t.title).collect::<Vec<_>>();
    assert_eq!(titles(oql::tasks(org).unwrap()), ["Live"]);
    assert_eq!(oql::validate(org).unwrap(), []);
    assert_eq!(oql::lint(org, &Default::default()).unwrap(), []);
    assert_eq!(oql::tangle_plan(org).unwrap().worlds, []);
    assert_eq!(oql::query(org, "(todo)").unwrap().len(), 1);
    assert_eq!(oql::parse_headlines(org).unwrap().len(), 1);
    assert_eq!(oql::blocks(org).unwrap(), []);
    assert!(!oql::render(org).unwrap().contains("Broken"));
    let error = oql::set_state(org, "broken", "DONE").unwrap_err();
    assert_eq!(error.code, oql::Code::UnknownTask);
}
