//! What a plan claims to be done, and what of it somebody saw being earned.

use crate::Context;
use crate::row::{Here, ask};
use acceptance::{Check, Last};
use failure::Failure;
use failure::codes::BAD_OPTION;
use history::{Accepting, Problem, Review, TaskEvent};
use oql::{Task, TaskKind};
use outline::Amendment;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A plan by its path, or by its text alone: then no run of it is known.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// The path of the plan.
    #[serde(default)]
    pub plan: Option<String>,
    /// Its text, if the caller has read it already.
    #[serde(default)]
    pub org: Option<String>,
}

/// How a plan stands.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct PlanStatus {
    /// Its tasks, in the order of the plan. A headline without a keyword is none.
    pub tasks: Vec<TaskStatus>,
    /// How many of them say DONE, and no record supports it.
    pub unproven: usize,
    /// Tasks that are not what was sealed, until somebody accepts them.
    pub amendments: Vec<Amendment>,
    /// Logs of runs that are not what was sealed.
    pub problems: Vec<Problem>,
}

/// One task of a plan.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct TaskStatus {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its keyword.
    pub state: String,
    /// Whether that counts as done.
    pub done: bool,
    /// What it is to a run.
    pub kind: TaskKind,
    /// The id of the headline above it.
    pub parent: Option<String>,
    /// How many headlines stand above it.
    pub depth: usize,
    /// The line of its headline.
    pub line: usize,
    /// Why its DONE counts for nothing.
    pub unproven: Option<String>,
    /// The last that a run said of it.
    pub verdict: Option<LastVerdict>,
}

/// The last that a run said of a task.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct LastVerdict {
    /// `DONE`, `FAILED` or `PARTIAL`.
    pub state: String,
    /// Why it was not earned.
    pub reason: Option<String>,
    /// What earned it.
    pub how: Option<String>,
    /// The run.
    pub run_id: String,
    /// When, in milliseconds since 1970.
    pub ts: i64,
}

ask!(Status: "plan.status", Reads, Read => PlanStatus, [history::Error], "Says how the tasks of a plan stand, which DONE nobody saw being earned, and what was amended since the last run.");

impl Here for Status {
    fn answer(self, context: &Context) -> Result<PlanStatus, Failure> {
        let path = self.plan.map(|plan| context.path(&plan));
        let (org, review) = match (path, self.org) {
            (Some(path), org) => {
                let org = org.map_or_else(|| history::text(&path), Ok)?;
                let review = history::review(&context.home()?, &path, &org)?;
                (org, review)
            }
            (None, Some(org)) => (org, Review::default()),
            (None, None) => {
                let refused = Failure::new(
                    BAD_OPTION,
                    "there is no plan",
                    "give its path as `plan`, or its text as `org`",
                );
                return Err(refused.at("/plan"));
            }
        };
        let last: BTreeMap<String, TaskEvent> = review
            .verdicts
            .into_iter()
            .map(|event| (event.task_id.clone(), event))
            .collect();
        let tasks: Vec<TaskStatus> = oql::tasks(&org)?
            .into_iter()
            .filter_map(|task| task_status(task, &last))
            .collect();
        Ok(PlanStatus {
            unproven: tasks.iter().filter(|task| task.unproven.is_some()).count(),
            tasks,
            amendments: review.amendments,
            problems: review.problems,
        })
    }
}

/// A headline without a keyword is no task. A task that is cancelled claims nothing.
fn task_status(task: Task, last: &BTreeMap<String, TaskEvent>) -> Option<TaskStatus> {
    let state = task.state.clone()?;
    let last = last.get(&task.id);
    let claims = task.done && !outline::is_cancelled(&state);
    Some(TaskStatus {
        unproven: claims.then(|| unproven(&task, last)).flatten(),
        verdict: last.map(|event| LastVerdict {
            state: event.state.clone(),
            reason: event.reason.clone(),
            how: event.how.clone(),
            run_id: event.run_id.clone(),
            ts: event.ts,
        }),
        depth: task.path.len().saturating_sub(1),
        done: task.done,
        kind: task.kind,
        parent: task.parent,
        id: task.id,
        title: task.title,
        state,
        line: task.line,
    })
}

/// Why no record supports the DONE of a task.
pub(crate) fn unproven(task: &Task, last: Option<&TaskEvent>) -> Option<String> {
    let last = last.map(|event| Last {
        state: &event.state,
        how: event.how.as_deref(),
    });
    acceptance::unproven(last, Check::of(task).as_ref())
}

/// Amendments of a plan that a person accepts.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Accept {
    /// The path of the plan.
    pub plan: String,
    /// The ids of the tasks whose amendments are accepted.
    pub ids: Vec<String>,
    /// Who accepts them. It is recorded.
    pub by: String,
}

/// What is left after that.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Accepted {
    /// Amendments that nobody has accepted yet.
    pub amendments: Vec<Amendment>,
}

ask!(Accept: "plan.accept", Writes, Admin => Accepted, [history::Error], "Records that a person accepts amendments of a plan that is not being run, and says which are left.");

impl Here for Accept {
    fn answer(self, context: &Context) -> Result<Accepted, Failure> {
        if self.by.trim().is_empty() {
            let refused = Failure::new(BAD_OPTION, "an amendment is accepted by somebody", "say who with `by`");
            return Err(refused.at("/by"));
        }
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        let accepting = Accepting {
            ids: &ids,
            by: &self.by,
        };
        let amendments = history::accept(&context.home()?, &context.path(&self.plan), accepting, context.time())?;
        Ok(Accepted { amendments })
    }
}
