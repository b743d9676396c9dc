//! What an agent can do, and how that is known.

use serde::{Deserialize, Serialize};

/// What an agent may be able to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Hand work to other agents.
    Delegation,
    /// Read the web.
    WebBrowsing,
}

impl Capability {
    /// The name as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Capability::Delegation => "delegation",
            Capability::WebBrowsing => "web_browsing",
        }
    }
}

/// Whether it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nobody tried.
    #[default]
    Unknown,
    /// It works.
    Available,
    /// It does not.
    Unavailable,
}

/// How far an observation is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// It unlocks what requires the capability.
    Strong,
    /// It is shown, and unlocks nothing.
    Weak,
}

/// How an observation was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Provenance {
    /// A step of the workflow tried it.
    ProbeStep {
        /// Always strong.
        enforcement_grade: Grade,
        /// The template that the step came from.
        probe_template_id: String,
        /// The step.
        probe_step_id: String,
        /// What came of it.
        result: ProbeResult,
        /// Why it failed.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        failure_code: Option<FailureCode>,
    },
    /// It was used.
    AttemptedUse {
        /// Always strong.
        enforcement_grade: Grade,
        /// By whom.
        attempt_context: AttemptContext,
        /// What came of it.
        result: ProbeResult,
        /// Why it failed.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        failure_code: Option<FailureCode>,
    },
    /// Somebody said so.
    ManualClaim {
        /// Always weak.
        enforcement_grade: Grade,
        /// Who.
        claimed_by: Party,
        /// What.
        claim: Status,
    },
}

impl Provenance {
    /// How far it is trusted; it follows from how it was made, whatever was written down.
    pub const fn grade(&self) -> Grade {
        match self {
            Provenance::ProbeStep { .. } | Provenance::AttemptedUse { .. } => Grade::Strong,
            Provenance::ManualClaim { .. } => Grade::Weak,
        }
    }
}

/// Whether a try succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProbeResult {
    /// It did.
    Success,
    /// It did not.
    Failure,
}

impl From<ProbeResult> for Status {
    fn from(result: ProbeResult) -> Status {
        match result {
            ProbeResult::Success => Status::Available,
            ProbeResult::Failure => Status::Unavailable,
        }
    }
}

/// Who tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttemptContext {
    /// The agent, in a step.
    WorkflowStep,
    /// The engine.
    SystemProbe,
}

/// Why a try failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureCode {
    /// There is no such tool.
    ToolMissing,
    /// The tool failed.
    ToolError,
    /// A policy forbade it.
    PolicyBlocked,
    /// Nobody knows.
    Unknown,
}

/// Who claims something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Party {
    /// The agent.
    Agent,
    /// The user.
    User,
}
