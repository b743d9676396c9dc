//! What runs left: verdicts, and the seals of their logs.

use crate::Context;
use crate::row::{Here, ask};
use failure::Failure;
use history::{PlanVerification, TaskEvent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A log, or where it is.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Verify {
    /// The path of a `_steps.jsonl`, of a directory with one, or of a plan: then it is every run of the plan.
    at: String,
}

ask!(Verify: "ledger.verify", Reads, Read => PlanVerification, [history::Error], "Holds the log of a run against its seal, or every run of a plan against its seal and the run before.");

impl Here for Verify {
    fn answer(self, context: &Context) -> Result<PlanVerification, Failure> {
        Ok(history::verify_at(&context.home()?, &context.path(&self.at))?)
    }
}

/// A log, or where it is.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Show {
    /// The path of a `_steps.jsonl`, of a directory with one, or of a plan: then it is the newest run of the plan.
    at: String,
}

ask!(Show: "ledger.show", Reads, Read => Vec<Value>, [history::Error], "Lists the lines of a run's log, without checking anything.");

impl Here for Show {
    fn answer(self, context: &Context) -> Result<Vec<Value>, Failure> {
        Ok(history::lines(&context.home()?, &context.path(&self.at))?)
    }
}

/// Nothing to say.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Key {}

/// Whose key it is.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Did {
    /// The did:key.
    did: String,
}

ask!(Key: "ledger.key", Reads, Read => Did, [history::Error], "Names the did:key that runs are sealed with; the key is made when there is none.");

impl Here for Key {
    fn answer(self, context: &Context) -> Result<Did, Failure> {
        Ok(Did {
            did: context.home()?.signer()?.did(),
        })
    }
}

/// A plan, and perhaps one of its tasks.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Events {
    /// The path of a plan, of a directory of plans, or of a `_telemetry.db`.
    at: String,
    /// Only the verdicts on this task.
    task: Option<String>,
}

ask!(Events: "telemetry.events", Reads, Read => Vec<TaskEvent>, [history::Error], "Lists what became of the tasks of a plan, run after run.");

impl Here for Events {
    fn answer(self, context: &Context) -> Result<Vec<TaskEvent>, Failure> {
        let (home, at) = (context.home()?, context.path(&self.at));
        Ok(match self.task {
            Some(task) => history::task_history(&home, &at, &task)?,
            None => history::events(&home, &at)?,
        })
    }
}

/// A plan, and a question in SQL.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Query {
    /// The path of a plan, of a directory of plans, or of a `_telemetry.db`.
    at: String,
    /// One SELECT over `task_events`, `step_events`, `verdicts` and `runs`.
    sql: String,
}

ask!(Query: "telemetry.query", Reads, Read => history::Answer, [history::Error], "Asks in SQL what became of the tasks of a plan.");

impl Here for Query {
    fn answer(self, context: &Context) -> Result<history::Answer, Failure> {
        Ok(history::query(&context.home()?, &context.path(&self.at), &self.sql)?)
    }
}
