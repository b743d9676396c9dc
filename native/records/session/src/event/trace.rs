//! Why the engine chose what it chose. Nothing depends on it but people.

use serde::{Deserialize, Serialize};

use crate::limits;
use crate::text::truncate;

/// One decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TraceEntry {
    /// Which kind of decision.
    pub kind: TraceKind,
    /// In a sentence.
    pub summary: String,
    /// What it is about.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub refs: Vec<TraceRef>,
}

impl TraceEntry {
    pub(crate) fn new(kind: TraceKind, summary: &str, refs: Vec<TraceRef>) -> Self {
        TraceEntry {
            kind,
            summary: truncate(summary, limits::SUMMARY),
            refs,
        }
    }
}

/// Which kind of decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TraceKind {
    /// The next step.
    SelectedNextStep,
    /// A condition was true or false.
    EvaluatedCondition,
    /// A loop began.
    EnteredLoop,
    /// A loop ended.
    ExitedLoop,
    /// The advance forked the run.
    DetectedNonTipAdvance,
}

/// What a decision is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum TraceRef {
    /// A step.
    StepId {
        /// Which.
        step_id: String,
    },
    /// A loop.
    LoopId {
        /// Which.
        loop_id: String,
    },
    /// An iteration, from 0.
    Iteration {
        /// Which.
        value: u32,
    },
}
