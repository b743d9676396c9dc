//! What a run leaves, and where.

mod scratch;

use history::{Error, Home, MAX_TEXT, Run};
use scratch::{Scratch, select, step, verdict};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

#[test]
fn a_verdict_leaves_a_line_and_a_row_and_copies_of_both() {
    let scratch = Scratch::new();
    let run = scratch.run("run-1");
    run.step(&step(1)).unwrap();
    assert_eq!(
        run.verdict(&verdict("ship", "DONE", 2_000)).unwrap(),
        Vec::<String>::new()
    );
    for database in [scratch.slot().join("_telemetry.db"), scratch.beside("_telemetry.db")] {
        assert_eq!(
            select(&database, "SELECT * FROM task_events"),
            ["run-1 ship 0 Title of ship DONE out 2000"]
        );
        assert_eq!(
            select(&database, "SELECT * FROM step_events"),
            ["run-1 1 sh 0 NULL 5 1001"]
        );
    }
    let truth = fs::read_to_string(scratch.steps("run-1")).unwrap();
    assert_eq!(fs::read_to_string(scratch.beside("_steps.jsonl")).unwrap(), truth);
    let lines: Vec<serde_json::Value> = truth.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    for (line, kind) in lines.iter().zip(["run", "step", "verdict"]) {
        assert_eq!(line["kind"], kind);
    }
    assert_eq!(
        (&lines[0]["v"], &lines[0]["previous"]),
        (&2.into(), &serde_json::Value::Null)
    );
    assert_eq!((&lines[2]["n"], &lines[2]["how"]), (&3.into(), &"done-when".into()));
}

#[test]
fn the_tables_have_the_columns_of_the_specification() {
    let scratch = Scratch::new();
    scratch.run("run-1").verdict(&verdict("ship", "DONE", 1)).unwrap();
    for (table, columns) in [
        ("task_events", "run_id task_id idx title state output ts"),
        ("step_events", "run_id step tool exit_code error dur_ms ts"),
    ] {
        let found = select(
            &scratch.beside("_telemetry.db"),
            &format!("SELECT name FROM pragma_table_info('{table}')"),
        );
        assert_eq!(found.join(" "), columns);
    }
}

#[test]
fn the_log_and_its_copy_verify_after_every_verdict() {
    let scratch = Scratch::new();
    let run = scratch.run("run-1");
    for n in 1..=3 {
        run.step(&step(n)).unwrap();
        run.verdict(&verdict("ship", "FAILED", n)).unwrap();
        run.seal(5_000).unwrap();
        for at in [&scratch.plan, &scratch.beside("_steps.jsonl"), &scratch.beside("")] {
            let verdict = history::verify(&scratch.home, at).unwrap();
            assert!(verdict.is_sound(), "{verdict:?}");
            assert_eq!(verdict.count, 1 + 2 * n);
            assert_eq!(verdict.did, scratch.home.signer().unwrap().did());
        }
    }
}

#[test]
fn every_run_has_a_log_and_the_telemetry_spans_them() {
    let scratch = Scratch::new();
    for (run_id, state) in [("run-1", "FAILED"), ("run-2", "DONE")] {
        let run = scratch.run(run_id);
        run.verdict(&verdict("ship", state, 7)).unwrap();
        run.close();
        // The first line, the verdict, the end.
        assert_eq!(fs::read_to_string(scratch.steps(run_id)).unwrap().lines().count(), 3);
    }
    assert_eq!(
        select(
            &scratch.beside("_telemetry.db"),
            "SELECT run_id, state FROM task_events"
        ),
        ["run-1 FAILED", "run-2 DONE"]
    );
    let copy = fs::read(scratch.beside("_steps.jsonl")).unwrap();
    assert_eq!(
        copy,
        fs::read(scratch.steps("run-2")).unwrap(),
        "the copy is the newest run's"
    );
}

#[test]
fn a_run_goes_on_under_its_id() {
    let scratch = Scratch::new();
    scratch.run("run-1").verdict(&verdict("a", "DONE", 1)).unwrap();
    scratch.run("run-1").verdict(&verdict("b", "DONE", 2)).unwrap();
    let verdict = history::verify(&scratch.home, &scratch.plan).unwrap();
    assert_eq!((verdict.is_sound(), verdict.count), (true, 3));
}

#[test]
fn a_burst_of_verdicts_is_published_a_moment_later_and_whole_at_the_end() {
    let scratch = Scratch::new();
    let run = scratch.run("run-1");
    for n in 0..200 {
        run.verdict(&verdict(&format!("task-{n}"), "DONE", n)).unwrap();
    }
    let published = || {
        fs::read_to_string(scratch.beside("_steps.jsonl"))
            .unwrap()
            .lines()
            .count()
    };
    let waited = std::time::Instant::now();
    while published() < 201 {
        assert!(waited.elapsed().as_secs() < 10, "{} lines are published", published());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    run.verdict(&verdict("last", "DONE", 200)).unwrap();
    run.close();
    assert_eq!(published(), 203);
    assert!(
        history::verify(&scratch.home, &scratch.beside("_steps.jsonl"))
            .unwrap()
            .is_sound()
    );
}

#[test]
fn a_spoiled_copy_is_put_right_and_the_truth_is_not_touched() {
    let scratch = Scratch::new();
    let victim = scratch.dir.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    let run = scratch.run("run-1");
    run.verdict(&verdict("a", "FAILED", 1)).unwrap();
    // A worker forges the copies; one becomes a way out of the working directory.
    fs::write(scratch.beside("_telemetry.db"), "forged").unwrap();
    fs::remove_file(scratch.beside("_steps.jsonl")).unwrap();
    symlink(&victim, scratch.beside("_steps.jsonl")).unwrap();
    assert_eq!(
        history::last_verdicts(&scratch.home, &scratch.plan).unwrap()[0].state,
        "FAILED"
    );
    run.close();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    assert_eq!(
        fs::read(scratch.beside("_steps.jsonl")).unwrap(),
        fs::read(scratch.steps("run-1")).unwrap()
    );
    assert_eq!(
        select(&scratch.beside("_telemetry.db"), "SELECT state FROM task_events"),
        ["FAILED"]
    );
}

#[test]
fn the_history_directory_and_the_key_are_private() {
    let scratch = Scratch::new();
    scratch.run("run-1").verdict(&verdict("a", "DONE", 1)).unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let home = scratch.dir.path().join("history");
    assert_eq!(mode(&home), 0o700);
    assert_eq!(mode(&home.join("key")), 0o600);
    assert_eq!(mode(&scratch.slot()), 0o700);
    assert_eq!(fs::read(home.join("key")).unwrap().len(), 32);
    let plan = fs::read_to_string(scratch.slot().join("plan")).unwrap();
    assert_eq!(plan, scratch.plan.canonicalize().unwrap().to_str().unwrap());
}

#[test]
fn a_history_directory_that_others_can_write_to_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(Home::open(dir.path()).unwrap_err().code(), "not_private");
}

#[test]
fn a_key_that_others_can_read_seals_nothing_and_stops_no_run() {
    let scratch = Scratch::new();
    scratch.home.signer().unwrap();
    let key = scratch.dir.path().join("history/key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    let run = scratch.run("run-1");
    assert!(
        run.found()[0].starts_with("the run is not sealed: "),
        "{:?}",
        run.found()
    );
    run.verdict(&verdict("a", "DONE", 1)).unwrap();
    assert_eq!(
        history::verify(&scratch.home, &scratch.plan).unwrap_err().code(),
        "not_sealed"
    );
}

#[test]
fn two_who_start_together_get_the_same_key() {
    let scratch = Scratch::new();
    let dids: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| scratch.home.signer().unwrap().did()))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(dids.iter().all(|did| *did == dids[0]));
}

#[test]
fn what_cannot_be_recorded_is_refused_and_leaves_nothing() {
    let scratch = Scratch::new();
    let run = scratch.run("run-1");
    for record in [
        "",
        "[]",
        "{}",
        r#"{"ts":"now"}"#,
        r#"{"ts":1,"kind":"x"}"#,
        r#"{"ts":1,"n":1}"#,
    ] {
        let code = run.step(record).unwrap_err().code();
        assert!(["bad_option", "not_json"].contains(&code), "{record}: {code}");
    }
    assert_eq!(
        run.verdict(r#"{"ts":1,"task_id":"a"}"#).unwrap_err().code(),
        "bad_option"
    );
    run.close();
    let log = fs::read_to_string(scratch.steps("run-1")).unwrap();
    let kinds: Vec<bool> = log
        .lines()
        .map(|line| line.contains(r#""kind":"run""#) || line.contains(r#""kind":"end""#))
        .collect();
    assert_eq!(kinds, [true, true]);
}

#[test]
fn a_run_id_is_a_plain_name() {
    let scratch = Scratch::new();
    for run_id in ["", ".", "..", "../x", "a/b", ".hidden", "a b", "ä", &"x".repeat(129)] {
        let refused = Run::open(&scratch.home, &scratch.plan, run_id, 1).err().unwrap();
        assert!(matches!(refused, Error::BadRunId(_)), "{run_id}");
    }
}

#[test]
fn a_long_output_is_cut_and_says_so() {
    let scratch = Scratch::new();
    let run = scratch.run("run-1");
    let output = "ä".repeat(MAX_TEXT);
    run.verdict(&format!(
        r#"{{"task_id":"a","state":"DONE","output":"{output}","ts":1}}"#
    ))
    .unwrap();
    let kept = history::events(&scratch.home, &scratch.plan).unwrap()[0]
        .output
        .clone()
        .unwrap();
    assert!(kept.len() < MAX_TEXT + 100);
    assert!(
        kept.ends_with(&format!("ä… ({} bytes in all)", 2 * MAX_TEXT)),
        "{}",
        &kept[kept.len() - 40..]
    );
}

#[test]
fn a_closed_run_records_no_more() {
    let scratch = Scratch::new();
    let run = scratch.run("run-1");
    run.close();
    assert_eq!(run.step(&step(1)).unwrap_err().code(), "closed");
    assert_eq!(run.close(), Vec::<String>::new());
}

#[test]
fn a_database_of_another_version_is_refused_and_stays_as_it_is() {
    let scratch = Scratch::new();
    scratch.run("run-1").close();
    let database = scratch.slot().join("_telemetry.db");
    select(&database, "PRAGMA journal_mode = DELETE");
    select(&database, "PRAGMA user_version = 9");
    let before = fs::read(&database).unwrap();
    let refused = Run::open(&scratch.home, &scratch.plan, "run-2", 1).err().unwrap();
    assert_eq!(refused.code(), "unknown_version");
    let asked = history::query(&scratch.home, &scratch.plan, "SELECT 1");
    assert_eq!(asked.unwrap_err().code(), "unknown_version");
    assert_eq!(fs::read(&database).unwrap(), before);
}
