//! What a session was started for, and what its evidence is bound to.

use serde::{Deserialize, Serialize};

use crate::{NodeId, SessionId};

/// What a session was started for, and what its evidence is bound to. It is set when the session starts; later only the
/// operator sets it again, and then as a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Charter {
    /// The directory that every check of the session sees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workdir: Option<String>,
    /// The Org plan that the workflow was read from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Whether verdicts are written into the plan.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub write_plan: bool,
    /// Steps that the plan's history proved before the session began.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub proven: Vec<String>,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is to be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// The session whose step this one works for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
}

/// The step of another session that a session works for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Parent {
    /// The session.
    pub session_id: SessionId,
    /// The node on which the step is pending.
    pub node_id: NodeId,
}

impl Charter {
    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == Charter::default()
    }
}
