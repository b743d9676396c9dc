//! When a step needs the user's approval.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Condition;

/// When a step needs the user's approval.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confirm {
    /// Never.
    #[default]
    Never,
    /// Always.
    Always,
    /// When the condition holds.
    When(Condition),
}

impl Confirm {
    /// `true`, `false`, a condition, or `{kind, condition?}`.
    pub fn from_json(value: &Value) -> Result<Self, String> {
        match value {
            Value::Bool(false) => Ok(Confirm::Never),
            Value::Bool(true) => Ok(Confirm::Always),
            Value::Object(object) if object.contains_key("kind") => {
                if !matches!(object["kind"].as_str(), Some("human_approval" | "coordinator_eval")) {
                    return Err("a confirmation's kind is human_approval or coordinator_eval".into());
                }
                if object.keys().any(|key| key != "kind" && key != "condition") {
                    return Err("a confirmation has kind and condition".into());
                }
                object
                    .get("condition")
                    .map_or(Ok(Confirm::Always), |c| Ok(Confirm::When(Condition::from_json(c)?)))
            }
            other => Ok(Confirm::When(Condition::from_json(other)?)),
        }
    }

    /// `t` or a condition.
    pub fn from_org(text: &str) -> Result<Self, String> {
        match text.trim() {
            "t" | "true" | "yes" => Ok(Confirm::Always),
            "nil" | "false" | "no" => Ok(Confirm::Never),
            condition => Ok(Confirm::When(Condition::from_org(condition)?)),
        }
    }

    /// Whether approval is needed now.
    pub fn needed<'v>(&self, look_up: &impl Fn(&str) -> Option<&'v Value>) -> bool {
        match self {
            Confirm::Never => false,
            Confirm::Always => true,
            Confirm::When(condition) => condition.holds(look_up),
        }
    }

    pub(crate) const fn is_never(&self) -> bool {
        matches!(self, Confirm::Never)
    }
}
