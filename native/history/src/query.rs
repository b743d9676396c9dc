//! SQL of the user's own over the telemetry of a plan.

use crate::{Error, Home, database, read};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::types::ValueRef;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// The most rows that an answer has.
pub const MAX_ROWS: usize = 10_000;
/// The longest that a query may take.
const LONGEST: Duration = Duration::from_secs(5);
/// Steps of SQLite's machine between two looks at the clock.
const STEPS: i32 = 1_000;

/// The rows that a query selects.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows. A BLOB is `{"base64": ".."}`.
    pub rows: Vec<Vec<Value>>,
}

/// Runs one statement that only reads over the telemetry of a plan, or of the one plan in a directory.
///
/// ```
/// # use history::{Home, Run};
/// # let dir = tempfile::tempdir().unwrap();
/// # let plan = dir.path().join("plan.org");
/// # std::fs::write(&plan, "").unwrap();
/// # let home = Home::open(&dir.path().join("history"))?;
/// # let run = Run::open(&home, &plan, "r", 1)?;
/// # run.verdict(r#"{"task_id":"ship","state":"DONE","ts":2}"#)?;
/// let answer = history::query(&home, &plan, "SELECT task_id, state FROM task_events")?;
/// assert_eq!(answer.rows, [["ship", "DONE"]]);
/// assert_eq!(history::query(&home, &plan, "DELETE FROM task_events").unwrap_err().code(), "denied");
/// # Ok::<(), history::Error>(())
/// ```
pub fn query(home: &Home, at: &Path, sql: &str) -> Result<Answer, Error> {
    let databases = read::databases(home, at)?;
    let [database] = &databases[..] else {
        return Err(Error::ManyPlans {
            at: at.to_owned(),
            plans: home.plans_in(&crate::place::of_past_plan(at))?,
        });
    };
    let mut connection = database::open_to_read(database)?;
    let deadline = Instant::now() + LONGEST;
    connection.progress_handler(STEPS, Some(move || Instant::now() >= deadline))?;
    connection.authorizer(Some(allow))?;
    let mut statement = connection.prepare(sql)?;
    let columns: Vec<String> = statement.column_names().map(String::from).collect();
    let mut found = statement.query([])?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        if rows.len() == MAX_ROWS {
            return Err(Error::TooManyRows);
        }
        let cells = (0..columns.len()).map(|column| Ok(cell(row.get_ref(column)?)));
        rows.push(cells.collect::<Result<_, rusqlite::Error>>()?);
    }
    Ok(Answer { columns, rows })
}

/// Reading, and nothing else: the file is opened to read, and this keeps other files out as well.
fn allow(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Function { .. } | AuthAction::Recursive => {
            Authorization::Allow
        }
        _ => Authorization::Deny,
    }
}

fn cell(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        ValueRef::Blob(bytes) => json!({"base64": STANDARD.encode(bytes)}),
    }
}
