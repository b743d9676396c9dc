//! How far an agent goes on its own, and at what risk.

use serde::{Deserialize, Serialize};

/// How far an agent goes on its own. The order is from less to more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Autonomy {
    /// The user is asked.
    #[default]
    Guided,
    /// The agent goes on until only the user can help.
    FullAutoStopOnUserDeps,
    /// The agent never stops; what is missing becomes a gap.
    FullAutoNeverStop,
}

impl Autonomy {
    /// Whether a missing requirement stops the run.
    pub const fn blocks(self) -> bool {
        !matches!(self, Autonomy::FullAutoNeverStop)
    }
}

/// At what risk. The order is from less to more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// The safe path.
    #[default]
    Conservative,
    /// In between.
    Balanced,
    /// The fast path.
    Aggressive,
}

/// What holds on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Preferences {
    /// How far on its own.
    pub autonomy: Autonomy,
    /// At what risk.
    pub risk_policy: Risk,
}

/// One change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "key", content = "value", rename_all = "camelCase")]
pub enum Delta {
    /// How far on its own.
    Autonomy(Autonomy),
    /// At what risk.
    RiskPolicy(Risk),
}

impl Autonomy {
    /// The risk that goes with it when none is named.
    pub const fn preset(self) -> Risk {
        match self {
            Autonomy::Guided | Autonomy::FullAutoNeverStop => Risk::Conservative,
            Autonomy::FullAutoStopOnUserDeps => Risk::Balanced,
        }
    }

    /// The name as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Autonomy::Guided => "guided",
            Autonomy::FullAutoStopOnUserDeps => "full_auto_stop_on_user_deps",
            Autonomy::FullAutoNeverStop => "full_auto_never_stop",
        }
    }
}

impl Risk {
    /// The name as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Risk::Conservative => "conservative",
            Risk::Balanced => "balanced",
            Risk::Aggressive => "aggressive",
        }
    }
}

impl Preferences {
    /// The preferences after these changes.
    pub fn apply(mut self, delta: &[Delta]) -> Self {
        for change in delta {
            match *change {
                Delta::Autonomy(autonomy) => self.autonomy = autonomy,
                Delta::RiskPolicy(risk) => self.risk_policy = risk,
            }
        }
        self
    }
}

/// Who asked for a change. The first three are of version 1 of the event format, the others of version 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeSource {
    /// The user.
    User,
    /// The workflow.
    WorkflowRecommendation,
    /// The engine.
    System,
    /// Whoever started the session, before any step was taken.
    Starter,
    /// The agent: it may always go less far than it was allowed to.
    Agent,
    /// The operator's policy lets the agent choose.
    Operator,
}

impl ChangeSource {
    /// The oldest version of the event format that has this word.
    pub const fn version(self) -> u64 {
        match self {
            ChangeSource::User | ChangeSource::WorkflowRecommendation | ChangeSource::System => 1,
            ChangeSource::Starter | ChangeSource::Agent | ChangeSource::Operator => 2,
        }
    }
}
