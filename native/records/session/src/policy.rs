//! What the operator lets agents do. It lies beside the keys, where no agent's request reaches.

use serde::{Deserialize, Serialize};

use crate::event::{Autonomy, Preferences, Risk};

/// The version of the policy's format.
pub const VERSION: u64 = 1;

/// What the operator lets agents do.
///
/// ```
/// use session::{Policy, event::Autonomy};
/// let strict = Policy::default();
/// assert_eq!(strict.agent_autonomy, Autonomy::Guided);
/// assert_eq!(Policy::decode(&strict.encode()), Ok(strict));
/// assert!(Policy::decode(b"{\"v\": 2}").is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Policy {
    /// The version of the format.
    pub v: u64,
    /// How far a session may go at all, whoever asks.
    pub most_autonomy: Autonomy,
    /// How far an agent may raise its autonomy without the user's word.
    pub agent_autonomy: Autonomy,
    /// The risk that an agent may take without the user's word.
    pub agent_risk: Risk,
    /// Directories of workflows that count as bundled.
    pub libraries: Vec<String>,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            v: VERSION,
            most_autonomy: Autonomy::FullAutoNeverStop,
            agent_autonomy: Autonomy::Guided,
            agent_risk: Risk::Conservative,
            libraries: Vec::new(),
        }
    }
}

impl Policy {
    /// The file.
    pub fn encode(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec_pretty(self).expect("a policy is JSON");
        text.push(b'\n');
        text
    }

    /// Reads the file. What cannot be understood is refused, so that no limit is lost in silence.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        let policy: Policy = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
        match policy.v {
            VERSION => Ok(policy),
            other => Err(format!(
                "it has version {other}, and this program knows version {VERSION}"
            )),
        }
    }

    /// Whether an agent may choose this without the user's word.
    pub(crate) fn lets_agent(&self, wanted: Preferences) -> bool {
        wanted.autonomy <= self.agent_autonomy && wanted.risk_policy <= self.agent_risk
    }
}
