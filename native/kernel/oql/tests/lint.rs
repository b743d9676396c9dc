//! The wider net, rule by rule: a plan that trips it, and where.

use oql::Facts;

fn facts() -> Facts {
    let names = |list: &[&str]| Some(list.iter().map(|n| (*n).to_owned()).collect());
    Facts {
        commands: names(&["test", "[", ":", "exit", "grep", "true"]),
        capabilities: names(&["vfs", "workbook:fs", "workbook:net/*"]),
    }
}

#[test]
fn a_zone_that_is_none_is_found() {
    let plan = "* W :workflow:\n:PROPERTIES:\n:SCHEDULE: @daily\n:TZ: Mars/Base\n:END:\n";
    let found = oql::lint(plan, &facts()).unwrap();
    let expected = ("WB009", 4, "there is no time zone `Mars/Base`");
    assert_eq!((found[0].code, found[0].line, found[0].message.as_str()), expected);
    assert_eq!(
        oql::lint(&plan.replace("Mars/Base", "Europe/Berlin"), &facts()).unwrap(),
        []
    );
}

macro_rules! lint_table {
    ($($name:ident: $org:expr => [$(($code:expr, $line:expr, $column:expr, $message:expr)),* $(,)?];)*) => {$(
        #[test]
        fn $name() {
            let found: Vec<_> = oql::lint($org, &facts()).unwrap().into_iter()
                .map(|f| (f.code, f.line, f.column, f.message)).collect();
            let want: Vec<(&str, usize, usize, String)> = vec![$(($code, $line, $column, $message.into())),*];
            assert_eq!(found, want);
        }
    )*};
}

lint_table! {
    a_clean_plan_has_no_findings:
        "* W :workflow:\n** A :component:\n#+begin_src js :uses workbook:net/email :out x:t\n#+end_src\n* TODO t\n:done-when: test -s a\n" => [];
    wb001_points_at_the_title: "* W :workflow:\n** A :component:\n"
        => [("WB001", 2, 4, "component has no source block / language")];
    wb001_points_at_a_block_without_language: "* W :workflow:\n** A :component:\n\n#+begin_src\n#+end_src\n"
        => [("WB001", 4, 1, "component has no source block / language")];
    wb002_points_at_the_input: "* W :workflow:\n** A :component:\n#+begin_src js :in x:t\n#+end_src\n"
        => [("WB002", 3, 20, "input `x:t` has no upstream producer")];
    wb003_two_workflows_share_a_title: "* W :workflow:\n* W :workflow:\n"
        => [("WB003", 2, 3, "two workflows are called `W`; the first is on line 1")];
    wb004_one_value_has_two_producers:
        "* W :workflow:\n** A :component:\n#+begin_src js :out x:t\n#+end_src\n** B :component:\n#+begin_src js :out x:t\n#+end_src\n"
        => [("WB004", 6, 21, "`x:t` is also produced by `A`")];
    wb005_sibling_tasks_share_a_title: "* P\n** TODO a\n** TODO a\n* Q\n** TODO a\n"
        => [("WB005", 3, 9, "two sibling tasks are called `a`; the first is on line 2")];
    wb006_unknown_capability:
        "* W :workflow:\n** A :component:\n#+begin_src js :uses vfs, workbook:net/, teleport\n#+end_src\n"
        => [
            ("WB006", 3, 27, "unknown capability `workbook:net/`"),
            ("WB006", 3, 42, "unknown capability `teleport`"),
        ];
    wb007_a_check_names_a_command_the_shell_lacks: "* TODO a\n:done-when: test -s a && curl b\n"
        => [("WB007", 2, 26, "the check names `curl`, which the shell does not carry")];
    wb007_looks_into_check_blocks: "* TODO a\n#+begin_src sh :check\ntrue\n  wget x\n#+end_src\n"
        => [("WB007", 4, 3, "the check names `wget`, which the shell does not carry")];
    wb008_the_data_edges_form_a_cycle:
        "* W :workflow:\n** A :component:\n#+begin_src js :in y:t :out x:t\n#+end_src\n** B :component:\n#+begin_src js :in x:t :out y:t\n#+end_src\n"
        => [("WB008", 3, 20, "the data edges form a cycle: `A` -> `B` -> `A`")];
    wb009_a_timestamp_that_is_no_date: "* W :workflow:\nSCHEDULED: <2026-02-31 Tue>\n"
        => [("WB009", 2, 1, "the SCHEDULED timestamp cannot be read")];
    wb009_a_repeater_that_is_none: "* W :workflow:\nSCHEDULED: <2026-02-28 Sat +0d>\n"
        => [("WB009", 2, 1, "the repeater `+0d` cannot be read")];
    wb009_a_repeater_of_a_mere_task_is_no_schedule: "* TODO W\nSCHEDULED: <2026-02-28 Sat +0d>\n" => [];
    wb009_an_unknown_way_to_catch_up: "* W :workflow:\n:PROPERTIES:\n:SCHEDULE: @daily\n:CATCHUP: never\n:END:\n"
        => [("WB009", 4, 11, "`never` is no way to catch up")];
    wb009_an_unknown_zone: "* W :workflow:\n:PROPERTIES:\n:SCHEDULE: @daily\n:TZ: Mars/Base\n:END:\n"
        => [("WB009", 4, 6, "there is no time zone `Mars/Base`")];
    wb009_a_zone_in_another_spelling: "* W :workflow:\n:SCHEDULE: @daily\n:TZ: europe/berlin\n"
        => [("WB009", 3, 6, "there is no time zone `europe/berlin`")];
    wb009_a_zone_of_what_is_not_scheduled_is_nobodys: "* W :workflow:\n:TZ: Mars/Base\n" => [];
    wb014_a_bare_true: "* TODO a\n:done-when: true\n" => [("WB014", 2, 13, "the check passes whatever was done")];
    wb014_exit_and_colon: "* TODO a\n#+begin_src sh :check\n  : && exit 0\n#+end_src\n"
        => [("WB014", 3, 3, "the check passes whatever was done")];
    wb014_whatever_or_true: "* TODO a\n:done-when: grep -q x f || true\n"
        => [("WB014", 2, 13, "the check passes whatever was done")];
    wb014_true_beside_something_is_something: "* TODO a\n:done-when: true && grep -q x f\n" => [];
    wb014_a_negated_true_is_no_pass: "* TODO a\n:done-when: ! true\n" => [];
    wb015_a_file_that_the_task_touches:
        "* TODO a\n:done-when: test -e out.txt\n#+begin_src sh\ntouch ./out.txt\n#+end_src\n"
        => [("WB015", 2, 13, "the check looks for `out.txt`, which the task itself creates empty")];
    wb015_an_empty_redirection_in_a_task_below:
        "* TODO P\n:done-when: [ -f x ]\n** TODO a\n#+begin_src sh\n  : > x\n#+end_src\n"
        => [("WB015", 2, 13, "the check looks for `x`, which the task itself creates empty")];
    wb015_a_file_with_something_in_it_is_something:
        "* TODO a\n:done-when: test -e x\n#+begin_src sh\necho hi > x\n#+end_src\n" => [];
    wb015_a_test_of_content_is_something:
        "* TODO a\n:done-when: test -s x\n#+begin_src sh\ntouch x\n#+end_src\n" => [];
    wb015_one_file_of_two: "* TODO a\n:done-when: test -e x && test -e y\n#+begin_src sh\ntouch x\n#+end_src\n" => [];
    wb010_done_rests_on_unfinished_children: "* DONE P\n** DONE a\n** TODO b\n"
        => [("WB010", 1, 3, "DONE rests on `b`, which is TODO (line 3)")];
    wb010_a_cancelled_child_counts_as_done: "* DONE P\n** CANCELLED a\n" => [];
    wb011_a_blocker_names_no_task: "* TODO a\n:BLOCKER: b nowhere\n* TODO b\n"
        => [("WB011", 2, 13, "`:BLOCKER:` names `nowhere`, and no task has that id")];
    wb011_depends_counts_too: "* TODO a\n:PROPERTIES:\n:DEPENDS: x\n:END:\n"
        => [("WB011", 3, 11, "`:DEPENDS:` names `x`, and no task has that id")];
    columns_count_characters: "* W :workflow:\n** \u{1F680} :component:\n#+begin_src js :in \u{E9}\u{E9}:t,x:t\n#+end_src\n"
        => [
            ("WB002", 3, 20, "input `\u{E9}\u{E9}:t` has no upstream producer"),
            ("WB002", 3, 25, "input `x:t` has no upstream producer"),
        ];
}

#[test]
fn wb009_an_unreadable_cron_line_points_at_its_value() {
    let found = oql::lint("* W :workflow:\n:PROPERTIES:\n:SCHEDULE: 61 * * * *\n:END:\n", &facts()).unwrap();
    assert_eq!((found[0].code, found[0].line, found[0].column), ("WB009", 3, 12));
}

#[test]
fn wb012_a_check_with_a_syntax_error_points_into_the_script() {
    let found = oql::lint("* TODO a\n:done-when: test -s 'a\n", &facts()).unwrap();
    assert_eq!((found[0].code, found[0].line), ("WB012", 2));
}

#[test]
fn rules_whose_facts_are_absent_are_off() {
    let org =
        "* W :workflow:\n** A :component:\n#+begin_src js :uses teleport\n#+end_src\n* TODO a\n:done-when: curl x\n";
    assert_eq!(oql::lint(org, &Facts::default()).unwrap(), []);
}

#[test]
fn validates_findings_come_first() {
    let org = "* DONE P\n** TODO a\n* W :workflow:\n** A :component:\n";
    let codes: Vec<_> = oql::lint(org, &facts()).unwrap().iter().map(|f| f.code).collect();
    assert_eq!(codes, ["WB001", "WB010"]);
}

#[test]
fn a_megabyte_of_inputs_on_one_line_is_answered() {
    let inputs = "x:t,".repeat(250_000);
    let org = format!("* W :workflow:\n** A :component:\n#+begin_src js :in {inputs}\n#+end_src\n");
    assert_eq!(oql::lint(&org, &facts()).unwrap().len(), 250_000);
}
