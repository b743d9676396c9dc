//! Rung 1, rule by rule.

fn found(org: &str) -> Vec<(String, String)> {
    let list = oql::validate(org).unwrap();
    list.into_iter().map(|d| (d.scope, d.message)).collect()
}

macro_rules! validate_table {
    ($($name:ident: $org:expr => [$(($scope:expr, $message:expr)),* $(,)?];)*) => {$(
        #[test]
        fn $name() {
            let want: Vec<(String, String)> = vec![$(($scope.into(), $message.into())),*];
            assert_eq!(found($org), want);
        }
    )*};
}

const NO_SOURCE: &str = "component has no source block / language";

validate_table! {
    an_empty_text_coheres: "" => [];
    text_outside_a_workflow_is_ignored: "* A :component:\n* B\n** C :component:\n" => [];
    a_component_needs_a_source_block: "* W :workflow:\n** A :component:\n" => [("A", NO_SOURCE)];
    a_source_block_needs_a_language:
        "* W :workflow:\n** A :component:\n#+begin_src\n#+end_src\n" => [("A", NO_SOURCE)];
    an_unclosed_block_is_no_source:
        "* W :workflow:\n** A :component:\n#+begin_src js\n" => [("A", NO_SOURCE)];
    a_childs_block_is_not_the_parents:
        "* W :workflow:\n** A :component:\n*** note\n#+begin_src js\n#+end_src\n" => [("A", NO_SOURCE)];
    a_block_in_an_example_is_not_a_source:
        "* W :workflow:\n** A :component:\n#+begin_example\n#+begin_src js\n#+end_src\n#+end_example\n"
        => [("A", NO_SOURCE)];
    an_input_needs_a_producer:
        "* W :workflow:\n** A :component:\n#+begin_src js :in x:list\n#+end_src\n"
        => [("A", "input `x:list` has no upstream producer")];
    a_producer_may_stand_later:
        "* W :workflow:\n** A :component:\n#+begin_src js :in x:list\n#+end_src\n** B :component:\n#+begin_src js :out x:list\n#+end_src\n"
        => [];
    the_type_is_part_of_the_value:
        "* W :workflow:\n** A :component:\n#+begin_src js :in x:list\n#+end_src\n** B :component:\n#+begin_src js :out x:string\n#+end_src\n"
        => [("A", "input `x:list` has no upstream producer")];
    inputs_repeat_or_stand_behind_commas:
        "* W :workflow:\n** A :component:\n#+begin_src js :in a:t :in b:t, c:t\n#+end_src\n"
        => [
            ("A", "input `a:t` has no upstream producer"),
            ("A", "input `b:t` has no upstream producer"),
            ("A", "input `c:t` has no upstream producer"),
        ];
    another_workflow_produces_nothing_here:
        "* V :workflow:\n** P :component:\n#+begin_src js :out x:t\n#+end_src\n* W :workflow:\n** A :component:\n#+begin_src js :in x:t\n#+end_src\n"
        => [("A", "input `x:t` has no upstream producer")];
    a_nested_workflow_sees_what_is_made_outside_and_is_judged_once:
        "* W :workflow:\n** P :component:\n#+begin_src js :out x:t\n#+end_src\n** N :workflow:\n*** A :component:\n#+begin_src js :in x:t :in y:t\n#+end_src\n"
        => [("A", "input `y:t` has no upstream producer")];
    components_stand_at_any_depth:
        "* W :workflow:\n** section\n*** deeper\n**** A :component:\n" => [("A", NO_SOURCE)];
    tags_do_not_inherit: "* W :workflow:component:\n** A\n" => [];
    findings_come_in_document_order:
        "* W :workflow:\n** B :component:\n** A :component:\n" => [("B", NO_SOURCE), ("A", NO_SOURCE)];
    line_endings_and_a_byte_order_mark_do_not_matter:
        "\u{feff}* W :workflow:\r\n** A :component:\r\n#+begin_src js :in x:t\r\n#+end_src\r\n"
        => [("A", "input `x:t` has no upstream producer")];
    emoji_and_nul_are_text:
        "* W\0 :workflow:\n** \u{1F680}\0 :component:\n" => [("\u{1F680}\0", NO_SOURCE)];
    a_block_may_be_closed_in_another_case:
        "* W :workflow:\n** A :component:\n#+BEGIN_SRC js\n#+end_src\n" => [];
}

#[test]
fn a_hundred_thousand_headlines_are_answered() {
    let plan = "* W :workflow:\n".to_owned() + &"** A :component:\n".repeat(100_000);
    assert_eq!(found(&plan).len(), 100_000);
}

#[test]
fn headlines_nested_five_thousand_deep_are_a_clear_error() {
    let deep: String = (1..=5_000).map(|n| "*".repeat(n) + " x\n").collect();
    let error = oql::validate(&deep).unwrap_err();
    assert_eq!(error.code, oql::Code::TooDeep);
}

#[test]
fn sixteen_mebibytes_are_read_and_one_more_byte_is_not() {
    let text = "prose ".repeat(oql::MAX_TEXT / 6 + 1);
    assert!(oql::validate(&text[..oql::MAX_TEXT]).is_ok());
    assert_eq!(
        oql::validate(&text[..oql::MAX_TEXT + 1]).unwrap_err().code,
        oql::Code::TooLarge
    );
}
