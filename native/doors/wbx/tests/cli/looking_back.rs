//! `wbx telemetry` and `wbx ledger`: what runs left.

use crate::{
    past::{history_dir, leave_a_run},
    program::{Ended, Folder, run},
    terminal::watch,
};
use serde_json::{Value, json};
use std::fs;

fn folder() -> Folder {
    let folder = Folder::with(&[("plan.org", "* TODO Build\n")]);
    leave_a_run(&folder, "build", "FAILED");
    leave_a_run(&folder, "build", "DONE");
    folder
}

fn ask(folder: &Folder, args: &[&str]) -> Ended {
    run(folder.wbx(args).env("XDG_STATE_HOME", folder.path().join("state")))
}

/// What a person sees, without colour.
fn see(folder: &Folder, args: &[&str]) -> (String, i32) {
    let mut wbx = folder.wbx(args);
    let ended = watch(
        wbx.env("XDG_STATE_HOME", folder.path().join("state"))
            .env("NO_COLOR", "1"),
    );
    (ended.stdout, ended.exit)
}

fn data(ended: &Ended) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"))
}

#[test]
fn telemetry_says_whether_a_check_ever_passed() {
    let folder = folder();
    let expected = "\
TIME                  RUN    TASK   STATE   HOW          REASON
2023-11-14T22:13:20Z  run-1  build  FAILED  test -s out  the check said no
2023-11-14T22:13:21Z  run-2  build  DONE    test -s out

2 verdicts
";
    for at in ["plan.org", "."] {
        assert_eq!(
            see(&folder, &["telemetry", at, "--task", "build"]),
            (expected.to_owned(), 0)
        );
    }
    assert_eq!(
        see(&folder, &["telemetry", "plan.org", "--task", "other"]),
        ("0 verdicts\n".to_owned(), 0)
    );
}

#[test]
fn a_program_gets_the_rows() {
    let folder = folder();
    let rows = data(&ask(&folder, &["telemetry", "plan.org"]));
    assert_eq!(
        rows[1],
        json!({"run_id": "run-2", "task_id": "build", "idx": 0, "title": "T", "state": "DONE", "output": null,
               "ts": 1_700_000_001_000_i64, "how": "test -s out", "reason": null})
    );
}

#[test]
fn telemetry_takes_sql_that_reads() {
    let folder = folder();
    let sql = "SELECT state, count(*) AS n FROM task_events GROUP BY state ORDER BY state";
    let rows = data(&ask(&folder, &["telemetry", "plan.org", "--sql", sql]));
    assert_eq!(rows, json!([["DONE", 1], ["FAILED", 1]]));
    assert_eq!(
        see(&folder, &["telemetry", "plan.org", "--sql", sql]),
        ("state   n\nDONE    1\nFAILED  1\n\n2 rows\n".to_owned(), 0)
    );
}

#[test]
fn an_untouched_log_verifies_by_plan_by_directory_and_by_file() {
    let folder = folder();
    let did = ask(&folder, &["ledger", "key"]).stdout.trim().to_owned();
    for at in [&[][..], &["."], &["plan.org"], &["_steps.jsonl"]] {
        let ended = ask(&folder, &[&["ledger", "verify"], at].concat());
        assert_eq!(ended.exit, 0, "{ended:?}");
        let found = data(&ended);
        assert_eq!(
            (&found["tamper_evident"], &found["attributable"]),
            (&json!(true), &json!(true))
        );
        assert_eq!((&found["count"], &found["did"]), (&json!(4), &json!(did)));
    }
    let (seen, exit) = see(&folder, &["ledger", "verify"]);
    assert_eq!(
        (seen, exit),
        (format!("4 lines, untouched, sealed by {did} (your key)\n"), 0)
    );
    let (seen, exit) = see(&folder, &["ledger", "verify", "plan.org"]);
    let expected = format!("2 runs, untouched, each following the one before; the newest sealed by {did} (your key)\n");
    assert_eq!((seen, exit), (expected, 0));
}

#[test]
fn a_touched_log_fails_verification_and_the_line_is_named() {
    let folder = folder();
    let steps = folder.path().join("_steps.jsonl");
    let log = fs::read_to_string(&steps).unwrap();
    fs::write(&steps, log.replace("DONE", "FAIL")).unwrap();
    let ended = ask(&folder, &["ledger", "verify", "--json"]);
    assert_eq!(ended.exit, 5);
    let envelope = data(&ended);
    assert_eq!(
        (&envelope["ok"], &envelope["verb"]),
        (&json!(false), &json!("ledger verify"))
    );
    assert_eq!(envelope["data"]["first_bad_line"], 3);
    assert_eq!(envelope["error"]["code"], "verification_failed");

    let (seen, exit) = see(&folder, &["ledger", "verify"]);
    assert!(seen.starts_with("error: line 3 is not what was sealed\n"), "{seen}");
    assert!(seen.contains("_steps.jsonl:3:1\n"), "{seen}");
    assert_eq!(exit, 5);
    // The truth is where no worker can reach it.
    assert_eq!(ask(&folder, &["ledger", "verify", "plan.org"]).exit, 0);

    fs::write(&steps, log.lines().next().unwrap().to_owned() + "\n").unwrap();
    let (seen, _) = see(&folder, &["ledger", "verify"]);
    assert!(seen.starts_with("error: line 2 is missing\n"), "{seen}");
}

#[test]
fn a_run_that_was_changed_or_is_missing_is_named() {
    let folder = folder();
    let runs = |name: &str| {
        let slots = fs::read_dir(history_dir(&folder))
            .unwrap()
            .map(|entry| entry.unwrap().path());
        slots
            .map(|slot| slot.join("runs").join(name))
            .find(|run| run.is_dir())
            .unwrap()
    };
    let log = runs("run-1").join("_steps.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replace("FAILED", "DONE")).unwrap();
    let ended = ask(&folder, &["ledger", "verify", "plan.org", "--json"]);
    let problem = &data(&ended)["data"]["problems"][0];
    assert_eq!(
        (ended.exit, &problem["run_id"], &problem["line"]),
        (5, &json!("run-1"), &json!(3))
    );
    let (seen, _) = see(&folder, &["ledger", "verify", "plan.org"]);
    assert!(
        seen.starts_with("error: run `run-1`: line 3 of its log is gone or changed\n"),
        "{seen}"
    );
    fs::remove_dir_all(runs("run-1")).unwrap();
    let ended = ask(&folder, &["ledger", "verify", "plan.org"]);
    assert_eq!(
        (ended.exit, &data(&ended)["problems"][0]["kind"]),
        (5, &json!("missing"))
    );
}

#[test]
fn a_plan_does_not_answer_with_the_rows_of_its_neighbour() {
    let folder = folder();
    fs::write(folder.path().join("other.org"), "* TODO Build\n").unwrap();
    for args in [
        &["telemetry", "other.org"][..],
        &["telemetry", "other.org", "--task", "build"],
        &["telemetry", "gone.org"],
        &["telemetry", "other.org", "--sql", "SELECT 1"],
    ] {
        assert_eq!(ask(&folder, args).exit, 4, "{args:?}");
    }
}

#[test]
fn a_seal_can_be_demanded_of_somebody() {
    let folder = folder();
    let did = ask(&folder, &["ledger", "key"]).stdout.trim().to_owned();
    let stranger = "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp";
    assert_eq!(ask(&folder, &["ledger", "verify", "--by", &did]).exit, 0);
    assert_eq!(ask(&folder, &["ledger", "verify", "--by", stranger]).exit, 5);
}

#[test]
fn show_lists_the_steps_of_the_newest_run() {
    let folder = folder();
    let expected = "\
N  TIME                  KIND     WHAT   OUTCOME
1  2023-11-14T22:13:21Z  run
2  2023-11-14T22:13:21Z  step     sh     0
3  2023-11-14T22:13:21Z  verdict  build  DONE
4  2023-11-14T22:13:21Z  end             over

4 lines
";
    assert_eq!(see(&folder, &["ledger", "show", "plan.org"]), (expected.to_owned(), 0));
    assert_eq!(data(&ask(&folder, &["ledger", "show"])).as_array().unwrap().len(), 4);
}

#[test]
fn another_history_directory_can_be_named() {
    let folder = folder();
    let named = history_dir(&folder);
    let asked = |dir: &str| {
        let mut wbx = folder.wbx(&["telemetry", "plan.org", "--history", dir]);
        run(wbx.env("XDG_STATE_HOME", "/nowhere")).exit
    };
    assert_eq!(asked(named.to_str().unwrap()), 0);
}

#[test]
fn what_is_not_there_or_cannot_be_asked_has_its_exit_code() {
    let folder = folder();
    fs::create_dir(folder.path().join("empty")).unwrap();
    fs::write(folder.path().join("text.db"), "not a database, not even nearly one").unwrap();
    for (args, exit) in [
        (&["telemetry", "empty"][..], 4),
        (&["telemetry", "empty/gone.org"], 4),
        (&["telemetry", "text.db"], 1),
        (&["telemetry"], 2),
        (&["telemetry", "plan.org", "--sql", "DELETE FROM task_events"], 2),
        (&["telemetry", "plan.org", "--sql", "SELEKT"], 2),
        (&["telemetry", "plan.org", "--sql", "SELECT 1", "--task", "build"], 2),
        (&["ledger", "verify", "empty"], 4),
        (&["ledger", "show", "gone.jsonl"], 4),
        (&["ledger", "frob"], 2),
        (&["ledger", "key", "more"], 2),
    ] {
        assert_eq!(ask(&folder, args).exit, exit, "{args:?}");
        assert_eq!(
            ask(&folder, &[args, &["--json"]].concat()).exit,
            exit,
            "{args:?} as JSON"
        );
    }
}

#[test]
fn what_a_worker_wrote_cannot_steer_the_terminal() {
    let folder = Folder::with(&[("plan.org", "* TODO Build\n")]);
    leave_a_run(&folder, r"\u001B[2Jbuild", "DONE");
    for args in [&["telemetry", "plan.org"][..], &["ledger", "show"]] {
        let (seen, _) = see(&folder, args);
        assert!(!seen.contains('\x1B'), "{args:?}: {seen:?}");
    }
}
