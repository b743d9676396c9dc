//! Runs as tasks of the protocol. A task is a run, and its id is the run's: what a server says about one comes from the
//! run's history, so it can say it after it was killed and started again.

use crate::past::{self, Stage};
use crate::runs::{self, Known, Runs};
use crate::table::Tool;
use crate::{Grant, answer};
use failure::Failure;
use operations::Context;
use rmcp::ErrorData;
use rmcp::model::{DetailedTask, Task, TaskPayload, TaskStatus};
use serde_json::{Map, Value, json};

/// How often a client should ask, in milliseconds.
const POLL: u64 = 1_000;

/// The task of a run that has just begun.
pub(crate) fn begun(known: &Known) -> Task {
    Task::new(&known.id, TaskStatus::Working, &known.created, &known.created).with_poll_interval_ms(POLL)
}

/// How a task stands. One whose plan the caller may not read does not exist.
pub(crate) fn get(runs: &Runs, context: &Context, grant: &Grant, id: &str) -> Result<DetailedTask, ErrorData> {
    if let Some(known) = runs.get(id) {
        return match grant.directories.holds(&known.plan) {
            true => Ok(of_known(&known)),
            false => Err(unknown(id)),
        };
    }
    let found = past::find(context, id).map_err(|failure| ErrorData::internal_error(failure.message, None))?;
    let found = found.filter(|found| grant.directories.holds(&found.plan));
    let found = found.ok_or_else(|| unknown(id))?;
    let last = found.verdicts.last().map_or(found.run.started, |event| event.ts);
    let task = Task::new(
        id,
        TaskStatus::Working,
        runs::moment(found.run.started),
        runs::moment(last),
    );
    let task = task.with_poll_interval_ms(POLL);
    Ok(match past::stage(&found) {
        Stage::Running => DetailedTask::new(task, TaskPayload::Working),
        Stage::Over => DetailedTask::new(task, completed(Ok(past::standing(&found)))),
        Stage::CutOff => {
            let message = "the engine of this run ended before the run did; run_plan goes on where it stopped";
            let task = task.with_status_message(message);
            let error = json!({"code": -32603, "message": message, "data": past::standing(&found)});
            DetailedTask::new(task, TaskPayload::Failed { error: object(error) })
        }
    })
}

fn of_known(known: &Known) -> DetailedTask {
    let standing = known.standing.borrow().clone();
    let task = Task::new(&known.id, TaskStatus::Working, &known.created, runs::now()).with_poll_interval_ms(POLL);
    let task = task.with_status_message(standing.message);
    match standing.outcome {
        None => DetailedTask::new(task, TaskPayload::Working),
        Some(Ok(outcome)) if outcome["state"] == "cancelled" => DetailedTask::new(task, TaskPayload::Cancelled),
        Some(outcome) => DetailedTask::new(task, completed(outcome)),
    }
}

/// What `run_plan` would have answered.
fn completed(outcome: Result<Value, Failure>) -> TaskPayload {
    let tool = Tool::find("run_plan").expect("it is in the table");
    let result = answer::of(tool, outcome);
    TaskPayload::Completed {
        result: object(serde_json::to_value(result).unwrap_or_default()),
    }
}

pub(crate) fn unknown(id: &str) -> ErrorData {
    let id: String = id.chars().take(64).collect();
    ErrorData::invalid_params(format!("there is no task `{id}`"), None)
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
