//! What is missing although the run went on.

use serde::{Deserialize, Serialize};

use crate::reason::Reason;
use crate::{EventId, GapId, OutputId};

/// How bad a gap is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Worth a look.
    Warning,
    /// The result cannot be trusted without it.
    Critical,
}

/// What is missing: a category and a detail of that category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "category", content = "detail", rename_all = "snake_case")]
pub enum GapReason {
    /// Only the user can give it.
    UserOnlyDependency(crate::reason::UserReason),
    /// The output does not keep its contract.
    ContractViolation(ContractDetail),
    /// A capability is missing.
    CapabilityMissing(CapabilityDetail),
    /// Something that should not happen.
    Unexpected(UnexpectedDetail),
}

/// How an output breaks its contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContractDetail {
    /// It was not sent.
    MissingRequiredOutput,
    /// It does not fit.
    InvalidRequiredOutput,
}

/// How a capability is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CapabilityDetail {
    /// Nobody tried.
    RequiredCapabilityUnknown,
    /// It does not work.
    RequiredCapabilityUnavailable,
}

/// What should not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnexpectedDetail {
    /// Facts contradict each other, or a loop would go past its limit.
    InvariantViolation,
    /// The store is damaged.
    StorageCorruptionDetected,
}

impl From<Reason> for GapReason {
    fn from(reason: Reason) -> GapReason {
        match reason {
            Reason::UserOnly(detail) => GapReason::UserOnlyDependency(detail),
            Reason::MissingOutput => GapReason::ContractViolation(ContractDetail::MissingRequiredOutput),
            Reason::InvalidOutput => GapReason::ContractViolation(ContractDetail::InvalidRequiredOutput),
            Reason::CapabilityUnknown => GapReason::CapabilityMissing(CapabilityDetail::RequiredCapabilityUnknown),
            Reason::CapabilityUnavailable => {
                GapReason::CapabilityMissing(CapabilityDetail::RequiredCapabilityUnavailable)
            }
            Reason::Invariant => GapReason::Unexpected(UnexpectedDetail::InvariantViolation),
        }
    }
}

/// Whether a gap closes an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Resolution {
    /// It is open.
    Unresolved,
    /// It closes this one.
    Resolves {
        /// The gap that is closed.
        resolves_gap_id: GapId,
    },
}

/// What a gap rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Evidence {
    /// An event.
    Event {
        /// Which.
        event_id: EventId,
    },
    /// An output.
    Output {
        /// Which.
        output_id: OutputId,
    },
}
