//! SIGKILL at every write boundary of a run: the plan, the database and the log agree, and nothing acknowledged is lost.
//!
//! The child is this test binary, asked for its one ignored test. It runs a small run and says what is acknowledged.

mod scratch;

use history::{Accepting, Exchanged, FAULTS, Home, Run};
use scratch::{Scratch, select, step, verdict};
use std::env;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

const TASKS: u64 = 4;
const SIGKILL: i32 = 9;

/// The plan's text counts the tasks that are done.
#[test]
#[ignore = "runs as the child of the other tests"]
fn child() {
    let dir = env::var_os("HISTORY_TEST_DIR").expect("the parent names a directory");
    let dir = Path::new(&dir);
    let home = Home::open(&dir.join("history")).unwrap();
    let plan = dir.join("work/plan.org");
    let run = Run::open(&home, &plan, "killed", 1_000).unwrap();
    run.begin(Accepting { ids: &[], by: "a test" }, 1_500).unwrap();
    for n in 1..=TASKS {
        run.step(&step(n)).unwrap();
        assert_eq!(
            run.verdict(&verdict(&format!("t{n}"), "DONE", 2_000 + n)).unwrap(),
            Vec::<String>::new()
        );
        let (old, new) = ((n - 1).to_string(), n.to_string());
        let exchanged = run.exchange(old.as_bytes(), new.as_bytes());
        assert_eq!(exchanged.unwrap(), Exchanged::Swapped);
        println!("\nack {n}");
    }
    assert_eq!(run.close(), Vec::<String>::new());
    println!("\nclosed");
}

/// Runs the child until a fault kills it. Returns how many tasks it acknowledged; `None` if it came to its end.
fn run_and_kill(scratch: &Scratch, fault: &str) -> Option<u64> {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env("HISTORY_TEST_DIR", scratch.dir.path())
        .env("WORKBOOKS_FAULT", fault)
        .output()
        .unwrap();
    if output.status.success() {
        return None;
    }
    assert_eq!(output.status.signal(), Some(SIGKILL), "{fault}: {output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let acknowledged = text.lines().filter_map(|line| line.strip_prefix("ack ")?.parse().ok());
    Some(acknowledged.max().unwrap_or(0))
}

fn number(scratch: &Scratch) -> u64 {
    fs::read_to_string(&scratch.plan).unwrap().parse().unwrap()
}

/// Everything that must hold after the next run has opened the plan.
fn assert_agreement(scratch: &Scratch, fault: &str, acknowledged: u64) {
    let database = scratch.slot().join("_telemetry.db");
    assert_eq!(select(&database, "PRAGMA integrity_check"), ["ok"], "{fault}");
    let events = select(
        &database,
        "SELECT task_id FROM task_events WHERE run_id = 'killed' ORDER BY rowid",
    );
    let steps = select(
        &database,
        "SELECT step FROM step_events WHERE run_id = 'killed' ORDER BY rowid",
    );
    let log = fs::read_to_string(scratch.steps("killed")).unwrap_or_default();
    let lines = |kind: &str| {
        log.lines()
            .filter(|line| line.contains(&format!(r#""kind":"{kind}""#)))
            .count()
    };
    assert_eq!(
        (lines("verdict"), lines("step")),
        (events.len(), steps.len()),
        "{fault}: log and database"
    );
    let expected: Vec<String> = (1..=events.len()).map(|n| format!("t{n}")).collect();
    assert_eq!(events, expected, "{fault}");

    let done = number(scratch);
    assert!(
        done == acknowledged || done == acknowledged + 1,
        "{fault}: the plan says {done} of {acknowledged}"
    );
    assert!(
        done <= events.len() as u64,
        "{fault}: the plan says {done}, the history {}",
        events.len()
    );
    if !log.is_empty() {
        let verified = history::verify_plan(&scratch.home, &scratch.plan).unwrap();
        assert!(verified.is_sound(), "{fault}: {verified:?}");
    }
    let mut beside: Vec<String> = fs::read_dir(scratch.beside(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    beside.retain(|name| !["_ledger.json", "_steps.jsonl", "_telemetry.db"].contains(&name.as_str()));
    assert_eq!(beside, ["plan.org"], "{fault}: something is left over");
}

fn killed_at(fault: &str, next: &str) -> bool {
    let scratch = Scratch::new();
    fs::write(&scratch.plan, "0").unwrap();
    let Some(acknowledged) = run_and_kill(&scratch, fault) else {
        return false;
    };
    // Before the seal of a dead run is put right, it may be behind, but what it says is true.
    let run = scratch.run(next);
    assert_eq!(run.found(), Vec::<String>::new(), "{fault}");
    run.seal(9_000).unwrap();
    assert_agreement(&scratch, fault, acknowledged);
    // And life goes on.
    assert_eq!(
        run.verdict(&verdict("after", "DONE", 9_001)).unwrap(),
        Vec::<String>::new(),
        "{fault}"
    );
    run.close();
    let verified = history::verify_plan(&scratch.home, &scratch.plan).unwrap();
    assert!(verified.is_sound(), "{fault}: {verified:?}");
    assert!(
        history::verify(&scratch.home, &scratch.beside("_steps.jsonl"))
            .unwrap()
            .is_sound(),
        "{fault}"
    );
    let copied = select(&scratch.beside("_telemetry.db"), "SELECT count(*) FROM task_events");
    let truth = select(
        &scratch.slot().join("_telemetry.db"),
        "SELECT count(*) FROM task_events",
    );
    assert_eq!(copied, truth, "{fault}");
    true
}

#[test]
fn a_run_killed_at_any_point_is_followed_by_another() {
    for fault in FAULTS {
        assert!(killed_at(fault, "after"), "nobody comes by {fault}");
        for time in [2, 3] {
            killed_at(&format!("{fault}:{time}"), "after");
        }
    }
}

#[test]
fn a_run_killed_at_any_point_goes_on_under_its_id() {
    for fault in FAULTS {
        assert!(killed_at(fault, "killed"), "nobody comes by {fault}");
        killed_at(&format!("{fault}:2"), "killed");
    }
}

#[test]
fn an_unknown_point_kills_nobody() {
    let scratch = Scratch::new();
    fs::write(&scratch.plan, "0").unwrap();
    assert_eq!(run_and_kill(&scratch, "no.such.point"), None);
    assert_eq!(number(&scratch), TASKS);
}
