//! Deployed workbooks. Elixir owns them, and these are their words; what only looks is answered here.

use crate::Context;
use crate::codes::Gate;
use crate::row::{Here, ask};
use failure::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A plan that is to go live.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deploy {
    /// The workbook's id.
    pub id: String,
    /// The path of a plan, of the directory of a workbook, or of a bundle.
    #[serde(default)]
    pub source: Option<String>,
    /// The text of a plan, in place of a path.
    #[serde(default)]
    pub org: Option<String>,
    /// Where a plan that is given as text lies.
    #[serde(default)]
    pub dir: Option<String>,
    /// Capabilities that the plan newly asks for and may have.
    #[serde(default)]
    pub grant: Vec<String>,
    /// Whether to deploy although a promise is broken; needs `why`.
    #[serde(default)]
    pub force: bool,
    /// Whether a workflow's `:WB_ID:` is its identity, so that it can be renamed.
    #[serde(default)]
    pub identity: bool,
    /// Whether types are compared by their structure.
    #[serde(default)]
    pub structural: bool,
    /// What the history says about it.
    #[serde(default)]
    pub why: Option<String>,
    /// Who deploys.
    #[serde(default)]
    pub by: Option<String>,
}

/// What is live now.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Deployed {
    /// The workbook.
    pub id: String,
    /// The version that is live.
    pub version: u64,
    /// The version before it.
    pub from: Option<u64>,
    /// Whether it was live already.
    pub unchanged: bool,
    /// The policy of the workbook.
    pub profile: String,
    /// What it was granted.
    pub granted: Vec<String>,
    /// What force overrode.
    pub overridden: Vec<String>,
    /// What the gate noticed.
    pub diagnostics: Vec<Diagnostic>,
}

/// What the gate noticed.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Diagnostic {
    /// `error` or `warning`.
    pub level: String,
    /// What it is.
    pub message: String,
    /// Which workflow, component or capability it is about.
    pub scope: String,
    /// Whatever else there is to know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

ask!(Deploy: "workbook.deploy", Writes, Write => Deployed, [Gate], long, "Makes a plan live, if it keeps the promises of the one before.");

/// A workbook whose version before is to be live again.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rollback {
    /// The workbook's id.
    pub id: String,
    /// Who does it.
    #[serde(default)]
    pub by: Option<String>,
    /// What the history says about it.
    #[serde(default)]
    pub why: Option<String>,
}

/// What is live again.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Back {
    /// The workbook.
    pub id: String,
    /// The version that is live again.
    pub version: u64,
    /// The version that it replaced.
    pub from: u64,
}

ask!(Rollback: "workbook.rollback", Writes, Write => Back, [deploy::Error], long, "Makes the version before the live one live again.");

/// A workbook by its id.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct History {
    /// The workbook's id.
    pub id: String,
}

ask!(History: "workbook.history", Reads, Read => Vec<deploy::Entry>, [deploy::Error, engine::Error], "Lists what was deployed and rolled back, by whom and why.");

// Looking waits for nobody and needs no engine: versions are swapped in by the rename of one file.
impl Here for History {
    fn answer(self, context: &Context) -> Result<Vec<deploy::Entry>, Failure> {
        Ok(context.parts.workbooks()?.history(&self.id)?)
    }
}

/// Nothing to say.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct List {}

ask!(List: "workbook.list", Reads, Read => Vec<deploy::Listed>, [deploy::Error, engine::Error], "Lists the workbooks that are live, by id. One that cannot be read is among them, with its problem.");

impl Here for List {
    fn answer(self, context: &Context) -> Result<Vec<deploy::Listed>, Failure> {
        Ok(context.parts.workbooks()?.list()?)
    }
}

/// A deployed workbook, and what to run it with.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The workbook's id.
    pub id: String,
    /// What the first components are given.
    #[serde(default)]
    pub input: Value,
    /// The workflow; a plan with one needs none.
    #[serde(default)]
    pub workflow: Option<String>,
}

/// What a workflow gave.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Ran {
    /// The workflow.
    pub workflow: String,
    /// What it promises, by name.
    pub exports: BTreeMap<String, Value>,
    /// What became of each component: `output`, or `error` with why.
    pub tasks: BTreeMap<String, ComponentOutcome>,
    /// The workflows inside it.
    #[serde(default)]
    pub workflows: Vec<Ran>,
    /// Whatever else there is to know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What became of a component.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ComponentOutcome {
    /// What it gave.
    Output(Value),
    /// Why it gave nothing.
    Error(Value),
}

ask!(Run: "workbook.run", Runs, Run => Ran, [Gate, host::Error], long, "Runs a workflow of the version that is live.");

/// A workbook by its id.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Show {
    /// The workbook's id.
    pub id: String,
}

/// What is live.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    /// The workbook.
    pub id: String,
    /// The version that is live.
    pub version: u64,
    /// Its plan.
    pub org: String,
    /// The policy of the workbook.
    pub profile: String,
    /// What it was granted.
    pub granted: Vec<String>,
}

ask!(Show: "workbook.show", Reads, Read => Shown, [Gate], "Shows what is live: the version, its plan, and what it was granted.");
