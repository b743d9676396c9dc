//! A plan's outline, from its text.

use crate::{Check, Headline, Outline};
use oql::{Error, Task, TaskKind};
use std::collections::HashSet;

const CANCELLED: [&str; 2] = ["CANCELLED", "CANCELED"];
/// Languages of a check that the shell runs.
const SHELLS: [&str; 3] = ["sh", "shell", "bash"];

/// Whether a keyword says that a task is not to be done.
///
/// ```
/// assert!(outline::is_cancelled("CANCELED") && !outline::is_cancelled("DONE"));
/// ```
pub fn is_cancelled(keyword: &str) -> bool {
    CANCELLED.contains(&keyword)
}

impl Outline {
    /// Reads the outline of a plan.
    ///
    /// ```
    /// let outline = outline::Outline::read("* Week\n** TODO Rest [0/1]\n:done-when: test -s bed\n")?;
    /// let rest = outline.get("rest").unwrap();
    /// assert_eq!((rest.title.as_str(), rest.parent.as_deref(), rest.open), ("Rest", Some("week"), true));
    /// assert_eq!(rest.check.as_ref().unwrap().text, "done-when: test -s bed");
    /// # Ok::<(), oql::Error>(())
    /// ```
    pub fn read(org: &str) -> Result<Outline, Error> {
        let tasks = oql::tasks(org)?;
        // A parent stands before its children, so what is known of it is known by then.
        let mut cancelled: HashSet<&str> = HashSet::new();
        let mut headlines = Vec::new();
        for task in tasks.iter().filter(|task| task.kind != TaskKind::Part) {
            let below = task.parent.as_deref().is_some_and(|parent| cancelled.contains(parent));
            let cancelled_here = below || task.state.as_deref().is_some_and(is_cancelled);
            if cancelled_here {
                cancelled.insert(&task.id);
            }
            headlines.push(Headline {
                id: task.id.clone(),
                title: task.title.clone(),
                parent: task.parent.clone(),
                blockers: task.blockers.clone(),
                check: task.state.as_ref().and_then(|_| check(task)),
                cancelled: cancelled_here,
                open: task.state.is_some() && !cancelled_here && !task.done,
                keyword: task.state.clone(),
            });
        }
        Ok(Outline::new(headlines))
    }
}

/// The text by which a check is known. For one that can be passed it is the text that the record of its pass has.
fn check(task: &Task) -> Option<Check> {
    let text = match (&task.done_when, &task.check) {
        (command, _) if task.check_error.is_some() => {
            let wrong = task.check_error.as_deref().unwrap_or_default();
            format!("no check: {wrong}: {}", command.as_deref().unwrap_or_default())
        }
        (Some(command), _) => format!("done-when: {command}"),
        (None, Some(check)) if SHELLS.contains(&check.lang.as_str()) => format!("check: {}", check.body.trim()),
        (None, Some(check)) => format!("check in {}: {}", check.lang, check.body.trim()),
        (None, None) => return None,
    };
    Some(Check::new(text))
}
