//! Looking back: what became of the tasks of a plan.

use crate::copies::TELEMETRY;
use crate::{Error, Home, database, place};
use rusqlite::{Connection, Params, Row};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A verdict, as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PastRun {
    /// Its id.
    pub run_id: String,
    /// How many lines of its log are in the database.
    pub lines: u64,
    /// When it began, in milliseconds since 1970.
    pub started: i64,
    /// Whether it came to its end.
    pub closed: bool,
}

const EVENTS: &str = "SELECT run_id, task_id, idx, title, state, output, ts, how, reason
                      FROM task_events LEFT JOIN verdicts ON event = task_events.rowid";

/// Every verdict on every task of a plan, the oldest first.
///
/// `at` is a plan, a directory of plans, or a telemetry database. The truth in `home` is asked; only where it knows
/// nothing is a copy beside the plan believed.
pub fn events(home: &Home, at: &Path) -> Result<Vec<TaskEvent>, Error> {
    let mut events = gather(home, at, &format!("{EVENTS} ORDER BY task_events.rowid"), [], event)?;
    // The rows of one plan are in order; those of several are not among each other.
    events.sort_by_key(|event| event.ts);
    Ok(events)
}

/// Every verdict on one task, the oldest first: did this check ever pass?
pub fn task_history(home: &Home, at: &Path, task: &str) -> Result<Vec<TaskEvent>, Error> {
    let sql = format!("{EVENTS} WHERE task_id = ?1 ORDER BY task_events.rowid");
    let mut events = gather(home, at, &sql, [task], event)?;
    events.sort_by_key(|event| event.ts);
    Ok(events)
}

/// The newest verdict on each task of a plan. Only the truth is asked: a copy proves nothing.
pub fn last_verdicts(home: &Home, plan: &Path) -> Result<Vec<TaskEvent>, Error> {
    let truth = home.slot(&place::of_past_plan(plan)).join(TELEMETRY);
    if !truth.exists() {
        return Err(Error::NoHistory(plan.to_owned()));
    }
    let sql = format!(
        "{EVENTS} WHERE task_events.rowid IN (SELECT max(rowid) FROM task_events GROUP BY task_id) ORDER BY idx, ts"
    );
    select(&database::open_to_read(&truth)?, &sql, [], event)
}

/// The runs of a plan, the oldest first.
pub fn runs(home: &Home, at: &Path) -> Result<Vec<PastRun>, Error> {
    let sql = "SELECT run_id, lines, started, closed FROM runs ORDER BY started, rowid";
    gather(home, at, sql, [], |row| {
        Ok(PastRun {
            run_id: row.get(0)?,
            lines: row.get::<_, i64>(1)?.max(0).cast_unsigned(),
            started: row.get(2)?,
            closed: row.get(3)?,
        })
    })
}

/// The databases that speak of a plan, of the plans in a directory, or that `at` is one of.
pub(crate) fn databases(home: &Home, at: &Path) -> Result<Vec<PathBuf>, Error> {
    let known = |plan: &Path| Some(home.slot(plan).join(TELEMETRY)).filter(|database| database.exists());
    let path = place::of_past_plan(at);
    let (found, beside) = if path.is_dir() {
        let plans = home.plans_in(&path)?;
        (
            plans.iter().filter_map(|plan| known(plan)).collect(),
            path.join(TELEMETRY),
        )
    } else if path.extension().is_some_and(|extension| extension == "db") {
        (Vec::new(), path)
    } else {
        let found: Vec<PathBuf> = known(&path).into_iter().collect();
        (found, path.with_file_name(TELEMETRY))
    };
    match found.is_empty() {
        false => Ok(found),
        true if beside.is_file() => Ok(vec![beside]),
        true => Err(Error::NoHistory(at.to_owned())),
    }
}

fn gather<T, P: Params + Clone>(
    home: &Home,
    at: &Path,
    sql: &str,
    params: P,
    read: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, Error> {
    let mut rows = Vec::new();
    for path in databases(home, at)? {
        rows.extend(select(&database::open_to_read(&path)?, sql, params.clone(), read)?);
    }
    Ok(rows)
}

fn select<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, Error> {
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map(params, read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn event(row: &Row<'_>) -> rusqlite::Result<TaskEvent> {
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
