//! What counts as an amendment, case by case: the plan as it was sealed, what happened, and the plan as it is.

use Change::{Cancelled, Check, Gone, Keyword, Moved, Title};
use outline::{Baseline, Change, Headline, Outline, Sealed};

const PLAN: &str = "\
* TODO Group
** TODO Easy
** TODO Hard
:done-when: test -s proof
";

/// Seals `was`, applies the verdicts, and gives what `now` amends.
fn amended(was: &str, verdicts: &[(&str, &str)], now: &str) -> Vec<(String, Vec<Change>)> {
    let mut baseline = Baseline::default();
    baseline.seal(Outline::read(was).unwrap());
    verdicts.iter().for_each(|(id, state)| baseline.verdict(id, state));
    list(&baseline, now)
}

fn list(baseline: &Baseline, now: &str) -> Vec<(String, Vec<Change>)> {
    let amendments = baseline.compare(&Outline::read(now).unwrap());
    amendments.into_iter().map(|a| (a.id, a.changes)).collect()
}

macro_rules! amendments {
    ($($name:ident: $was:expr, $verdicts:expr, $now:expr => $expected:expr;)*) => {$(
        #[test]
        fn $name() {
            let expected: &[(&str, &[Change])] = &$expected;
            let expected: Vec<(String, Vec<Change>)> =
                expected.iter().map(|(id, changes)| ((*id).to_owned(), changes.to_vec())).collect();
            assert_eq!(amended($was, &$verdicts, &$now), expected);
        }
    )*};
}

const FAILED: [(&str, &str); 3] = [("easy", "DONE"), ("hard", "FAILED"), ("group", "PARTIAL")];
const NOTHING: [(&str, &str); 0] = [];

amendments! {
    an_unchanged_plan_amends_nothing: PLAN, NOTHING, PLAN => [];
    states_that_the_run_wrote_amend_nothing:
        PLAN, FAILED, PLAN.replace("TODO Group", "PARTIAL Group [1/2]").replace("TODO Easy", "DONE Easy").replace("TODO Hard", "FAILED Hard") => [];
    a_failed_task_that_is_gone: PLAN, FAILED, "* PARTIAL Group\n** DONE Easy\n" => [("hard", &[Gone])];
    an_open_task_that_is_gone_when_the_run_was_killed: PLAN, NOTHING, "* TODO Group\n** TODO Easy\n" => [("hard", &[Gone])];
    a_done_task_that_is_gone: PLAN, FAILED, PLAN.replace("** TODO Easy\n", "") => [];
    a_task_without_its_keyword: PLAN, FAILED, PLAN.replace("TODO Hard", "Hard") => [("hard", &[Keyword])];
    a_task_that_became_a_note_inside_a_leaf: "* TODO A\n* TODO B\n", NOTHING, "* TODO A\n** B\n" => [("b", &[Gone])];
    a_check_that_became_true: PLAN, FAILED, PLAN.replace("test -s proof", "true") => [("hard", &[Check])];
    a_check_that_is_gone: PLAN, FAILED, PLAN.replace(":done-when: test -s proof\n", "") => [("hard", &[Check])];
    a_check_that_became_a_block:
        PLAN, FAILED, PLAN.replace(":done-when: test -s proof\n", "#+begin_src sh :check\ntest -s proof\n#+end_src\n") => [("hard", &[Check])];
    a_check_in_another_language:
        "* TODO A\n#+begin_src sh :check\nx\n#+end_src\n", NOTHING, "* TODO A\n#+begin_src python :check\nx\n#+end_src\n" => [("a", &[Check])];
    a_check_where_there_was_none_asks_for_more: PLAN, NOTHING, PLAN.replace("** TODO Easy\n", "** TODO Easy\n:done-when: true\n") => [];
    a_check_of_a_composite: "* TODO G\n:done-when: test -s g\n** TODO A\n", NOTHING, "* TODO G\n:done-when: true\n** TODO A\n" => [("g", &[Check])];
    another_title_is_another_task: PLAN, FAILED, PLAN.replace("TODO Hard", "TODO Soft") => [("hard", &[Gone])];
    another_title_of_a_task_with_an_id:
        "* TODO Hard\n:ID: h\n", NOTHING, "* TODO Soft\n:ID: h\n" => [("h", &[Title])];
    a_cookie_is_no_part_of_a_title: "* TODO Hard [0/3]\n:ID: h\n", NOTHING, "* TODO Hard [2/3]\n:ID: h\n" => [];
    a_task_that_was_moved: PLAN, FAILED, PLAN.replace("** TODO Hard", "* TODO Hard") => [("hard", &[Moved])];
    structure_that_was_moved_with_the_task_below_it:
        "* TODO A\n** Part\n*** TODO Hard\n", NOTHING, "* TODO A\n* Part\n** TODO Hard\n" => [("part", &[Moved])];
    a_task_that_was_cancelled: PLAN, FAILED, PLAN.replace("TODO Hard", "CANCELLED Hard") => [("hard", &[Cancelled])];
    a_task_below_one_that_was_cancelled:
        PLAN, NOTHING, PLAN.replace("TODO Group", "CANCELLED Group") => [("group", &[Cancelled]), ("easy", &[Cancelled]), ("hard", &[Cancelled])];
    a_task_that_was_cancelled_all_along: "* CANCELLED A\n", NOTHING, "" => [];
    a_hand_written_done_does_not_earn_anything_when_it_goes_later:
        PLAN, FAILED, PLAN.replace("TODO Hard", "Hard").replace("TODO Group", "DONE Group") => [("hard", &[Keyword])];
    a_new_task_amends_nothing: PLAN, NOTHING, format!("{PLAN}** TODO New\n") => [];
    other_blockers_amend_nothing: PLAN, NOTHING, PLAN.replace("** TODO Easy\n", "** TODO Easy\n:BLOCKER: hard\n") => [];
    a_task_with_the_title_of_another_is_counted:
        "* TODO t\n* TODO t\n", [("t", "DONE")], "* DONE t\n" => [("t-2", &[Gone])];
    the_whole_plan_is_gone: PLAN, NOTHING, "" => [("group", &[Gone]), ("easy", &[Gone]), ("hard", &[Gone])];
}

#[test]
fn an_amendment_names_what_is_above_it_where_it_was_and_where_it_is() {
    let mut baseline = Baseline::default();
    baseline.seal(Outline::read("* TODO A\n** TODO B\n*** TODO Hard\n").unwrap());
    let now = Outline::read("* TODO A\n** TODO B\n* TODO C\n** TODO Hard\n").unwrap();
    let amendment = &baseline.compare(&now)[0];
    assert_eq!(
        (amendment.id.as_str(), &amendment.above[..]),
        ("hard", &["b", "a", "c"].map(String::from)[..])
    );
    assert_eq!(amendment.reason, "it stood below `b` and stands below `c`");
}

#[test]
fn running_again_and_again_does_not_make_an_amendment_disappear() {
    let bent = PLAN.replace("test -s proof", "true");
    let mut baseline = Baseline::default();
    baseline.seal(Outline::read(PLAN).unwrap());
    for _ in 0..3 {
        assert_eq!(list(&baseline, &bent), [("hard".to_owned(), vec![Check])]);
        baseline.seal(Outline::read(&bent).unwrap());
        // Passing the easier check does not help.
        baseline.verdict("hard", "DONE");
    }
    // Not even together with a second amendment.
    assert_eq!(
        list(&baseline, "* DONE Group\n** DONE Easy\n"),
        [("hard".to_owned(), vec![Gone])]
    );
    // Putting it back does.
    assert_eq!(list(&baseline, PLAN), []);
}

#[test]
fn a_claimed_done_stays_to_be_earned_over_a_seal() {
    let mut baseline = Baseline::default();
    baseline.seal(Outline::read(PLAN).unwrap());
    baseline.seal(Outline::read(&PLAN.replace("TODO Hard", "DONE Hard")).unwrap());
    assert_eq!(
        list(&baseline, "* TODO Group\n** TODO Easy\n"),
        [("hard".to_owned(), vec![Gone])]
    );
}

#[test]
fn what_a_person_accepted_is_the_promise_from_then_on() {
    let bent = Outline::read(&PLAN.replace("test -s proof", "test -d proof")).unwrap();
    let mut baseline = Baseline::default();
    baseline.seal(Outline::read(PLAN).unwrap());
    let accepted = baseline.compare(&bent).remove(0);
    baseline.seal(bent.clone());
    baseline.accept(&accepted.id, accepted.now);
    assert_eq!(baseline.compare(&bent), []);
    assert_eq!(
        list(&baseline, &PLAN.replace("test -s proof", "true")),
        [("hard".to_owned(), vec![Check])]
    );

    let gone = Outline::read("* TODO Group\n** TODO Easy\n").unwrap();
    let accepted = baseline.compare(&gone).remove(0);
    baseline.accept(&accepted.id, accepted.now);
    assert_eq!(baseline.compare(&gone), []);
}

#[test]
fn what_is_sealed_comes_back_from_its_json() {
    let mut baseline = Baseline::default();
    baseline.seal(Outline::read(PLAN).unwrap());
    let sealed = baseline.seal(Outline::read("* TODO Group\n").unwrap());
    let json = serde_json::to_string(&sealed).unwrap();
    let read: Sealed = serde_json::from_str(&json).unwrap();
    assert_eq!(read, sealed);
    assert_eq!(
        list(&Baseline::restore(read), "* TODO Group\n"),
        [("easy".to_owned(), vec![Gone]), ("hard".to_owned(), vec![Gone])]
    );
}

#[test]
fn a_forged_circle_of_parents_ends() {
    let headline = |id: &str, parent: &str| Headline {
        id: id.to_owned(),
        title: id.to_owned(),
        parent: Some(parent.to_owned()),
        keyword: Some("TODO".to_owned()),
        blockers: Vec::new(),
        check: None,
        cancelled: false,
        open: true,
    };
    let sealed = Sealed {
        headlines: vec![headline("a", "b"), headline("b", "a")],
        carried: Vec::new(),
    };
    assert_eq!(Baseline::restore(sealed).compare(&Outline::default()).len(), 2);
}
