//! Certificates are for what was earned.

mod scratch;

use history::{Accepting, Home, TaskEvent};
use scratch::Scratch;
use std::fs;

/// The rule of `acceptance`, as far as these plans need it.
fn unproven(task: &oql::Task, last: Option<&TaskEvent>) -> Option<String> {
    let check = task.done_when.as_ref().map(|command| format!("done-when: {command}"));
    match last {
        Some(last) if last.state == "DONE" && (check.is_none() || check == last.how) => None,
        _ => Some("it is not".to_owned()),
    }
}

fn certify(home: &Home, plan: &std::path::Path, task: Option<&str>, ts: i64) -> Result<String, history::Error> {
    Ok(history::certify(home, plan, task, &unproven, ts)?.to_line())
}

const PLAN: &str = "* TODO Group\n** TODO Easy\n** TODO Hard\n:done-when: test -s proof\n";

fn record(scratch: &Scratch, run_id: &str, verdicts: &[(&str, &str, &str)]) {
    let run = scratch.run(run_id);
    run.begin(Accepting { ids: &[], by: "" }, 1).unwrap();
    for (task, state, how) in verdicts {
        let line = format!(
            r#"{{"task_id":"{task}","title":"T","state":"{state}","how":"{how}","exit_code":0,"commands":[{{"name":"test","sha256":"aa"}}],"ts":7}}"#
        );
        run.verdict(&line).unwrap();
        run.states(&[(task, state)], 8).unwrap();
    }
    run.close();
}

fn earned() -> Scratch {
    let scratch = Scratch::new();
    fs::write(&scratch.plan, PLAN).unwrap();
    let verdicts = [
        ("easy", "DONE", "worker"),
        ("hard", "DONE", "done-when: test -s proof"),
        ("group", "DONE", "children"),
    ];
    record(&scratch, "run-1", &verdicts);
    scratch
}

#[test]
fn what_was_earned_is_certified_with_its_proof() {
    let scratch = earned();
    let text = certify(&scratch.home, &scratch.plan, Some("hard"), 9).unwrap();
    let found = certificate::verify(text.as_bytes()).unwrap();
    assert_eq!(found.did, scratch.home.signer().unwrap().did());
    let statement = found.statement;
    assert_eq!(statement.subject[0].name, "plan.org");
    let [task] = &statement.predicate.tasks[..] else {
        panic!("{statement:?}")
    };
    assert_eq!((task.id.as_str(), task.exit_status, task.at), ("hard", Some(0), 7));
    assert_eq!(task.check.as_ref().unwrap().text, "done-when: test -s proof");
    assert_eq!(task.commands[0]["name"], "test");
    assert_eq!((task.ledger.run.as_str(), task.ledger.line), ("run-1", 5));
    assert_eq!(statement.predicate.ledger.run, "run-1");
    // The whole plan, and a composite with what is below it.
    for (task, ids) in [(None, 3), (Some("group"), 3)] {
        let text = certify(&scratch.home, &scratch.plan, task, 9).unwrap();
        assert_eq!(
            certificate::verify(text.as_bytes())
                .unwrap()
                .statement
                .predicate
                .tasks
                .len(),
            ids
        );
    }
}

#[test]
fn what_was_not_earned_is_not_certified() {
    type Spoil = fn(&Scratch);
    let spoils: [(Option<&str>, Spoil, &str); 7] = [
        (
            None,
            |s| record(s, "run-2", &[("hard", "FAILED", "check")]),
            "not_earned",
        ),
        (Some("group"), |s| edit(s, "DONE Easy", "TODO Easy"), "not_earned"),
        (Some("hard"), |s| edit(s, "test -s proof", "true"), "not_earned"),
        (Some("nobody"), |_| {}, "unknown_task"),
        (None, |s| fs::write(&s.plan, "no tasks").unwrap(), "unknown_task"),
        (
            None,
            |s| fs::remove_dir_all(s.steps("run-1").parent().unwrap()).unwrap(),
            "no_history",
        ),
        (
            Some("easy"),
            |s| {
                let log = fs::read_to_string(s.steps("run-1")).unwrap();
                fs::write(s.steps("run-1"), log.replace("worker", "wörker")).unwrap();
            },
            "not_earned",
        ),
    ];
    for (n, (task, spoil, code)) in spoils.into_iter().enumerate() {
        let scratch = earned();
        spoil(&scratch);
        let refused = certify(&scratch.home, &scratch.plan, task, 9).unwrap_err();
        assert_eq!(refused.code(), code, "{n}: {refused}");
    }
}

#[test]
fn an_amendment_below_it_speaks_against_it() {
    let scratch = Scratch::new();
    fs::write(&scratch.plan, PLAN).unwrap();
    record(
        &scratch,
        "run-1",
        &[("easy", "DONE", "worker"), ("hard", "FAILED", "check")],
    );
    edit(&scratch, "** FAILED Hard\n:done-when: test -s proof\n", "");
    record(&scratch, "run-2", &[("group", "DONE", "children")]);
    assert_eq!(
        certify(&scratch.home, &scratch.plan, None, 9).unwrap_err().code(),
        "not_earned"
    );
    assert!(certify(&scratch.home, &scratch.plan, Some("easy"), 9).is_ok());
    let by = Accepting {
        ids: &["hard"],
        by: "Ada",
    };
    history::accept(&scratch.home, &scratch.plan, by, 9).unwrap();
    assert!(certify(&scratch.home, &scratch.plan, None, 9).is_ok());
}

fn edit(scratch: &Scratch, from: &str, to: &str) {
    let text = fs::read_to_string(&scratch.plan).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(&scratch.plan, text.replace(from, to)).unwrap();
}
