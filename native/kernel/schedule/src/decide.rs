//! Run now, wait, or let it go.

use crate::{Catchup, Schedule};
use serde::{Deserialize, Serialize};

/// How late a run may start and still be on time, in seconds: cron's own grain.
pub const GRACE: i64 = 60;

/// What has happened so far. All instants are seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Since when the schedule counts: nothing before it was ever due.
    pub since: i64,
    /// The last due time that was run or let go.
    #[serde(default)]
    pub last: Option<i64>,
    /// When the last run ended, if it did.
    #[serde(default)]
    pub completed: Option<i64>,
}

impl Progress {
    /// Nothing has happened yet.
    pub fn since(since: i64) -> Progress {
        Progress {
            since,
            last: None,
            completed: None,
        }
    }
}

/// What to do at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase", tag = "do")]
pub enum Decision {
    /// Run it, for this due time.
    Run {
        /// The time it was due.
        due: i64,
    },
    /// Nothing is due before this.
    Wait {
        /// The next due time.
        until: i64,
    },
    /// It was missed, and missed runs are let go. Ask again with `last` set to this.
    Skip {
        /// The last due time that was missed.
        due: i64,
    },
    /// There is no further time.
    Never,
}

impl Schedule {
    /// The next due time, which may be past already.
    ///
    /// ```
    /// use schedule::{Progress, Schedule, Spec};
    /// let weekly = Schedule::read(&Spec::at("2026-06-11T09:30", Some(".+1w"))).unwrap();
    /// let done = Progress { last: Some(1_781_170_200), completed: Some(1_781_300_000), ..Progress::since(0) };
    /// // Completed on Friday the 12th: next on Friday the 19th, still at half past nine.
    /// assert_eq!(weekly.next(&done), Some(1_781_861_400));
    /// ```
    pub fn next(&self, progress: &Progress) -> Option<i64> {
        let base = progress.last.map_or(progress.since, |last| last.max(progress.since));
        // A run that was cut off has no completion: its due time must do.
        let completed = progress.completed.filter(|completed| *completed >= base);
        completed
            .and_then(|completed| self.after_completion(completed))
            .or_else(|| self.after(base))
    }

    /// What to do at `now`.
    pub fn decide(&self, progress: &Progress, now: i64) -> Decision {
        let Some(next) = self.next(progress) else {
            return Decision::Never;
        };
        if next > now {
            return Decision::Wait { until: next };
        }
        if self.makes_up_for_all() {
            return Decision::Run { due: next };
        }
        let latest = self.latest(next, now).unwrap_or(next);
        match self.catchup {
            Catchup::Skip if now - latest >= GRACE => Decision::Skip { due: latest },
            // After a completion there is one due time, and no row of them.
            _ if self.counts_from_completion() => Decision::Run { due: next },
            _ => Decision::Run { due: latest },
        }
    }
}
