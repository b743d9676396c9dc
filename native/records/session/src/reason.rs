//! One table of reasons. Blocking modes turn a reason into a blocker, never-stop turns it into a gap.

use serde::{Deserialize, Serialize};

use crate::event::{BlockerCode, Pointer};

/// Why a run cannot simply go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Only the user can help.
    UserOnly(UserReason),
    /// Something required was not sent.
    MissingOutput,
    /// What was sent does not fit.
    InvalidOutput,
    /// Nobody has tried whether a required capability works.
    CapabilityUnknown,
    /// A required capability does not work.
    CapabilityUnavailable,
    /// Facts contradict each other, or a loop would go past its limit.
    Invariant,
}

/// What only the user can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UserReason {
    /// A secret.
    NeedsUserSecretOrToken,
    /// Access to an account.
    NeedsUserAccountAccess,
    /// A file.
    NeedsUserArtifact,
    /// A choice that must not be assumed.
    NeedsUserChoice,
    /// An approval.
    NeedsUserApproval,
    /// Something done on the user's machine.
    NeedsUserEnvironmentAction,
}

impl Reason {
    /// The blocker that the reason becomes in a blocking mode.
    pub const fn blocker(self) -> BlockerCode {
        match self {
            Reason::UserOnly(_) => BlockerCode::UserOnlyDependency,
            Reason::MissingOutput => BlockerCode::MissingRequiredOutput,
            Reason::InvalidOutput => BlockerCode::InvalidRequiredOutput,
            Reason::CapabilityUnknown => BlockerCode::RequiredCapabilityUnknown,
            Reason::CapabilityUnavailable => BlockerCode::RequiredCapabilityUnavailable,
            Reason::Invariant => BlockerCode::InvariantViolation,
        }
    }
}

/// A reason with where it lies and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Why.
    pub reason: Reason,
    /// Where.
    pub pointer: Pointer,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub fix: String,
}

impl Problem {
    pub(crate) fn new(reason: Reason, pointer: Pointer, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Problem {
            reason,
            pointer,
            message: message.into(),
            fix: fix.into(),
        }
    }
}
