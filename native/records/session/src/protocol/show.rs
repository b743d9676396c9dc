//! An answer as an agent gets it: the step first, one token, and what differs from what it knows. Everything else is there
//! for whoever asks for it.

use serde::Serialize;

use super::answer::{Answer, NextCall, NextIntent, OpenGap, WorkflowView};
use crate::event::{Blocker, Preferences};
use crate::project::RunStatus;
use crate::workflow::Need;
use crate::{NodeId, RunId, SessionId};

/// An answer as an agent gets it.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    /// The step to do; null when the run is complete.
    pub pending: Option<PendingShown>,
    /// The one thing to copy.
    pub token: String,
    /// What to do now.
    pub next_intent: NextIntent,
    /// How the run stands.
    pub status: RunStatus,
    /// Which workflow this is about.
    pub workflow: String,
    /// The session; told when it is first met.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Why the run did not go on, one for each cause.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<Blocker>,
    /// What is missing although the run went on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<OpenGap>,
    /// What the context lacks that a later step needs; told at the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Need>,
    /// What was done so far, for an agent that lost its chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<String>,
    /// What is worth knowing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What was left out because the agent has it: `full` and `rehydrate` give it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<&'static str>,
    /// The rest, for whoever asks for it.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub rest: Option<Rest>,
}

/// The step to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingShown {
    /// Its id.
    pub step_id: String,
    /// For people.
    pub title: String,
    /// What to do, and what will be accepted. Left out when it is the step that was just told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

/// What only some ask for.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rest {
    /// The run.
    pub run_id: RunId,
    /// The node.
    pub node_id: NodeId,
    /// The compiled workflow that the run is pinned to.
    pub pinned: WorkflowView,
    /// The token in parts: the state.
    pub state_token: String,
    /// The attempt.
    pub ack_token: String,
    /// The next checkpoint.
    pub checkpoint_token: String,
    /// How far to go, at what risk.
    pub preferences: Preferences,
    /// What the step requires, after it was refused.
    pub required: Vec<String>,
    /// The next request; null when the run is complete.
    pub next_call: Option<NextCall>,
}

/// How much of an answer is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Everything.
    Full,
    /// The agent meets the session: its name, and the whole step.
    Meeting,
    /// The whole step.
    Step,
    /// The step is the one that the agent was just told.
    Again,
}

impl Answer {
    /// The answer as an agent gets it. A refusal leaves out the step's text, which the agent has.
    pub fn shown(self, extent: Extent) -> Shown {
        let full = extent == Extent::Full;
        let again = extent == Extent::Again || (extent == Extent::Step && !self.blockers.is_empty());
        let mut cut = Vec::new();
        if again && self.pending.is_some() {
            cut.push("pending.prompt");
        }
        if !full && !self.required.is_empty() {
            cut.push("required");
        }
        let pending = self.pending.map(|pending| PendingShown {
            step_id: pending.step_id,
            title: pending.title,
            prompt: (!again).then_some(pending.prompt),
        });
        Shown {
            pending,
            token: self.token,
            next_intent: self.next_intent,
            status: self.status,
            workflow: self.workflow.id.clone(),
            session_id: matches!(extent, Extent::Full | Extent::Meeting).then_some(self.session_id),
            blockers: self.blockers,
            gaps: self.gaps,
            needs: self.needs,
            recovery: self.recovery,
            warnings: self.warnings,
            cut,
            rest: full.then_some(Rest {
                run_id: self.run_id,
                node_id: self.node_id,
                pinned: self.workflow,
                state_token: self.state_token,
                ack_token: self.ack_token,
                checkpoint_token: self.checkpoint_token,
                preferences: self.preferences,
                required: self.required,
                next_call: self.next_call,
            }),
        }
    }
}
