//! Workflows: two sources, one compiled form.
//!
//! A workflow is written as JSON or as an Org plan. Either is read into a [`Source`], and compiled into a
//! [`Compiled`] that holds everything a run needs: nothing is looked up later, so a run is pinned by one hash.

mod bind;
mod builtin;
mod bundled;
mod compile;
mod compiled;
mod condition;
mod confirm;
mod contract;
mod criteria;
mod id;
mod json;
mod library;
mod needs;
mod org;
mod preview;
mod prompt;
mod schema;
mod sent;
mod source;
mod template;

pub use bundled::BUNDLED;
pub use compile::compile;
pub use compiled::{
    Assessment, AssessmentRule, BadWorkflow, Check, Compiled, CompiledContract, ContractUse, Control, Count,
    Delegation, Dimension, Fragment, Function, LoopStep, NotesRule, Origin, Provenance, RefUse, Reference, Step,
    TaskStep, Word,
};
pub use condition::{Condition, Operator};
pub use confirm::Confirm;
pub use contract::{CONTRACTS, Contract, Field, GRANT, Shape, reference};
pub use criteria::{Criteria, Rule, Test};
pub(crate) use id::step as is_step_id;
pub use id::{IdStatus, SourceKind, WorkflowId};
pub use library::Library;
pub use needs::Need;
pub use preview::Preview;
pub use schema::Schema;
pub use sent::SentWorkflow;
pub use source::Source;

use serde::Serialize;

/// What the compiler says about a source it took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Warning {
    /// Which kind of warning.
    pub code: WarningCode,
    /// What it is about.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// The closed set of warnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WarningCode {
    /// The id has no namespace.
    LegacyId,
    /// A loop is decided by the context.
    ContextLoop,
}

/// Why a source is not a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{}{message}", line.map_or(String::new(), |l| format!("line {l}: ")))]
pub struct CompileError {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
    /// The line of an Org plan, from 1.
    pub line: Option<usize>,
    /// The step.
    pub step: Option<String>,
}

impl CompileError {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        CompileError {
            message: message.into(),
            hint: hint.into(),
            line: None,
            step: None,
        }
    }

    pub(crate) fn at(mut self, line: usize) -> Self {
        self.line.get_or_insert(line);
        self
    }

    pub(crate) fn in_step(mut self, step: &str) -> Self {
        self.step.get_or_insert_with(|| crate::text::clip(step, 64));
        self
    }
}

impl From<CompileError> for crate::Error {
    fn from(error: CompileError) -> crate::Error {
        let message = match &error.step {
            Some(step) => format!("the workflow does not compile: {error} (step `{step}`)"),
            None => format!("the workflow does not compile: {error}"),
        };
        crate::Error::validation(message, error.hint.clone())
            .with(serde_json::json!({"line": error.line, "step": error.step}))
    }
}
