//! `wbx status`: what the plan says, and what of it somebody saw being earned. It needs no engine.

use crate::{
    answer::{Answer, Item, View, count},
    call::Call,
    claim::unproven,
    exit::Exit,
    failure::Failure,
};
use history::{Home, TaskEvent};
use oql::Task;
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

#[derive(Serialize)]
struct Status {
    tasks: Vec<Row>,
    unproven: usize,
}

/// One task of the plan.
#[derive(Serialize)]
struct Row {
    id: String,
    title: String,
    state: String,
    line: usize,
    /// Why its DONE counts for nothing.
    unproven: Option<String>,
    /// The last that a run said of it.
    verdict: Option<Verdict>,
    #[serde(skip)]
    depth: usize,
}

#[derive(Serialize)]
struct Verdict {
    state: String,
    reason: Option<String>,
    how: Option<String>,
    run_id: String,
    ts: i64,
}

const CANCELLED: [&str; 2] = ["CANCELLED", "CANCELED"];

pub fn run(call: &Call) -> Result<Answer, Failure> {
    let source = call.source("PLAN")?;
    let tasks = oql::tasks(&source.text)?;
    let done: BTreeSet<usize> = oql::query(&source.text, "(done)")?.iter().map(|row| row.line).collect();
    let last = last_verdicts(call)?;
    let rows: Vec<Row> = tasks.into_iter().filter_map(|task| row(task, &done, &last)).collect();
    let unproven = rows.iter().filter(|row| row.unproven.is_some()).count();
    let status = Status { tasks: rows, unproven };
    Ok(Answer::new(status, Exit::Ok, |status| Ok(view(status))))
}

/// A plan that was never run has no verdicts, which is no failure.
fn last_verdicts(call: &Call) -> Result<BTreeMap<String, TaskEvent>, Failure> {
    let home = Home::open_or_default(call.path("history").map(Path::new))?;
    match history::last_verdicts(&home, Path::new(call.path("PLAN").unwrap_or_default())) {
        Ok(events) => Ok(events.into_iter().map(|event| (event.task_id.clone(), event)).collect()),
        Err(history::Error::NoHistory(_)) => Ok(BTreeMap::new()),
        Err(error) => Err(error.into()),
    }
}

/// A headline without a keyword is no task.
fn row(task: Task, done: &BTreeSet<usize>, last: &BTreeMap<String, TaskEvent>) -> Option<Row> {
    let state = task.state.clone()?;
    let last = last.get(&task.id);
    let claims = done.contains(&task.line) && !CANCELLED.contains(&state.as_str());
    Some(Row {
        unproven: if claims { unproven(&task, last) } else { None },
        verdict: last.map(|event| Verdict {
            state: event.state.clone(),
            reason: event.reason.clone(),
            how: event.how.clone(),
            run_id: event.run_id.clone(),
            ts: event.ts,
        }),
        depth: task.path.len().saturating_sub(1),
        id: task.id,
        title: task.title,
        state,
        line: task.line,
    })
}

fn view(status: Status) -> View {
    let summary = match status.unproven {
        0 => count(status.tasks.len(), "task"),
        n => format!("{}, {}", count(status.tasks.len(), "task"), count(n, "unproven claim")),
    };
    View::Outline(status.tasks.into_iter().map(item).collect(), summary)
}

fn item(row: Row) -> Item {
    let aside = match (row.unproven, row.verdict) {
        (Some(why), _) => format!("(unproven: {why})"),
        (
            None,
            Some(Verdict {
                reason: Some(reason), ..
            }),
        ) => format!("({reason})"),
        (None, Some(Verdict { how: Some(how), .. })) => format!("({how})"),
        _ => String::new(),
    };
    Item {
        depth: row.depth,
        state: Some(row.state),
        text: row.title,
        aside,
    }
}
