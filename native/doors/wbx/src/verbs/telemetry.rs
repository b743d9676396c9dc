//! `wbx telemetry`: what became of the tasks of a plan.

use crate::{
    answer::{Answer, View, count},
    call::Call,
    exit::Exit,
    failure::Failure,
    moment, parts,
};
use history::TaskEvent;
use serde_json::{Value, json};

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let at = parts::path(call.path("WHERE").unwrap_or_default())?;
    match (call.text("task"), call.text("sql")) {
        (Some(_), Some(_)) => Err(Failure::usage(
            "--task and --sql are two questions",
            "ask one; in SQL a task is `WHERE task_id = ..`",
        )),
        (_, Some(sql)) => rows(parts::ask(call, "telemetry.query", json!({"at": at, "sql": sql}))?),
        (task, None) => verdicts(parts::ask(call, "telemetry.events", json!({"at": at, "task": task}))?),
    }
}

fn verdicts(events: Vec<TaskEvent>) -> Result<Answer, Failure> {
    Ok(Answer::new(events, Exit::Ok, |events| {
        let head = vec!["TIME", "RUN", "TASK", "STATE", "HOW", "REASON"];
        let summary = count(events.len(), "verdict");
        Ok(View::Table(head, events.into_iter().map(cells).collect(), summary))
    }))
}

fn cells(event: TaskEvent) -> Vec<String> {
    vec![
        moment::utc(event.ts),
        event.run_id,
        event.task_id,
        event.state,
        event.how.unwrap_or_default(),
        event.reason.unwrap_or_default(),
    ]
}

/// A program gets the rows; the names of the columns are for people.
fn rows(history::Answer { columns, rows }: history::Answer) -> Result<Answer, Failure> {
    Ok(Answer::new(rows, Exit::Ok, |rows| {
        let summary = count(rows.len(), "row");
        let text = |cell: Value| match cell {
            Value::Null => String::new(),
            Value::String(text) => text,
            other => other.to_string(),
        };
        let rows = rows.into_iter().map(|row| row.into_iter().map(text).collect());
        Ok(View::Rows(columns, rows.collect(), summary))
    }))
}
