//! A plan that was bent between two runs, and a person who accepts it.

mod scratch;

use history::{Accepting, Begun, accept, amendments};
use scratch::{Scratch, verdict};
use std::fs;

const PLAN: &str = "* TODO Group\n** TODO Easy\n** TODO Hard\n:done-when: test -s nofile\n";
const NOBODY: Accepting<'static> = Accepting { ids: &[], by: "nobody" };

fn begin(scratch: &Scratch, run_id: &str, accepting: Accepting<'_>, verdicts: &[(&str, &str)]) -> Begun {
    let run = scratch.run(run_id);
    let begun = run.begin(accepting, 2_000).unwrap();
    for (task, state) in verdicts {
        run.verdict(&verdict(task, state, 3_000)).unwrap();
    }
    if !verdicts.is_empty() {
        assert_eq!(run.states(verdicts, 4_000).unwrap(), history::Exchanged::Swapped);
    }
    run.close();
    begun
}

fn ids(amendments: &[outline::Amendment]) -> Vec<&str> {
    amendments.iter().map(|amendment| amendment.id.as_str()).collect()
}

fn bent() -> Scratch {
    let scratch = Scratch::new();
    fs::write(&scratch.plan, PLAN).unwrap();
    let verdicts = [("easy", "DONE"), ("hard", "FAILED"), ("group", "PARTIAL")];
    assert_eq!(begin(&scratch, "run-1", NOBODY, &verdicts).amendments, []);
    let text = fs::read_to_string(&scratch.plan).unwrap();
    assert_eq!(
        text,
        "* PARTIAL Group\n** DONE Easy\n** FAILED Hard\n:done-when: test -s nofile\n"
    );
    fs::write(&scratch.plan, text.split("** FAILED Hard").next().unwrap()).unwrap();
    scratch
}

#[test]
fn running_again_and_again_does_not_make_an_amendment_disappear() {
    let scratch = bent();
    for n in 2..6 {
        let begun = begin(&scratch, &format!("run-{n}"), NOBODY, &[]);
        assert_eq!(ids(&begun.amendments), ["hard"], "{n}");
        assert_eq!(begun.amendments[0].above, ["group"]);
    }
    assert_eq!(ids(&amendments(&scratch.home, &scratch.plan).unwrap()), ["hard"]);
}

#[test]
fn a_run_that_was_killed_has_sealed_its_outline() {
    let scratch = Scratch::new();
    fs::write(&scratch.plan, PLAN).unwrap();
    let run = scratch.run("killed");
    run.begin(NOBODY, 2_000).unwrap();
    drop(run);
    fs::write(&scratch.plan, PLAN.replace("test -s nofile", "true")).unwrap();
    assert_eq!(
        ids(&begin(&scratch, "next", NOBODY, &[("hard", "DONE")]).amendments),
        ["hard"]
    );
    assert_eq!(ids(&begin(&scratch, "after", NOBODY, &[]).amendments), ["hard"]);
}

#[test]
fn a_person_accepts_it_and_it_is_in_the_log_with_who() {
    let scratch = bent();
    begin(&scratch, "run-2", NOBODY, &[]);
    let by = Accepting {
        ids: &["hard"],
        by: "Ada",
    };
    assert_eq!(accept(&scratch.home, &scratch.plan, by, 9_000).unwrap(), []);
    assert_eq!(amendments(&scratch.home, &scratch.plan).unwrap(), []);
    assert_eq!(begin(&scratch, "run-3", NOBODY, &[]).amendments, []);
    let log = history::steps(&scratch.home, &scratch.plan).unwrap();
    let runs = fs::read_dir(log.parent().unwrap().parent().unwrap()).unwrap();
    let accepted = runs.map(|run| fs::read_to_string(run.unwrap().path().join("_steps.jsonl")).unwrap());
    let line = accepted.flat_map(|log| log.lines().map(str::to_owned).collect::<Vec<_>>());
    let lines: Vec<String> = line.filter(|line| line.contains(r#""kind":"acceptance""#)).collect();
    assert_eq!(lines.len(), 1);
    assert!(
        lines[0].contains(r#""by":"Ada""#) && lines[0].contains(r#""id":"hard""#),
        "{}",
        lines[0]
    );
    assert!(history::verify_plan(&scratch.home, &scratch.plan).unwrap().is_sound());
}

#[test]
fn a_run_may_begin_with_an_acceptance() {
    let scratch = bent();
    let by = Accepting {
        ids: &["hard"],
        by: "Ada",
    };
    assert_eq!(begin(&scratch, "run-2", by, &[]).amendments, []);
    assert_eq!(begin(&scratch, "run-3", NOBODY, &[]).amendments, []);
}

#[test]
fn what_is_no_amendment_cannot_be_accepted() {
    let scratch = bent();
    let by = Accepting {
        ids: &["hard", "easy"],
        by: "Ada",
    };
    assert_eq!(
        accept(&scratch.home, &scratch.plan, by, 1).unwrap_err().code(),
        "unknown_task"
    );
    assert_eq!(scratch.run("run-2").begin(by, 1).unwrap_err().code(), "unknown_task");
    assert_eq!(ids(&amendments(&scratch.home, &scratch.plan).unwrap()), ["hard"]);
}

#[test]
fn a_verdict_that_never_reached_the_plan_is_brought_there_by_the_next_run() {
    let scratch = Scratch::new();
    fs::write(&scratch.plan, PLAN).unwrap();
    let run = scratch.run("killed");
    run.begin(NOBODY, 2_000).unwrap();
    run.verdict(&verdict("easy", "DONE", 3_000)).unwrap();
    run.states(&[("easy", "DONE")], 3_000).unwrap();
    run.verdict(&verdict("hard", "FAILED", 3_000)).unwrap();
    drop(run);
    // What was written stays as somebody left it since; what was not is written now, if the task is the same.
    let edited = fs::read_to_string(&scratch.plan)
        .unwrap()
        .replace("DONE Easy", "TODO Easy");
    fs::write(&scratch.plan, format!("# a remark\n{edited}")).unwrap();
    let begun = begin(&scratch, "next", NOBODY, &[]);
    assert_eq!(
        begun.org,
        format!("# a remark\n{}", PLAN.replace("TODO Hard", "FAILED Hard"))
    );
    assert_eq!(fs::read_to_string(&scratch.plan).unwrap(), begun.org);

    let run = scratch.run("killed-too");
    run.begin(NOBODY, 5_000).unwrap();
    run.verdict(&verdict("hard", "DONE", 6_000)).unwrap();
    drop(run);
    let softened = begun.org.replace("test -s nofile", "true");
    fs::write(&scratch.plan, &softened).unwrap();
    assert_eq!(
        begin(&scratch, "last", NOBODY, &[]).org,
        softened.replace("FAILED Hard", "DONE Hard")
    );
}

#[test]
fn states_are_written_only_into_the_text_that_is_known() {
    let scratch = Scratch::new();
    fs::write(&scratch.plan, PLAN).unwrap();
    let run = scratch.run("run");
    run.begin(NOBODY, 1).unwrap();
    assert_eq!(run.edited().unwrap(), None);
    let edit = format!("# mine\n{PLAN}");
    fs::write(&scratch.plan, &edit).unwrap();
    let changed = history::Exchanged::Changed(edit.clone().into_bytes());
    assert_eq!(run.states(&[("easy", "DONE")], 2).unwrap(), changed);
    assert_eq!(fs::read_to_string(&scratch.plan).unwrap(), edit);
    // It is known from then on.
    assert_eq!(run.states(&[("easy", "DONE")], 3).unwrap(), history::Exchanged::Swapped);
    assert_eq!(
        fs::read_to_string(&scratch.plan).unwrap(),
        edit.replace("TODO Easy", "DONE Easy")
    );
    fs::write(&scratch.plan, "* TODO Other\n").unwrap();
    assert_eq!(run.edited().unwrap().as_deref(), Some("* TODO Other\n"));
    assert_eq!(run.states(&[("easy", "DONE")], 4).unwrap_err().code(), "unknown_task");
    assert_eq!(
        run.states(&[("other", "DONE")], 5).unwrap(),
        history::Exchanged::Swapped
    );
    assert_eq!(fs::read_to_string(&scratch.plan).unwrap(), "* DONE Other\n");
}
