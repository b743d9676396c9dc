//! Runs of plans: Elixir owns them, and these are their words.

use crate::codes::{AlreadyRunning, EventsGone, PlanRefused, UnknownRun};
use crate::row::ask;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// A plan to work off.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The path of the plan.
    pub plan: String,
    /// The directory that workers and checks see; the plan's own by default.
    #[serde(default)]
    pub workdir: Option<String>,
    /// How many tasks are at work at once.
    #[serde(default)]
    pub width: Option<NonZeroU32>,
    /// Who does the work.
    #[serde(default)]
    pub worker: Worker,
    /// The history directory; the user's by default.
    #[serde(default)]
    pub history: Option<String>,
}

/// Who does the work of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Worker {
    /// The `sh` block of each task, in the WASM shell.
    #[default]
    Shell,
    /// Somebody else, who reports with `run.report`.
    Wait,
}

/// How a run ended.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// The run.
    pub id: String,
    /// `done`, `partial`, `failed` or `cancelled`.
    pub state: String,
    /// The tasks, in the order of the plan.
    pub tasks: Vec<TaskOutcome>,
    /// Tasks that are not what was sealed, and that nobody has accepted.
    pub amendments: Vec<Amended>,
    /// What was noticed on the way.
    pub warnings: Vec<String>,
}

/// A task that is not what was sealed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Amended {
    /// The task.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What is other than it was.
    pub changes: Vec<String>,
    /// The same in words.
    pub reason: String,
    /// Whatever else there is to know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// How a task ended, or stands.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TaskOutcome {
    /// The task.
    pub id: String,
    /// Its place in the plan.
    pub idx: u64,
    /// Its title.
    pub title: String,
    /// What it is.
    pub state: String,
    /// `leaf` or `composite`.
    pub kind: String,
    /// Number of stars.
    pub level: usize,
    /// The line of its headline.
    pub line: usize,
    /// Why.
    pub reason: Option<String>,
    /// What its worker gave.
    pub output: String,
    /// How it was earned.
    pub how: Option<String>,
    /// The keyword of its headline.
    pub keyword: Option<String>,
    /// The statistics cookies of its headline, as they are written.
    pub cookies: Vec<String>,
}

ask!(Start: "run.start", Runs, Run => Outcome, [AlreadyRunning, PlanRefused], long, "Works a plan off: tells each event, and answers when the run is over.");

/// A run that was cut off.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resume {
    /// The path of the plan, or of its directory.
    pub plan: String,
    /// Who does the work.
    #[serde(default)]
    pub worker: Worker,
    /// The history directory; the user's by default.
    #[serde(default)]
    pub history: Option<String>,
}

ask!(Resume: "run.resume", Runs, Run => Outcome, [AlreadyRunning, PlanRefused], long, "Goes on with the run of a plan where it stopped.");

/// What became of a task that waits for it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The run.
    pub run: String,
    /// The task.
    pub task: String,
    /// It was done, and this is what there is to say.
    #[serde(default)]
    pub ok: Option<String>,
    /// It was not, and this is why.
    #[serde(default)]
    pub error: Option<String>,
}

/// Nothing more to say.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Done {}

ask!(Report: "run.report", Writes, Run => Done, [UnknownRun], "Reports what became of a task whose worker is somebody else.");

/// A run that no more reports come for.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Close {
    /// The run.
    pub run: String,
    /// How many reports came: those that are still under way are waited for.
    pub reports: u64,
}

ask!(Close: "run.close", Writes, Run => Done, [UnknownRun], "Says that no more reports come: the run ends when everything that is at work waits for one.");

/// A run by its id.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cancel {
    /// The run.
    pub run: String,
}

ask!(Cancel: "run.cancel", Writes, Run => Done, [UnknownRun], "Ends a run; headlines of tasks that did not finish stay as they are.");

/// A run by its id.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// The run.
    pub run: String,
}

/// How a run stands.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// The run.
    pub id: String,
    /// The path of its plan.
    pub plan: String,
    /// `running`, or how it ended.
    pub state: String,
    /// When it began, in milliseconds since 1970.
    pub started: i64,
    /// How many tasks are in which state.
    pub counts: BTreeMap<String, u64>,
    /// The number of the last event: `run.subscribe` after it misses nothing and repeats nothing.
    pub seq: u64,
    /// The tasks; a list of runs has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Vec<TaskOutcome>>,
}

ask!(Status: "run.status", Reads, Read => Standing, [UnknownRun], "Says how a run stands.");

/// Whose events are meant: one run's, those of every run of a plan, or with neither everything that may be seen.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Subscribe {
    /// A run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The path of a plan: runs that are at work, and those that start later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// With `run`: the number of the last event that is known. What came after it is told first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
}

/// How the run ended that was listened to.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Ended {
    /// The run.
    pub run: String,
    /// `done`, `partial` or `cancelled`.
    pub state: String,
    /// The number of its last event.
    pub seq: u64,
}

ask!(Subscribe: "run.subscribe", Reads, Read => Ended, [UnknownRun, EventsGone], long, "Tells the events of runs as they happen; answers when the run is over that was asked for.");

/// Nothing to say.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct List {}

ask!(List: "run.list", Reads, Read => Vec<Standing>, [], "Lists the runs of this engine: those at work, and those that ended in the last minutes.");
