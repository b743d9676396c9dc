//! JSON in, JSON out, for callers that keep schedules as data.

use crate::{Error, Progress, Schedule, Spec};
use serde::Deserialize;
use serde_json::json;

/// The most times that are listed at once.
const MOST: usize = 1_000;

/// What can be asked.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase", tag = "ask", deny_unknown_fields)]
enum Question {
    /// What to do now.
    Decide {
        schedule: Spec,
        progress: Progress,
        now: i64,
    },
    /// The next times after an instant.
    After { schedule: Spec, after: i64, count: usize },
}

/// Answers a question.
///
/// ```
/// let answer = schedule::wire::ask(r#"{"ask":"after","schedule":{"cron":"@hourly"},"after":0,"count":2}"#);
/// assert_eq!(answer.unwrap(), "[3600,7200]");
/// ```
pub fn ask(question: &str) -> Result<String, Error> {
    let question = serde_json::from_str(question).map_err(|e| Error::BadQuestion { why: e.to_string() })?;
    let answer = match question {
        Question::Decide {
            schedule,
            progress,
            now,
        } => json!(Schedule::read(&schedule)?.decide(&progress, now)),
        Question::After { schedule, after, count } => {
            let schedule = Schedule::read(&schedule)?;
            let times = std::iter::successors(schedule.after(after), |last| schedule.after(*last));
            json!(times.take(count.min(MOST)).collect::<Vec<_>>())
        }
    };
    Ok(answer.to_string())
}
