//! What is acknowledged must be there; what is not may be cut.

mod scratch;

use history::Run;
use scratch::{Scratch, select, step, verdict};
use std::fs;
use std::io::Write;

/// A run of two verdicts that was never closed.
fn interrupted() -> Scratch {
    let scratch = Scratch::new();
    let run = scratch.run("old");
    run.verdict(&verdict("a", "DONE", 1)).unwrap();
    run.verdict(&verdict("b", "FAILED", 2)).unwrap();
    drop(run);
    scratch
}

fn append(scratch: &Scratch, bytes: &[u8]) {
    let mut log = fs::File::options().append(true).open(scratch.steps("old")).unwrap();
    log.write_all(bytes).unwrap();
}

#[test]
fn a_torn_end_is_cut() {
    for torn in [&b"{\"n\":3,\"pre"[..], b"\n", b"\0\0\0\0", b"{}\n", b"{\"n\":3}\n\n\n"] {
        let scratch = interrupted();
        let whole = fs::read(scratch.steps("old")).unwrap();
        append(&scratch, torn);
        assert!(scratch.run("new").found().is_empty());
        let log = fs::read(scratch.steps("old")).unwrap();
        // Only its end was added: another run came after it.
        let added = log.strip_prefix(&whole[..]).unwrap();
        assert!(String::from_utf8_lossy(added).contains(r#""state":"abandoned""#));
        assert!(
            history::verify(&scratch.home, &scratch.steps("old"))
                .unwrap()
                .is_sound()
        );
    }
}

#[test]
fn whole_lines_after_the_acknowledged_ones_are_kept_and_get_their_rows() {
    let scratch = interrupted();
    let log = fs::read_to_string(scratch.steps("old")).unwrap();
    let mut chain = ledger::Chain::new();
    log.lines().for_each(|line| chain.append(line.as_bytes()));
    let verdict = verdict("c", "DONE", 3).replacen('{', r#"{"kind":"verdict","#, 1);
    let step = step(9).replacen('{', r#"{"kind":"step","#, 1);
    for object in [step, verdict] {
        append(&scratch, format!("{}\n", chain.link(&object).unwrap()).as_bytes());
    }
    append(&scratch, b"{\"torn");
    scratch.run("new");
    let database = scratch.slot().join("_telemetry.db");
    assert_eq!(
        select(&database, "SELECT task_id, state FROM task_events ORDER BY rowid"),
        ["a DONE", "b FAILED", "c DONE"]
    );
    assert_eq!(select(&database, "SELECT step FROM step_events"), ["9"]);
    assert!(
        history::verify(&scratch.home, &scratch.steps("old"))
            .unwrap()
            .is_sound()
    );
}

#[test]
fn an_acknowledged_line_that_is_gone_or_changed_is_reported_and_not_repaired() {
    type Spoil = (u64, fn(&str) -> String);
    let spoils: [Spoil; 3] = [
        (2, |log| log.lines().next().unwrap().to_owned() + "\n"),
        (2, |log| log.replacen("DONE", "done", 1)),
        (3, |log| log.replacen("FAILED", "DONE", 1)),
    ];
    for (line, spoil) in spoils {
        let scratch = interrupted();
        let spoiled = spoil(&fs::read_to_string(scratch.steps("old")).unwrap());
        fs::write(scratch.steps("old"), &spoiled).unwrap();
        let expected = format!("the log of run `old` is not what was acknowledged: line {line} is gone or changed");
        assert_eq!(scratch.run("new").found(), std::slice::from_ref(&expected));
        assert_eq!(fs::read_to_string(scratch.steps("old")).unwrap(), spoiled);
        let scratch = interrupted();
        fs::write(
            scratch.steps("old"),
            spoil(&fs::read_to_string(scratch.steps("old")).unwrap()),
        )
        .unwrap();
        let refused = Run::open(&scratch.home, &scratch.plan, "old", 1).err().unwrap();
        assert_eq!((refused.code(), refused.to_string()), ("corrupt", expected));
    }
}

#[test]
fn a_run_whose_log_is_gone_is_missed() {
    let scratch = interrupted();
    fs::remove_file(scratch.steps("old")).unwrap();
    let run = scratch.run("new");
    run.verdict(&verdict("c", "DONE", 3)).unwrap();
    run.close();
    let found = history::verify_plan(&scratch.home, &scratch.plan).unwrap();
    assert!(!found.is_sound(), "{found:?}");
}
