//! The upgrade gate, rule by rule.

use oql::{Level, Types, UpgradeOptions};

const V1: &str =
    "* Report :workflow:\n** Build :component:\n#+begin_src rust :uses workbook:fs :out report:string\n#+end_src\n";

type Found = Vec<(Level, String, String)>;

fn check(old: &str, new: &str, opts: &UpgradeOptions) -> Found {
    let list = oql::check_upgrade(old, new, opts).unwrap();
    list.into_iter().map(|d| (d.level, d.scope, d.message)).collect()
}

fn component(name: &str, args: &str) -> String {
    format!("** {name} :component:\n#+begin_src js {args}\n#+end_src\n")
}

fn err(scope: &str, message: &str) -> (Level, String, String) {
    (Level::Error, scope.into(), message.into())
}

fn warn(scope: &str, message: &str) -> (Level, String, String) {
    (Level::Warn, scope.into(), message.into())
}

macro_rules! check_upgrade_table {
    ($($name:ident: $old:expr, $new:expr => [$($want:expr),* $(,)?];)*) => {$(
        #[test]
        fn $name() {
            let want: Found = vec![$($want),*];
            assert_eq!(check(&$old, &$new, &UpgradeOptions::default()), want);
        }
    )*};
}

check_upgrade_table! {
    the_same_plan_is_safe: V1, V1 => [];
    an_added_export_is_safe: V1, V1.to_owned() + &component("More", ":out more:string") => [];
    an_added_workflow_is_safe: V1, V1.replace("Report", "Other") + V1 => [];
    a_dropped_import_is_safe: V1, V1.replace(":uses workbook:fs ", "") => [];
    a_new_import_is_a_warning: V1, V1.replace("workbook:fs", "workbook:fs, workbook:llm")
        => [warn("Report", "new capability `workbook:llm` now required")];
    a_removed_workflow_breaks: V1, "" => [err("Report", "workflow removed (breaking)")];
    a_renamed_workflow_is_a_removed_one: V1, V1.replace("Report", "Summary") => [err("Report", "workflow removed (breaking)")];
    a_removed_export_breaks: V1, "* Report :workflow:\n" => [err("Report", "export `report:string` removed (breaking)")];
    a_renamed_component_that_keeps_its_export_is_safe: V1, V1.replace("Build", "Make") => [];
    an_output_taken_away_breaks_twice: V1, V1.replace(":out report:string", "")
        => [
            err("Report", "export `report:string` removed (breaking)"),
            err("Report", "component `Build` output type changed (breaking)"),
        ];
    consuming_an_export_inside_takes_it_away: V1, V1.to_owned() + &component("Mail", ":in report:string")
        => [err("Report", "export `report:string` removed (breaking)")];
    an_internal_output_was_never_promised:
        "* W :workflow:\n".to_owned() + &component("A", ":out x:t") + &component("B", ":in x:t"),
        "* W :workflow:\n" => [];
    body_language_deps_schedule_and_wiring_are_invisible:
        V1, "* Report :workflow:\n:PROPERTIES:\n:SCHEDULE: 0 9 * * *\n:END:\n** Build :component:\n#+begin_src go :deps a,b :uses workbook:fs :out report:string\nnew\n#+end_src\n"
        => [];
    workflows_come_in_title_order: V1.replace("Report", "Zeta") + &V1.replace("Report", "Alpha"), ""
        => [err("Alpha", "workflow removed (breaking)"), err("Zeta", "workflow removed (breaking)")];
    of_two_workflows_with_one_title_the_last_wins: V1.to_owned() + "* Report :workflow:\n", "* Report :workflow:\n" => [];
    a_component_consuming_its_own_output_still_exports_it:
        "* W :workflow:\n".to_owned() + &component("A", ":in x:t :out x:t"), "* W :workflow:\n"
        => [err("W", "export `x:t` removed (breaking)")];
    pruning_a_nested_workflow_breaks_the_parent_too:
        "* W :workflow:\n** N :workflow:\n*** A :component:\n#+begin_src js :out x:t\n#+end_src\n", "* W :workflow:\n"
        => [
            err("N", "workflow removed (breaking)"),
            err("W", "export `x:t` removed (breaking)"),
        ];
    the_parent_answers_for_the_demands_of_its_nested_workflows:
        "* W :workflow:\n", "* W :workflow:\n** N :workflow:\n*** A :component:\n#+begin_src js :uses net\n#+end_src\n"
        => [warn("W", "new capability `net` now required")];
    a_statistics_cookie_is_no_part_of_the_title: V1.replace("Report", "Report [0/1]"), V1.replace("Report", "Report [1/1]") => [];
}

fn with_id(title: &str, id: &str) -> String {
    V1.replace("Report", title)
        .replacen('\n', &format!("\n:PROPERTIES:\n:WB_ID: {id}\n:END:\n"), 1)
}

#[test]
fn an_id_makes_a_rename_a_rename() {
    let identity = UpgradeOptions {
        identity: true,
        ..Default::default()
    };
    let (old, new) = (with_id("Report", "r1"), with_id("Summary", "r1"));
    assert_eq!(check(&old, &new, &identity), []);
    assert_eq!(
        check(&old, &new, &UpgradeOptions::default()),
        [err("Report", "workflow removed (breaking)")]
    );
}

#[test]
fn another_id_is_another_workflow_whatever_its_title() {
    let identity = UpgradeOptions {
        identity: true,
        ..Default::default()
    };
    let found = check(&with_id("Report", "r1"), &with_id("Report", "r2"), &identity);
    assert_eq!(found, [err("Report", "workflow removed (breaking)")]);
}

#[test]
fn giving_a_workflow_its_first_id_breaks_nothing() {
    let identity = UpgradeOptions {
        identity: true,
        ..Default::default()
    };
    assert_eq!(check(V1, &with_id("Report", "r1"), &identity), []);
}

#[test]
fn structural_types_let_a_record_grow_and_not_shrink() {
    let structural = UpgradeOptions {
        types: Types::Structural,
        ..Default::default()
    };
    let narrow = V1.replace("report:string", "report:record { a: string }");
    let wide = V1.replace("report:string", "report:record { a: string, b: u32 }");
    assert_eq!(check(&narrow, &wide, &structural), []);
    let broken = [
        err(
            "Report",
            "export `report:record { a: string, b: u32 }` removed (breaking)",
        ),
        err("Report", "component `Build` output type changed (breaking)"),
    ];
    assert_eq!(check(&wide, &narrow, &structural), broken);
}

#[test]
fn types_that_cannot_be_read_are_compared_as_strings() {
    let structural = UpgradeOptions {
        types: Types::Structural,
        ..Default::default()
    };
    let odd = V1.replace("report:string", "report:record {");
    assert_eq!(check(&odd, &odd, &structural), []);
    assert_eq!(check(&odd, &odd.replace("record {", "record {{"), &structural).len(), 2);
}

#[test]
fn an_explanation_names_the_lines_and_a_witness() {
    let explain = UpgradeOptions {
        explain: true,
        ..Default::default()
    };
    let found = oql::check_upgrade(V1, &V1.replace("report:string", "report:json"), &explain).unwrap();
    let export = found[0].explain.as_ref().unwrap();
    assert_eq!((export.old_line, export.new_line), (Some(3), Some(3)));
    assert_eq!(
        export.witness,
        "a component with `:in report:string` has no upstream producer"
    );
    let output = found[1].explain.as_ref().unwrap();
    assert_eq!(
        output.witness,
        "a consumer that reads `report:string` from `Build` is given `report:json`"
    );
}

fn callers(old: &str, new: &str) -> Vec<(Option<&'static str>, String, String)> {
    let opts = UpgradeOptions {
        callers: true,
        ..Default::default()
    };
    let list = oql::check_upgrade(old, new, &opts).unwrap();
    list.into_iter().map(|d| (d.code, d.scope, d.message)).collect()
}

fn found(code: &'static str, scope: &str, message: &str) -> (Option<&'static str>, String, String) {
    (Some(code), scope.into(), message.into())
}

macro_rules! callers_table {
    ($($name:ident: $old:expr, $new:expr => [$($want:expr),* $(,)?];)*) => {$(
        #[test]
        fn $name() {
            let want: Vec<(Option<&'static str>, String, String)> = vec![$($want),*];
            assert_eq!(callers(&$old, &$new), want);
        }
    )*};
}

/// A workflow at any depth with one component.
fn workflow(stars: &str, title: &str, args: &str) -> String {
    format!("{stars} {title} :workflow:\n{stars}* Build :component:\n#+begin_src js {args}\n#+end_src\n")
}

const REPORT: &str = "* Report :workflow:\n** Build :component:\n#+begin_src js :out report:string\n#+end_src\n";

callers_table! {
    callers_of_the_same_plan_get_the_same: V1, V1 => [];
    a_nested_namesake_does_not_stand_in_for_a_removed_export:
        REPORT, "* Report :workflow:\n** Report :workflow:\n".to_owned() + &workflow("**", "Other", "") + &workflow("***", "Report", ":out report:string")
            + "* Report :workflow:\n"
        => [
            found("export_removed", "Report", "export `report:string` removed (breaking)"),
            found("workflow_choice_needed", "Report", "a caller that names no workflow must now choose one of 2 (breaking)"),
        ];
    a_namesake_inside_another_workflow_does_not_stand_in_either:
        REPORT, "* Report :workflow:\n* Outer :workflow:\n".to_owned() + &workflow("**", "Report", ":out report:string")
        => [
            found("workflow_choice_needed", "Report", "a caller that names no workflow must now choose one of 2 (breaking)"),
            found("export_removed", "Report", "export `report:string` removed (breaking)"),
        ];
    a_workflow_that_moved_into_another_is_gone_for_callers:
        REPORT, "* Outer :workflow:\n".to_owned() + &workflow("**", "Report", ":out report:string")
        => [found("workflow_removed", "Report", "workflow removed (breaking)")];
    a_second_value_of_one_name_moves_the_keys:
        REPORT, REPORT.to_owned() + &component("More", ":out report:json")
        => [found("result_key_moved", "Report", "result key `report` is now `report:string` (breaking)")];
    a_value_of_another_name_moves_nothing:
        REPORT, REPORT.to_owned() + &component("More", ":out more:json") => [];
    a_value_that_loses_its_namesake_moves_back:
        REPORT.to_owned() + &component("More", ":out report:json"), REPORT
        => [
            found("export_removed", "Report", "export `report:json` removed (breaking)"),
            found("result_key_moved", "Report", "result key `report:string` is now `report` (breaking)"),
        ];
    a_namesake_that_is_consumed_inside_moves_nothing:
        REPORT, REPORT.to_owned() + &component("More", ":out report:json") + &component("Eat", ":in report:json") => [];
    a_namesake_in_a_nested_workflow_moves_the_keys_of_the_whole:
        REPORT, REPORT.to_owned() + &workflow("**", "Inner", ":out report:json").replace("Build", "Make")
        => [found("result_key_moved", "Report", "result key `report` is now `report:string` (breaking)")];
    a_second_workflow_makes_callers_choose:
        REPORT, REPORT.to_owned() + &workflow("*", "Other", ":out x:string")
        => [found("workflow_choice_needed", "Report", "a caller that names no workflow must now choose one of 2 (breaking)")];
    callers_who_had_to_choose_already_still_do:
        REPORT.to_owned() + &workflow("*", "Other", ":out x:string"),
        REPORT.to_owned() + &workflow("*", "Other", ":out x:string") + &workflow("*", "Third", ":out x:string")
        => [];
    a_nested_result_that_moves_is_gone_where_it_was:
        "* A :workflow:\n".to_owned() + &workflow("**", "N", ":out x:t") + "* B :workflow:\n",
        "* A :workflow:\n* B :workflow:\n".to_owned() + &workflow("**", "N", ":out x:t")
        => [
            found("export_removed", "A", "export `x:t` removed (breaking)"),
            found("workflow_removed", "N", "workflow removed (breaking)"),
        ];
    a_new_capability_of_the_outer_workflow_is_seen_behind_its_namesake:
        REPORT, REPORT.replace(":out", ":uses net :out") + "** Report :workflow:\n*** Build :component:\n#+begin_src js :out report:string\n#+end_src\n"
        => [found("capability_required", "Report", "new capability `net` now required")];
}

#[test]
fn the_plain_answers_have_three_keys_and_explained_ones_name_the_capability() {
    let new = V1.replace("workbook:fs", "workbook:fs, workbook:llm");
    let plain = oql::wire::check_upgrade(V1, &new, "{}").unwrap();
    assert_eq!(
        plain,
        r#"[{"level":"warn","message":"new capability `workbook:llm` now required","scope":"Report"}]"#
    );
    let explained = oql::wire::check_upgrade(V1, &new, r#"{"explain":true}"#).unwrap();
    assert!(explained.contains(r#""code":"capability_required","capability":"workbook:llm","explain":{"#));
}
