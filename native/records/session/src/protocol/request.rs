//! What is asked. A field that is not here is refused.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::canon::canonical;
use crate::error::Error;
use crate::event::{
    AttemptContext, Autonomy, Capability, Charter, Delta, DivergenceReason, FailureCode, Grade, ObservedKey, Party,
    ProbeResult, Provenance, Risk, Status,
};
use crate::number::unsafe_number;
use crate::workflow::{Compiled, SourceKind};
use crate::{GapId, NodeId, OutputId, SessionId, limits};

/// Starts a run of a compiled workflow in a new session.
#[derive(Debug, Clone)]
pub struct StartRequest {
    /// The workflow.
    pub workflow: Compiled,
    /// Where its source came from.
    pub source: Started,
    /// What the run is about.
    pub context: Map<String, Value>,
    /// How far to go, at what risk.
    pub preferences: PreferenceChange,
    /// What is seen of the workspace.
    pub observations: Observations,
    /// What the session is for, and what its evidence is bound to.
    pub charter: Charter,
}

impl StartRequest {
    /// A run with nothing but its workflow.
    pub fn new(workflow: Compiled) -> Self {
        StartRequest {
            workflow,
            source: Started::default(),
            context: Map::new(),
            preferences: PreferenceChange::default(),
            observations: Observations::default(),
            charter: Charter::default(),
        }
    }
}

/// Where a workflow's source came from.
#[derive(Debug, Clone, Default, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Started {
    /// Which kind of place.
    pub kind: SourceKind,
    /// The place.
    pub reference: String,
}

/// Goes on with a run, or looks where it stands.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContinueRequest {
    /// The handle of the last answer, or a state token.
    pub token: String,
    /// The attempt, when `token` is a state token.
    #[serde(default)]
    pub ack_token: Option<String>,
    /// To complete the pending step, or to be told it again.
    pub intent: Intent,
    /// What changed in what the run is about: merged at the top, null deletes.
    #[serde(default)]
    pub context: Option<Map<String, Value>>,
    /// What the step gave.
    #[serde(default)]
    pub output: OutputRequest,
    /// How far to go from here on, at what risk.
    #[serde(default)]
    pub preferences: PreferenceChange,
    /// What was found out about capabilities.
    #[serde(default)]
    pub capabilities: Vec<CapabilityReport>,
    /// Where the agent left the script.
    #[serde(default)]
    pub divergence: Option<Divergence>,
    /// Gaps that this step closes.
    #[serde(default)]
    pub resolves_gaps: Vec<GapId>,
    /// What is seen of the workspace.
    #[serde(default)]
    pub observations: Observations,
    /// Whether the answer tells everything; the step and what is new by default.
    #[serde(default)]
    pub full: bool,
}

impl ContinueRequest {
    /// A request with nothing but its token.
    pub fn new(token: impl Into<String>, intent: Intent) -> Self {
        ContinueRequest {
            token: token.into(),
            ack_token: None,
            intent,
            context: None,
            output: OutputRequest::default(),
            preferences: PreferenceChange::default(),
            capabilities: Vec::new(),
            divergence: None,
            resolves_gaps: Vec::new(),
            observations: Observations::default(),
            full: false,
        }
    }
}

/// What a call wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// To complete the pending step.
    Advance,
    /// To be told where the run stands. Nothing is written.
    Rehydrate,
}

/// What a step gave.
#[derive(Debug, Clone, Default, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct OutputRequest {
    /// What was done in this step, in prose.
    pub notes: Option<String>,
    /// Typed results.
    pub artifacts: Vec<Map<String, Value>>,
    /// The notes of the same node that these correct.
    pub supersedes: Option<OutputId>,
}

/// A change of preferences.
#[derive(Debug, Clone, Copy, Default, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PreferenceChange {
    /// How far on its own.
    pub autonomy: Option<Autonomy>,
    /// At what risk.
    pub risk_policy: Option<Risk>,
}

impl PreferenceChange {
    /// What changes. A change of autonomy alone brings the risk that goes with it.
    pub(crate) fn delta(&self, now: crate::event::Preferences) -> Vec<Delta> {
        let autonomy = self.autonomy.filter(|new| *new != now.autonomy);
        let risk = self.risk_policy.or(autonomy.map(Autonomy::preset));
        let risk = risk.filter(|new| *new != now.risk_policy).map(Delta::RiskPolicy);
        let autonomy = autonomy.map(Delta::Autonomy);
        autonomy.into_iter().chain(risk).collect()
    }
}

/// What was found out about a capability.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum CapabilityReport {
    /// It was used.
    AttemptedUse {
        /// What.
        capability: Capability,
        /// What came of it.
        result: ProbeResult,
        /// Why it failed.
        #[serde(default)]
        failure_code: Option<FailureCode>,
    },
    /// Somebody says so.
    ManualClaim {
        /// What.
        capability: Capability,
        /// Who.
        claimed_by: Party,
        /// What they say.
        claim: Status,
    },
}

impl CapabilityReport {
    pub(crate) fn read(&self) -> Result<(Capability, Status, Provenance), Error> {
        match self.clone() {
            CapabilityReport::AttemptedUse {
                capability,
                result,
                failure_code,
            } => {
                if failure_code.is_some() != (result == ProbeResult::Failure) {
                    return Err(Error::validation(
                        "a failed use has a failureCode, and a successful one has none",
                        "send tool_missing, tool_error, policy_blocked or unknown with a failure",
                    ));
                }
                let provenance = Provenance::AttemptedUse {
                    enforcement_grade: Grade::Strong,
                    attempt_context: AttemptContext::WorkflowStep,
                    result,
                    failure_code,
                };
                Ok((capability, result.into(), provenance))
            }
            CapabilityReport::ManualClaim {
                capability,
                claimed_by,
                claim,
            } => {
                let provenance = Provenance::ManualClaim {
                    enforcement_grade: Grade::Weak,
                    claimed_by,
                    claim,
                };
                Ok((capability, claim, provenance))
            }
        }
    }
}

/// Where the agent left the script.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Divergence {
    /// Why.
    pub reason: DivergenceReason,
    /// In a sentence.
    pub summary: String,
    /// The step that was left.
    #[serde(default)]
    pub related_step_id: Option<String>,
}

/// What is seen of the workspace.
#[derive(Debug, Clone, Default, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Observations {
    /// The branch.
    pub git_branch: Option<String>,
    /// The commit.
    pub git_head_sha: Option<String>,
    /// A digest of the root's path.
    pub repo_root_hash: Option<String>,
    /// The root's path.
    pub repo_root: Option<String>,
}

impl Observations {
    pub(crate) fn read(&self) -> Result<Vec<(ObservedKey, crate::event::ObservedValue)>, Error> {
        [
            (ObservedKey::GitBranch, &self.git_branch),
            (ObservedKey::GitHeadSha, &self.git_head_sha),
            (ObservedKey::RepoRootHash, &self.repo_root_hash),
            (ObservedKey::RepoRoot, &self.repo_root),
        ]
        .into_iter()
        .filter_map(|(key, text)| text.as_ref().map(|text| Ok((key, key.value(text)?))))
        .collect()
    }
}

/// Makes a checkpoint.
#[derive(Debug, Clone, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckpointRequest {
    /// The handle or the checkpoint token of the last answer.
    pub token: String,
    /// What must not be lost.
    #[serde(default)]
    pub notes: Option<String>,
}

/// Goes back to a node.
#[derive(Debug, Clone, Copy, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RewindRequest {
    /// The session.
    pub session_id: SessionId,
    /// The node; the preferred tip when absent.
    #[serde(default)]
    pub node_id: Option<NodeId>,
}

/// A context within its budget and without names that mean something elsewhere.
pub(crate) fn check_context(context: &Map<String, Value>) -> Result<(), Error> {
    let size = canonical(context).len();
    if size > limits::CONTEXT {
        return Err(Error::too_large(
            "the context",
            size,
            limits::CONTEXT,
            "UTF-8 bytes of RFC 8785 JSON",
        ));
    }
    whole("the context", context)?;
    match reserved(context) {
        Some(key) => Err(Error::validation(
            format!("the context has the reserved key `{key}`"),
            "rename it: __proto__, constructor and prototype are refused",
        )),
        None => Ok(()),
    }
}

/// Every number comes back as it was sent, or it is not taken.
fn whole(what: &str, map: &Map<String, Value>) -> Result<(), Error> {
    let found = |(key, value): (&String, &Value)| Some(format!("/{key}{}", unsafe_number(value)?));
    match map.iter().find_map(found) {
        None => Ok(()),
        Some(at) => Err(Error::validation(
            format!("{what} has a number beyond 2^53 at {at}, which JSON does not carry unchanged"),
            "send it as a text",
        )
        .with(serde_json::json!({"pointer": at, "most": 9_007_199_254_740_991_u64}))),
    }
}

fn reserved(map: &Map<String, Value>) -> Option<&str> {
    map.iter().find_map(|(key, value)| match key.as_str() {
        "__proto__" | "constructor" | "prototype" => Some(key.as_str()),
        _ => reserved_in(value),
    })
}

fn reserved_in(value: &Value) -> Option<&str> {
    match value {
        Value::Object(map) => reserved(map),
        Value::Array(list) => list.iter().find_map(reserved_in),
        _ => None,
    }
}

/// The context after a change: merged at the top, null deletes.
pub(crate) fn merge(context: &Map<String, Value>, change: &Map<String, Value>) -> Map<String, Value> {
    let mut merged = context.clone();
    for (key, value) in change {
        if value.is_null() {
            merged.remove(key);
        } else {
            merged.insert(key.clone(), value.clone());
        }
    }
    merged
}

impl OutputRequest {
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.artifacts.len() > limits::ARTIFACTS {
            return Err(Error::validation(
                format!(
                    "{} artifacts were sent, and {} are taken",
                    self.artifacts.len(),
                    limits::ARTIFACTS
                ),
                "send fewer",
            ));
        }
        for artifact in &self.artifacts {
            let size = canonical(artifact).len();
            if size > limits::ARTIFACT {
                return Err(Error::too_large(
                    "an artifact",
                    size,
                    limits::ARTIFACT,
                    "UTF-8 bytes of RFC 8785 JSON",
                ));
            }
            if !artifact.get("kind").is_some_and(Value::is_string) {
                return Err(Error::validation(
                    "an artifact has no kind",
                    "give it a kind such as wr.loop_control",
                ));
            }
            whole("an artifact", artifact)?;
            if let Some(key) = reserved(artifact) {
                return Err(Error::validation(
                    format!("an artifact has the reserved key `{key}`"),
                    "rename it",
                ));
            }
        }
        Ok(())
    }
}
