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

/// Who asked for a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeSource {
    /// The user.
    User,
    /// The workflow.
    WorkflowRecommendation,
    /// The engine.
    System,
}
