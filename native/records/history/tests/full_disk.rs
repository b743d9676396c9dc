//! No room on the disk is a warning, not the end of a run. The child runs under `ulimit -f`, where files stop growing.

mod scratch;

use history::{Home, Run};
use scratch::{Scratch, select, verdict};
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
#[ignore = "runs as the child of the other test"]
fn child() {
    let dir = env::var_os("HISTORY_TEST_DIR").expect("the parent names a directory");
    let dir = Path::new(&dir);
    let home = Home::open(&dir.join("history")).unwrap();
    let run = Run::open(&home, &dir.join("work/plan.org"), "run-1", 1).unwrap();
    for n in 0..400 {
        let verdict = verdict(&format!("t{n}"), "DONE", n).replace("out\"", &format!("{}\"", "out".repeat(700)));
        let warnings = run.verdict(&verdict).unwrap();
        println!("\n{} {n}", if warnings.is_empty() { "safe" } else { "warned" });
    }
    let warnings = run.close();
    assert!(!warnings.is_empty());
    println!("\nclosed: {}", warnings[0]);
}

#[test]
fn a_full_disk_warns_and_loses_neither_the_run_nor_what_was_safe() {
    let scratch = Scratch::new();
    // Enough for the empty database, too little for 400 verdicts, in the log or in the database. An ignored signal stays ignored in the child.
    let output = Command::new("sh")
        .args([
            "-c",
            r#"trap '' XFSZ; ulimit -f 1000; exec "$0" --exact child --ignored --nocapture"#,
        ])
        .arg(env::current_exe().unwrap())
        .env("HISTORY_TEST_DIR", scratch.dir.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let lines = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    let (safe, warned) = (lines("safe"), lines("warned"));
    assert!(safe > 10 && warned > 10, "{safe} safe, {warned} warned");
    assert_eq!(safe + warned, 400, "every verdict was answered");

    // With room again, everything that was called safe is there, and the log holds together.
    let run = scratch.run("run-2");
    assert!(run.found().is_empty(), "{:?}", run.found());
    let rows = select(
        &scratch.slot().join("_telemetry.db"),
        "SELECT task_id FROM task_events ORDER BY rowid",
    );
    let expected: Vec<String> = (0..safe).map(|n| format!("t{n}")).collect();
    assert_eq!(rows[..safe], expected);
    let log = fs::read_to_string(scratch.steps("run-1")).unwrap();
    let verdicts = log.lines().filter(|line| line.contains(r#""kind":"verdict""#)).count();
    assert_eq!(verdicts, rows.len());
    assert!(
        history::verify(&scratch.home, &scratch.steps("run-1"))
            .unwrap()
            .is_sound()
    );
}
