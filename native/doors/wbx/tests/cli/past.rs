//! Runs that were, for verbs that look back.

use crate::program::Folder;
use history::{Home, Run};
use std::path::PathBuf;

/// The history directory of wbx when `state` in the folder is its state directory.
pub fn history_dir(folder: &Folder) -> PathBuf {
    folder.path().join("state/workbooks/history")
}

/// Leaves a run of `plan.org` that took one step and gave one verdict.
pub fn leave_a_run(folder: &Folder, task: &str, state: &str) {
    let home = Home::open(&history_dir(folder)).unwrap();
    let plan = folder.path().join("plan.org");
    let runs = history::runs(&home, &plan).map_or(0, |runs| runs.len());
    let ts = 1_700_000_000_000 + 1_000 * runs as i64;
    let run = Run::open(&home, &plan, &format!("run-{}", runs + 1), ts).unwrap();
    run.step(&format!(
        r#"{{"step":1,"tool":"sh","exit_code":0,"dur_ms":5,"ts":{ts}}}"#
    ))
    .unwrap();
    let reason = if state == "DONE" {
        "null"
    } else {
        "\"the check said no\""
    };
    run.verdict(&format!(
        r#"{{"task_id":"{task}","idx":0,"title":"T","state":"{state}","how":"test -s out","reason":{reason},"ts":{ts}}}"#
    ))
    .unwrap();
    assert_eq!(run.close(), Vec::<String>::new());
}
