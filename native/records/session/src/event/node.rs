//! The nodes and edges of a run.

use serde::{Deserialize, Serialize};

use crate::EventId;

/// What a node stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// A step that is pending or the end of the run.
    Step,
    /// A safe place with notes; the step is still pending.
    Checkpoint,
    /// An attempt that was refused; the step is still pending on its parent.
    BlockedAttempt,
}

/// What an edge stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// An attempt to advance.
    AckedStep,
    /// A checkpoint.
    Checkpoint,
}

/// Why an edge exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cause {
    /// In one word.
    pub kind: CauseKind,
    /// The event that made it.
    pub event_id: EventId,
}

/// Why an edge exists, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CauseKind {
    /// An ordinary advance.
    TipAdvance,
    /// An advance from a node that already had a step after it: a fork.
    NonTipAdvance,
    /// A checkpoint.
    CheckpointCreated,
}
