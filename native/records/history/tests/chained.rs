//! Each run follows the one before, and whoever changes, removes or adds one is found.

mod scratch;

use history::{PlanVerification, ProblemKind, Run, verify_plan};
use scratch::{Scratch, select, verdict};
use std::fs;

/// Three runs, each with a verdict.
fn three() -> Scratch {
    let scratch = Scratch::new();
    for (n, state) in [(1, "FAILED"), (2, "FAILED"), (3, "DONE")] {
        let run = scratch.run(&format!("run-{n}"));
        run.verdict(&verdict("ship", state, n)).unwrap();
        assert_eq!(run.close(), Vec::<String>::new());
    }
    scratch
}

fn checked(scratch: &Scratch) -> PlanVerification {
    verify_plan(&scratch.home, &scratch.plan).unwrap()
}

fn problems(scratch: &Scratch) -> Vec<(String, ProblemKind)> {
    checked(scratch)
        .problems
        .into_iter()
        .map(|problem| (problem.run_id, problem.kind))
        .collect()
}

#[test]
fn untouched_runs_follow_each_other() {
    let scratch = three();
    let found = checked(&scratch);
    assert!(found.is_sound(), "{found:?}");
    assert_eq!((found.runs, found.run_id.as_str()), (3, "run-3"));
    let first = |run: &str| -> serde_json::Value {
        serde_json::from_str(fs::read_to_string(scratch.steps(run)).unwrap().lines().next().unwrap()).unwrap()
    };
    assert_eq!(first("run-1")["previous"], serde_json::Value::Null);
    assert_eq!(first("run-3")["previous"]["run_id"], "run-2");
    let log = fs::read(scratch.steps("run-2")).unwrap();
    let mut chain = ledger::Chain::new();
    log.strip_suffix(b"\n")
        .unwrap()
        .split(|byte| *byte == b'\n')
        .for_each(|line| chain.append(line));
    assert_eq!(first("run-3")["previous"]["head"], chain.head());
}

#[test]
fn a_changed_run_is_named_with_its_line_whichever_it_is() {
    for run in ["run-1", "run-2", "run-3"] {
        let scratch = three();
        let log = fs::read_to_string(scratch.steps(run)).unwrap();
        fs::write(scratch.steps(run), log.replacen("Title of", "Title af", 1)).unwrap();
        let found = checked(&scratch);
        assert!(!found.is_sound());
        assert_eq!(
            (found.problems[0].run_id.as_str(), found.problems[0].line),
            (run, Some(2)),
            "{found:?}"
        );
    }
}

#[test]
fn a_run_that_was_sealed_anew_with_the_right_key_does_not_fit_the_one_after_it() {
    let scratch = three();
    let log = fs::read_to_string(scratch.steps("run-2")).unwrap();
    let mut chain = ledger::Chain::new();
    let mut forged = String::new();
    for line in log.lines() {
        let mut fields: serde_json::Map<_, _> = serde_json::from_str(line).unwrap();
        fields.retain(|key, _| key != "n" && key != "prev");
        let object = serde_json::Value::Object(fields).to_string().replace("FAILED", "DONE");
        forged += &(chain.link(&object).unwrap() + "\n");
    }
    let seal = scratch.home.signer().unwrap().seal(&chain, "run-2", 2).unwrap();
    fs::write(scratch.steps("run-2"), forged).unwrap();
    fs::write(scratch.steps("run-2").with_file_name("_ledger.json"), seal.to_json()).unwrap();
    assert_eq!(problems(&scratch), [("run-2".to_owned(), ProblemKind::Changed)]);
}

#[test]
fn a_missing_run_is_named_whichever_it_is() {
    for run in ["run-1", "run-2", "run-3"] {
        let scratch = three();
        fs::remove_dir_all(scratch.steps(run).parent().unwrap()).unwrap();
        assert_eq!(problems(&scratch), [(run.to_owned(), ProblemKind::Missing)]);
        // It is missed for ever, not only until the next run.
        scratch.run("run-4").close();
        assert_eq!(problems(&scratch), [(run.to_owned(), ProblemKind::Missing)]);
    }
}

#[test]
fn a_fork_is_named() {
    let scratch = three();
    let slot = scratch.slot();
    // Somebody keeps the history as it was after the second run, runs again, and puts the third back.
    let kept = scratch.dir.path().join("kept");
    fs::rename(slot.join("runs/run-3"), &kept).unwrap();
    fs::remove_file(slot.join("head.json")).unwrap();
    scratch.run("other").close();
    fs::rename(&kept, slot.join("runs/run-3")).unwrap();
    assert_eq!(problems(&scratch), [("run-2".to_owned(), ProblemKind::Forked)]);
}

#[test]
fn a_run_that_was_superseded_does_not_go_on() {
    let scratch = three();
    let refused = Run::open(&scratch.home, &scratch.plan, "run-2", 9).err().unwrap();
    assert_eq!(refused.code(), "conflict");
    assert!(checked(&scratch).is_sound());
}

#[test]
fn what_the_database_says_changes_nothing_and_it_is_made_again() {
    let scratch = three();
    let database = scratch.slot().join("_telemetry.db");
    let before = history::last_verdicts(&scratch.home, &scratch.plan).unwrap();
    let spoils: [&dyn Fn(); 3] = [
        &|| fs::remove_file(&database).unwrap(),
        &|| fs::write(&database, "forged").unwrap(),
        &|| {
            select(&database, "UPDATE runs SET head = 'x', lines = 9");
            select(&database, "UPDATE task_events SET state = 'FAILED'");
        },
    ];
    for (n, spoil) in spoils.iter().enumerate() {
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(scratch.slot().join(format!("_telemetry.db{suffix}")));
        }
        spoil();
        assert_eq!(
            history::last_verdicts(&scratch.home, &scratch.plan).unwrap(),
            before,
            "{n}"
        );
        assert_eq!(history::runs(&scratch.home, &scratch.plan).unwrap().len(), 3);
        let states = history::query(&scratch.home, &scratch.plan, "SELECT state FROM task_events").unwrap();
        assert_eq!(states.rows, [["FAILED"], ["FAILED"], ["DONE"]], "{n}");
        assert!(checked(&scratch).is_sound());
    }
}

#[test]
fn verdicts_of_a_log_that_is_not_what_was_sealed_do_not_count() {
    let scratch = three();
    let log = fs::read_to_string(scratch.steps("run-2")).unwrap();
    fs::write(scratch.steps("run-2"), log.replace("FAILED", "DONE")).unwrap();
    let states: Vec<String> = history::events(&scratch.home, &scratch.plan)
        .unwrap()
        .into_iter()
        .map(|e| e.state)
        .collect();
    assert_eq!(states, ["FAILED", "DONE"]);
}

/// A log as the version before wrote it: without a first line, an end and a note of the newest run.
fn old_log(scratch: &Scratch, run_id: &str) {
    let run = scratch.run(run_id);
    run.close();
    let slot = scratch.slot();
    let mut chain = ledger::Chain::new();
    let object = verdict("ship", "DONE", 5).replacen('{', r#"{"kind":"verdict","#, 1);
    let line = chain.link(&object).unwrap() + "\n";
    let seal = scratch.home.signer().unwrap().seal(&chain, run_id, 5).unwrap();
    fs::write(scratch.steps(run_id), line).unwrap();
    fs::write(scratch.steps(run_id).with_file_name("_ledger.json"), seal.to_json()).unwrap();
    for file in ["head.json", "_telemetry.db"] {
        let _ = fs::remove_file(slot.join(file));
    }
}

#[test]
fn logs_of_the_version_before_verify_as_they_did_and_are_followed() {
    let scratch = Scratch::new();
    old_log(&scratch, "old");
    let found = checked(&scratch);
    assert!(found.is_sound(), "{found:?}");
    assert_eq!(found.newest.count, 1);
    assert_eq!(
        history::last_verdicts(&scratch.home, &scratch.plan).unwrap()[0].state,
        "DONE"
    );
    scratch.run("new").close();
    let found = checked(&scratch);
    assert!(found.is_sound() && found.runs == 2, "{found:?}");
    fs::remove_dir_all(scratch.steps("old").parent().unwrap()).unwrap();
    assert_eq!(problems(&scratch), [("old".to_owned(), ProblemKind::Missing)]);
}

#[test]
fn a_plan_answers_for_itself_alone() {
    let scratch = three();
    let other = scratch.beside("other.org");
    fs::write(&other, "* TODO Other\n").unwrap();
    for ask in [history::events, |home: &_, at: &_| {
        history::task_history(home, at, "ship")
    }] {
        assert_eq!(ask(&scratch.home, &other).unwrap_err().code(), "no_history");
        assert_eq!(
            ask(&scratch.home, &scratch.beside("gone.org")).unwrap_err().code(),
            "not_found"
        );
    }
    assert_eq!(
        history::query(&scratch.home, &other, "SELECT 1").unwrap_err().code(),
        "no_history"
    );
}

#[test]
fn a_line_that_was_added_after_the_end_is_named_and_does_not_count() {
    let scratch = three();
    let log = fs::read_to_string(scratch.steps("run-3")).unwrap();
    let mut chain = ledger::Chain::new();
    log.lines().for_each(|line| chain.append(line.as_bytes()));
    let object = verdict("ship", "FAILED", 9).replacen('{', r#"{"kind":"verdict","#, 1);
    fs::write(
        scratch.steps("run-3"),
        format!("{log}{}\n", chain.link(&object).unwrap()),
    )
    .unwrap();
    assert_eq!(problems(&scratch), [("run-3".to_owned(), ProblemKind::Changed)]);
    assert_eq!(
        history::last_verdicts(&scratch.home, &scratch.plan).unwrap()[0].state,
        "DONE"
    );
    // A run that goes on does not take it along.
    let run = scratch.run("run-3");
    run.verdict(&verdict("ship", "PARTIAL", 10)).unwrap();
    run.close();
    assert!(checked(&scratch).is_sound());
    let states: Vec<String> = history::events(&scratch.home, &scratch.plan)
        .unwrap()
        .into_iter()
        .map(|e| e.state)
        .collect();
    assert_eq!(states, ["FAILED", "FAILED", "DONE", "PARTIAL"]);
}
