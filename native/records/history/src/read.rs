//! Looking back: what became of the tasks of a plan.

use crate::copies::TELEMETRY;
use crate::past::{Past, Problem};
use crate::record::{Purpose, Record, Verdict};
use crate::{Error, Home, begin, database, place, verify};
use outline::{Amendment, Outline};
use rusqlite::Row;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A verdict, as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TaskEvent {
    /// The run that gave it.
    pub run_id: String,
    /// The task.
    pub task_id: String,
    /// The task's place in the plan at that time.
    pub idx: Option<i64>,
    /// Its title at that time.
    pub title: Option<String>,
    /// What it became: DONE, FAILED, PARTIAL.
    pub state: String,
    /// What the worker put out.
    pub output: Option<String>,
    /// When, in milliseconds since 1970.
    pub ts: i64,
    /// What earned it.
    pub how: Option<String>,
    /// Why it was not earned.
    pub reason: Option<String>,
}

/// A run of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PastRun {
    /// Its id.
    pub run_id: String,
    /// How many lines its log has.
    pub lines: u64,
    /// When it began, in milliseconds since 1970.
    pub started: i64,
    /// Whether it came to its end.
    pub closed: bool,
}

/// Every verdict on every task of a plan, the oldest first.
///
/// `at` is a plan, a directory of plans, or a telemetry database. For a plan the logs of its runs are read, and nothing
/// else. For a directory without any the copy in it is read: a copy is for looking, and proves nothing.
pub fn events(home: &Home, at: &Path) -> Result<Vec<TaskEvent>, Error> {
    let mut events = Vec::new();
    match sources(home, at)? {
        Sources::Slots(slots) => {
            for slot in slots {
                events.extend(verdicts(&Past::of_slot(&slot)?));
            }
        }
        Sources::Copy(database) => events = copied(&database)?,
    }
    // The verdicts of one plan are in order; those of several are not among each other.
    events.sort_by_key(|event| event.ts);
    Ok(events)
}

/// Every verdict on one task, the oldest first: did this check ever pass?
pub fn task_history(home: &Home, at: &Path, task: &str) -> Result<Vec<TaskEvent>, Error> {
    let mut events = events(home, at)?;
    events.retain(|event| event.task_id == task);
    Ok(events)
}

/// The newest verdict on each task of a plan, from the logs of its runs.
pub fn last_verdicts(home: &Home, plan: &Path) -> Result<Vec<TaskEvent>, Error> {
    Ok(newest(&Past::read(home, plan)?))
}

/// The text of a plan.
pub fn text(plan: &Path) -> Result<String, Error> {
    let (bytes, _) = crate::exchange::read(&place::of_plan(plan)?)?;
    String::from_utf8(bytes).map_err(|e| Error::NotText(e.utf8_error().valid_up_to()))
}

/// What the logs of a plan's runs say about a text of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Review {
    /// The newest verdict on each task.
    pub verdicts: Vec<TaskEvent>,
    /// Tasks of the text that are not what was sealed, and that nobody has accepted.
    pub amendments: Vec<Amendment>,
    /// What is wrong with the logs.
    pub problems: Vec<Problem>,
}

/// Holds a text of a plan against the logs of its runs, which are read once. A plan that was never run has nothing to say.
pub fn review(home: &Home, plan: &Path, org: &str) -> Result<Review, Error> {
    let past = match Past::read(home, plan) {
        Err(Error::NoHistory(_)) => return Ok(Review::default()),
        past => past?,
    };
    Ok(Review {
        verdicts: newest(&past),
        amendments: begin::promised(&past).baseline.compare(&Outline::read(org)?),
        problems: verify::problems(&past),
    })
}

/// The runs of a plan, the oldest first.
pub fn runs(home: &Home, at: &Path) -> Result<Vec<PastRun>, Error> {
    let slots = match sources(home, at)? {
        Sources::Slots(slots) => slots,
        Sources::Copy(_) => return Err(Error::NoHistory(at.to_owned())),
    };
    let mut runs = Vec::new();
    for slot in slots {
        let past = Past::of_slot(&slot)?;
        let newest = past.logs.len().saturating_sub(1);
        runs.extend(past.logs.iter().enumerate().map(|(i, log)| PastRun {
            run_id: log.link.run_id.clone(),
            lines: log.chain.count(),
            started: log.link.started,
            closed: match &log.link.first {
                Some(first) => log.over || first.purpose == Purpose::Acceptance,
                // Logs of version 1 do not say it themselves; only the newest can be unfinished.
                None => i != newest || database::is_closed(&slot.join(TELEMETRY), &log.link.run_id),
            },
        }));
    }
    Ok(runs)
}

/// What is wrong with the logs of a plan's runs.
pub fn problems(home: &Home, plan: &Path) -> Result<Vec<Problem>, Error> {
    Ok(crate::verify::problems(&Past::read(home, plan)?))
}

pub(crate) fn newest(past: &Past) -> Vec<TaskEvent> {
    let mut last: HashMap<String, TaskEvent> = HashMap::new();
    for event in verdicts(past) {
        last.insert(event.task_id.clone(), event);
    }
    let mut events: Vec<TaskEvent> = last.into_values().collect();
    events.sort_by(|a, b| (a.idx, a.ts, &a.task_id).cmp(&(b.idx, b.ts, &b.task_id)));
    events
}

fn verdicts(past: &Past) -> impl Iterator<Item = TaskEvent> {
    past.lines().filter_map(|(run_id, line)| match &line.record {
        Record::Verdict(verdict) => Some(event(run_id, verdict)),
        _ => None,
    })
}

pub(crate) fn event(run_id: &str, verdict: &Verdict) -> TaskEvent {
    TaskEvent {
        run_id: run_id.to_owned(),
        task_id: verdict.task_id.clone(),
        idx: verdict.idx,
        title: verdict.title.clone(),
        state: verdict.state.clone(),
        output: verdict.output.clone(),
        ts: verdict.ts,
        how: verdict.how.clone(),
        reason: verdict.reason.clone(),
    }
}

/// Where there is something to read.
pub(crate) enum Sources {
    /// The slots of plans.
    Slots(Vec<PathBuf>),
    /// A telemetry database that somebody has.
    Copy(PathBuf),
}

pub(crate) fn sources(home: &Home, at: &Path) -> Result<Sources, Error> {
    let path = place::of_past_plan(at);
    let unknown = || Error::NoHistory(at.to_owned());
    if path.is_dir() {
        let slots: Vec<PathBuf> = home.plans_in(&path)?.iter().map(|plan| home.slot(plan)).collect();
        let copy = path.join(TELEMETRY);
        return match (slots.is_empty(), copy.is_file()) {
            (false, _) => Ok(Sources::Slots(slots)),
            (true, true) => Ok(Sources::Copy(copy)),
            (true, false) => Err(unknown()),
        };
    }
    if path.extension().is_some_and(|extension| extension == "db") {
        return if path.is_file() {
            Ok(Sources::Copy(path))
        } else {
            Err(unknown())
        };
    }
    // A plan answers for itself alone: the copies beside it may be its neighbour's.
    let slot = home.slot(&path);
    if slot.join("runs").is_dir() {
        return Ok(Sources::Slots(vec![slot]));
    }
    if path.exists() {
        Err(unknown())
    } else {
        Err(Error::NoPlan(at.to_owned()))
    }
}

fn copied(path: &Path) -> Result<Vec<TaskEvent>, Error> {
    let connection = database::open_to_read(path)?;
    let mut statement = connection.prepare(
        "SELECT run_id, task_id, idx, title, state, output, ts, how, reason
         FROM task_events LEFT JOIN verdicts ON event = task_events.rowid ORDER BY task_events.rowid",
    )?;
    let rows = statement.query_map([], row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn row(row: &Row<'_>) -> rusqlite::Result<TaskEvent> {
    Ok(TaskEvent {
        run_id: row.get(0)?,
        task_id: row.get(1)?,
        idx: row.get(2)?,
        title: row.get(3)?,
        state: row.get(4)?,
        output: row.get(5)?,
        ts: row.get(6)?,
        how: row.get(7)?,
        reason: row.get(8)?,
    })
}
