//! What came of an attempt to advance.

use serde::{Deserialize, Serialize};

use crate::NodeId;
use crate::error::Error;
use crate::event::Capability;
use crate::limits;

/// What was attempted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// To complete the pending step.
    AckPending,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Outcome {
    /// The run went on.
    Advanced {
        /// The new node.
        to_node_id: NodeId,
    },
    /// The run did not go on.
    Blocked {
        /// The node that keeps what was sent.
        to_node_id: NodeId,
        /// Why, sorted.
        blockers: Vec<Blocker>,
        /// What the step requires, in sentences.
        required: Vec<String>,
    },
}

impl Outcome {
    /// The node that the attempt made.
    pub const fn node(&self) -> NodeId {
        match self {
            Outcome::Advanced { to_node_id } | Outcome::Blocked { to_node_id, .. } => *to_node_id,
        }
    }
}

/// One reason why a run did not go on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Blocker {
    /// Which kind of reason.
    pub code: BlockerCode,
    /// Where.
    pub pointer: Pointer,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub suggested_fix: String,
}

/// The closed set of reasons. The order is that of the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum BlockerCode {
    /// What was sent does not fit.
    InvalidRequiredOutput,
    /// The session's facts contradict each other, or a loop would go past its limit.
    InvariantViolation,
    /// Something required was not sent.
    MissingRequiredOutput,
    /// A required capability does not work.
    RequiredCapabilityUnavailable,
    /// Nobody has tried whether a required capability works.
    RequiredCapabilityUnknown,
    /// The store is damaged.
    StorageCorruptionDetected,
    /// Only the user can do this.
    UserOnlyDependency,
}

/// Where a reason lies. The order is that of the names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Pointer {
    /// A capability.
    Capability {
        /// Which.
        capability: Capability,
    },
    /// A key of the context.
    ContextKey {
        /// Which.
        key: String,
    },
    /// A loop at its limit.
    Loop {
        /// Which.
        loop_id: String,
        /// The iteration that asked for another one, from 0.
        iteration: u32,
        /// How many are allowed.
        max_iterations: u32,
    },
    /// A contract on the output.
    OutputContract {
        /// Which.
        contract_ref: String,
    },
    /// The step itself.
    WorkflowStep {
        /// Which.
        step_id: String,
    },
}

impl Blocker {
    /// A reason whose texts are within their budgets.
    pub fn new(code: BlockerCode, pointer: Pointer, message: String, suggested_fix: String) -> Result<Self, Error> {
        let method = "UTF-8 bytes";
        if message.len() > limits::BLOCKER_MESSAGE {
            return Err(Error::too_large(
                "a blocker's message",
                message.len(),
                limits::BLOCKER_MESSAGE,
                method,
            ));
        }
        if suggested_fix.len() > limits::BLOCKER_FIX {
            return Err(Error::too_large(
                "a blocker's suggested fix",
                suggested_fix.len(),
                limits::BLOCKER_FIX,
                method,
            ));
        }
        Ok(Blocker {
            code,
            pointer,
            message,
            suggested_fix,
        })
    }
}
