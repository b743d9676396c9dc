//! Runs as their histories know them: whoever started them, and whatever became of that engine.

use failure::Failure;
use history::{FoundRun, find_run};
use operations::Context;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The run with this id.
pub(crate) fn find(context: &Context, run: &str) -> Result<Option<FoundRun>, Failure> {
    let home = context.parts.history(context.history.as_deref())?;
    Ok(find_run(&home, run)?)
}

/// What a run is, seen from its history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Somebody works on it.
    Running,
    /// It came to its end, or was ended.
    Over,
    /// Its engine is gone, and it can go on.
    CutOff,
}

pub(crate) fn stage(found: &FoundRun) -> Stage {
    match (found.run.closed, found.at_work) {
        (true, _) => Stage::Over,
        (false, true) => Stage::Running,
        (false, false) => Stage::CutOff,
    }
}

/// How it stands, in the words of `run.status` and of the end of `run.start`.
pub(crate) fn standing(found: &FoundRun) -> Value {
    let verdict = |id: &str| found.verdicts.iter().rev().find(|event| event.task_id == id);
    // A log without an outline names its tasks by their verdicts alone.
    let judged = |event: &history::TaskEvent| (event.task_id.clone(), event.title.clone().unwrap_or_default());
    let mut listed = found.open.clone();
    if listed.is_empty() {
        listed = found.verdicts.iter().map(judged).collect();
    }
    let tasks: Vec<Value> = listed
        .iter()
        .map(|(id, title)| match verdict(id) {
            Some(event) => json!({
                "id": id,
                "title": title,
                "state": event.state.to_lowercase(),
                "reason": event.reason,
                "how": event.how,
                "output": event.output.as_deref().unwrap_or_default(),
            }),
            None => json!({"id": id, "title": title, "state": "waiting"}),
        })
        .collect();
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for task in &tasks {
        *counts.entry(task["state"].as_str().unwrap_or_default()).or_default() += 1;
    }
    let earned = tasks.iter().all(|task| task["state"] == "done");
    let state = match stage(found) {
        Stage::Running => "running",
        Stage::CutOff => "cut_off",
        Stage::Over if earned => "done",
        Stage::Over => "partial",
    };
    json!({
        "id": found.run.run_id,
        "plan": found.plan.to_string_lossy(),
        "state": state,
        "started": found.run.started,
        "counts": counts,
        "tasks": tasks,
        "amendments": [],
        "warnings": ["this is what the history says; the engine that ran it is not asked"],
    })
}
