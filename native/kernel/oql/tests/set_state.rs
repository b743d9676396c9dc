//! A state change changes the keyword, the cookies above it, and not one other byte.

macro_rules! set_state_table {
    ($($name:ident: $org:expr, $id:expr, $state:expr => $want:expr;)*) => {$(
        #[test]
        fn $name() {
            assert_eq!(oql::set_state($org, $id, $state).as_deref(), Ok($want));
        }
    )*};
}

set_state_table! {
    a_keyword_is_replaced: "* TODO a\n", "a", "DONE" => "* DONE a\n";
    a_keyword_is_added: "** a\n", "a", "DONE" => "** DONE a\n";
    a_keyword_is_taken_away: "* TODO a\n", "a", "" => "* a\n";
    the_same_state_changes_nothing: "* DONE a\n", "a", "DONE" => "* DONE a\n";
    blanks_tabs_and_tags_stay: "*\u{20} TODO \t a \t :x: \t\n", "a", "FAILED" => "*\u{20} FAILED \t a \t :x: \t\n";
    crlf_stays: "* TODO a\r\nbody\r\n* b\r\n", "a", "DONE" => "* DONE a\r\nbody\r\n* b\r\n";
    a_missing_last_newline_stays_missing: "* TODO a", "a", "DONE" => "* DONE a";
    a_byte_order_mark_stays: "\u{feff}* TODO a\n", "a", "DONE" => "\u{feff}* DONE a\n";
    a_priority_stays: "* TODO [#A] a\n", "a", "DONE" => "* DONE [#A] a\n";
    cookies_of_the_parent_are_counted:
        "* P [0/2] [0%]\n** TODO a\n** TODO b\n", "a", "DONE" => "* P [1/2] [50%]\n** DONE a\n** TODO b\n";
    an_empty_cookie_is_filled: "* P [/] [%]\n** TODO a\n", "a", "DONE" => "* P [1/1] [100%]\n** DONE a\n";
    percent_is_rounded_down:
        "* P [%]\n** TODO a\n** TODO b\n** DONE c\n", "a", "DONE" => "* P [66%]\n** DONE a\n** TODO b\n** DONE c\n";
    every_ancestor_counts_its_direct_children:
        "* A [0/1]\n** TODO B [0/1]\n*** TODO c\n", "c", "DONE" => "* A [0/1]\n** TODO B [1/1]\n*** DONE c\n";
    a_recursive_cookie_counts_all_below:
        "* A [0/2]\n:PROPERTIES:\n:COOKIE_DATA: todo recursive\n:END:\n** TODO b\n*** TODO c\n", "c", "DONE"
        => "* A [1/2]\n:PROPERTIES:\n:COOKIE_DATA: todo recursive\n:END:\n** TODO b\n*** DONE c\n";
    a_checkbox_cookie_is_left_alone:
        "* A [1/3]\n:PROPERTIES:\n:COOKIE_DATA: checkbox\n:END:\n** TODO b\n", "b", "DONE"
        => "* A [1/3]\n:PROPERTIES:\n:COOKIE_DATA: checkbox\n:END:\n** DONE b\n";
    a_cookie_over_children_without_keywords_is_left_alone:
        "* A [1/3]\n** section\n*** TODO b\n", "b", "DONE" => "* A [1/3]\n** section\n*** DONE b\n";
    cancelled_counts_as_done_and_failed_does_not:
        "* P [/]\n** CANCELLED a\n** FAILED b\n** TODO c\n", "c", "PARTIAL" => "* P [1/3]\n** CANCELLED a\n** FAILED b\n** PARTIAL c\n";
    cookies_elsewhere_stay: "* Q [9/9]\n* P [9/9]\n** TODO a [9/9]\n", "a", "DONE" => "* Q [9/9]\n* P [1/1]\n** DONE a [9/9]\n";
    the_plans_own_keywords_are_known: "#+TODO: OPEN | SHUT\n* P [/]\n** OPEN a\n", "a", "SHUT" => "#+TODO: OPEN | SHUT\n* P [1/1]\n** SHUT a\n";
    two_tasks_of_one_title_are_told_apart: "* TODO a\n* TODO a\n", "a-2", "DONE" => "* TODO a\n* DONE a\n";
}

#[test]
fn an_unknown_task_is_an_error() {
    let error = oql::set_state("* a\n", "b", "DONE").unwrap_err();
    assert_eq!(
        (error.code, error.message.as_str()),
        (oql::Code::UnknownTask, "no task has the id `b`")
    );
}

#[test]
fn an_unknown_state_is_an_error_that_lists_the_known_ones() {
    let error = oql::set_state("#+TODO: OPEN | SHUT\n* a\n", "a", "TODO").unwrap_err();
    assert_eq!(error.code, oql::Code::UnknownState);
    assert_eq!(error.hint, "use one of DONE, FAILED, OPEN, PARTIAL, SHUT");
}
