//! SQL of the user's own over the telemetry of a plan.

use crate::copies::TELEMETRY;
use crate::database::Database;
use crate::link::links;
use crate::lock::Lock;
use crate::read::{self, Sources};
use crate::{Error, Home, database};
use std::path::{Path, PathBuf};

pub use select::{Answer, MAX_ROWS};

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
    let database = match read::sources(home, at)? {
        Sources::Copy(copy) => copy,
        Sources::Slots(slots) => match &slots[..] {
            [slot] => index(slot)?,
            _ => {
                return Err(Error::ManyPlans {
                    at: at.to_owned(),
                    plans: home.plans_in(&crate::place::of_past_plan(at))?,
                });
            }
        },
    };
    let connection = database::open_to_read(&database)?;
    select::run(connection, sql).map_err(|error| match error {
        select::Error::Denied => Error::Denied,
        select::Error::TooManyRows => Error::TooManyRows,
        select::Error::Sql(error) => error.into(),
    })
}

/// The database of a plan. It is put right first, unless somebody runs the plan, who has it open.
fn index(slot: &Path) -> Result<PathBuf, Error> {
    if let Ok(_lock) = Lock::take(&slot.join("lock"), "telemetry") {
        Database::of_slot(slot, &links(slot))?;
    }
    Ok(slot.join(TELEMETRY))
}
