//! When workflows run by themselves.

use crate::Context;
use crate::codes::NoScheduler;
use crate::row::{Here, ask};
use failure::Failure;
use schedule::{Decision, Planned, Progress, Schedule, Spec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most times that are listed at once.
const MOST: usize = 1_000;

/// A workbook by its id, or all of them.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Next {
    /// The workbook's id.
    #[serde(default)]
    pub id: Option<String>,
}

/// When a workflow runs next.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Due {
    /// The workbook.
    pub workbook: String,
    /// The workflow; none where the workbook itself cannot be read.
    pub workflow: Option<String>,
    /// The workflows around it, from the outermost, and itself.
    pub path: Vec<String>,
    /// What the plan says.
    pub schedule: Option<BTreeMap<String, Option<String>>>,
    /// The next time, in RFC 3339; none when it never runs again.
    pub next: Option<String>,
    /// The last time that it ran or was let go.
    pub last: Option<String>,
    /// Why it does not run by itself.
    pub problem: Option<String>,
}

ask!(Next: "schedule.next", Reads, Read => Vec<Due>, [NoScheduler], "Says when the workflows of deployed workbooks run next.");

/// A plan.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InPlan {
    /// The text of the plan.
    org: String,
}

ask!(InPlan: "schedule.in_plan", Reads, Read => Vec<Planned>, [schedule::Error], "Lists the workflows of a plan that run by themselves.");

impl Here for InPlan {
    fn answer(self, _: &Context) -> Result<Vec<Planned>, Failure> {
        Ok(schedule::in_plan(&self.org)?)
    }
}

/// Nothing.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Zones {}

ask!(Zones: "schedule.zones", Reads, Read => Vec<String>, [schedule::Error], "Lists the time zones that a schedule may name.");

impl Here for Zones {
    fn answer(self, _: &Context) -> Result<Vec<String>, Failure> {
        Ok(schedule::zones())
    }
}

/// A schedule and a moment.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Times {
    /// The schedule, as `schedule.in_plan` gives it.
    schedule: Spec,
    /// Seconds since 1970.
    after: i64,
    /// How many times, at most 1,000.
    count: usize,
}

ask!(Times: "schedule.times", Reads, Read => Vec<i64>, [schedule::Error], "Lists the next times of a schedule after a moment, in seconds since 1970.");

impl Here for Times {
    fn answer(self, _: &Context) -> Result<Vec<i64>, Failure> {
        let schedule = Schedule::read(&self.schedule)?;
        let times = std::iter::successors(schedule.after(self.after), |last| schedule.after(*last));
        Ok(times.take(self.count.min(MOST)).collect())
    }
}

/// A schedule, what has happened so far, and the time.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decide {
    /// The schedule, as `schedule.in_plan` gives it.
    schedule: Spec,
    /// What has happened so far.
    progress: Progress,
    /// Seconds since 1970.
    now: i64,
}

ask!(Decide: "schedule.decide", Reads, Read => Decision, [schedule::Error], "Says whether a schedule is to run now, to wait, or to be let go.");

impl Here for Decide {
    fn answer(self, _: &Context) -> Result<Decision, Failure> {
        Ok(Schedule::read(&self.schedule)?.decide(&self.progress, self.now))
    }
}
