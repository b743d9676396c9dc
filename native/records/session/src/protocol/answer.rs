//! What is answered.

use serde::Serialize;
use serde_json::{Value, json};

use super::Engine;
use crate::error::Error;
use crate::event::{Blocker, BlockerCode, Outcome, Preferences, Risk};
use crate::log::Log;
use crate::ports::Store;
use crate::project::RunStatus;
use crate::render::{self, PendingView, Place, sight};
use crate::state::{Gap, Node, Run};
use crate::token::{AttemptToken, Handle, StateToken, Token};
use crate::workflow::{Compiled, Control, Need};
use crate::{AttemptId, GapId, NodeId, RunId, SessionId, Snapshot, WorkflowHash};

/// Where a run stands, and the next request ready to be sent.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// Which workflow this is about.
    pub workflow: WorkflowView,
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The node.
    pub node_id: NodeId,
    /// The one thing to copy.
    pub token: String,
    /// The same, in parts: the state.
    pub state_token: String,
    /// The attempt.
    pub ack_token: String,
    /// The next checkpoint.
    pub checkpoint_token: String,
    /// The step to do; none when the run is complete.
    pub pending: Option<PendingView>,
    /// What to do now.
    pub next_intent: NextIntent,
    /// How the run stands.
    pub status: RunStatus,
    /// How far to go, at what risk.
    pub preferences: Preferences,
    /// What is missing although the run went on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<OpenGap>,
    /// What the context lacks that a later step needs; told at the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Need>,
    /// Why the run did not go on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<Blocker>,
    /// What the step requires, after it was refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<String>,
    /// What was done so far, for an agent that lost its chat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<String>,
    /// What is worth knowing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The next request; none when the run is complete.
    pub next_call: Option<NextCall>,
}

/// Something that is missing although the run went on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenGap {
    /// Its name, for `resolvesGaps`.
    pub gap_id: GapId,
    /// What is missing.
    pub summary: String,
}

/// Which workflow an answer is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowView {
    /// Its id.
    pub id: String,
    /// For people.
    pub name: String,
    /// The author's version.
    pub version: String,
    /// The compiled workflow that the run follows.
    pub hash: WorkflowHash,
}

/// What to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NextIntent {
    /// Do the pending step, then continue.
    PerformPendingThenContinue,
    /// Ask the user, then continue.
    AwaitUserConfirmation,
    /// Ask where the run stands.
    RehydrateOnly,
    /// Nothing: the run is complete.
    Complete,
}

/// A request that is ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NextCall {
    /// The verb.
    pub verb: &'static str,
    /// Its parameters.
    pub params: Value,
}

impl NextCall {
    pub(crate) fn to(intent: &str, token: &str) -> Self {
        NextCall {
            verb: "continue",
            params: json!({"token": token, "intent": intent}),
        }
    }
}

/// The node that an answer is about, as it stood when it was first given.
#[derive(Clone, Copy)]
pub(crate) struct At<'l> {
    pub node: &'l Node,
    pub ordinal: usize,
    pub checkpoints: usize,
    /// The index of the event before which the answer was due: what came later is no part of it.
    pub before: u64,
}

impl<'l> At<'l> {
    /// The node as it is now.
    pub(crate) fn now(node: &'l Node) -> Self {
        At {
            node,
            ordinal: node.advances.len(),
            checkpoints: node.checkpoints.len(),
            before: u64::MAX,
        }
    }

    /// The node just after it was made.
    pub(crate) fn fresh(node: &'l Node) -> Self {
        At {
            node,
            ordinal: 0,
            checkpoints: 0,
            before: node.created_at,
        }
    }
}

/// The texts of the tokens on a node.
pub(crate) struct Tokens {
    pub handle: String,
    state: String,
    ack: String,
    checkpoint: String,
}

/// The attempt of the next checkpoint on a node.
pub(crate) fn checkpoint_attempt(node: NodeId, ordinal: usize) -> AttemptId {
    AttemptId::derived(&["checkpoint", &node.to_string(), &ordinal.to_string()])
}

pub(crate) fn run(log: &Log) -> Result<&Run, Error> {
    log.state
        .run
        .as_ref()
        .ok_or_else(|| Error::invariant("the session has no run"))
}

impl<S: Store> Engine<S> {
    pub(crate) fn tokens(&self, log: &Log, at: At<'_>) -> Result<Tokens, Error> {
        let keys = self.store.keyring()?;
        let (session, run, node) = (log.state.id, run(log)?, at.node);
        let too_many = || Error::invariant("the session is longer than a handle can say");
        let handle = Handle {
            session_id: session,
            node_index: u32::try_from(node.created_at).map_err(|_| too_many())?,
            ordinal: u16::try_from(at.ordinal).map_err(|_| too_many())?,
        };
        let attempt = AttemptId::on(node.id, at.ordinal as u32);
        let checkpoint = checkpoint_attempt(node.id, at.checkpoints);
        Ok(Tokens {
            handle: Token::Handle(handle).mint(&keys),
            state: Token::State(StateToken::new(session, run.id, node.id, run.workflow_hash)).mint(&keys),
            ack: Token::Ack(AttemptToken::ack(session, run.id, node.id, attempt)).mint(&keys),
            checkpoint: Token::Checkpoint(AttemptToken::checkpoint(session, run.id, node.id, checkpoint)).mint(&keys),
        })
    }

    /// The answer about a node.
    pub(crate) fn answer(&self, log: &Log, at: At<'_>) -> Result<Answer, Error> {
        let run = run(log)?;
        let workflow = self.store.workflow(run.workflow_hash)?;
        let snapshot = self.store.snapshot(at.node.snapshot)?;
        self.answer_with(log, at, &workflow, &snapshot)
    }

    pub(crate) fn answer_with(
        &self,
        log: &Log,
        at: At<'_>,
        workflow: &Compiled,
        snapshot: &Snapshot,
    ) -> Result<Answer, Error> {
        let (run, node) = (run(log)?, at.node);
        let tokens = self.tokens(log, at)?;
        let sight = sight(&node.context, node.preferences);
        let place = Place::of(workflow, snapshot.state(), &sight);
        let pending = place
            .as_ref()
            .map(|place| render::pending(workflow, place, node.parent.is_none()));
        let waits = node.preferences.autonomy.blocks() && place.as_ref().is_some_and(Place::needs_confirmation);
        let next_intent = match &pending {
            None => NextIntent::Complete,
            Some(_) if waits => NextIntent::AwaitUserConfirmation,
            Some(_) => NextIntent::PerformPendingThenContinue,
        };
        Ok(Answer {
            workflow: view(workflow, run),
            session_id: log.state.id,
            run_id: run.id,
            node_id: node.id,
            next_call: pending.is_some().then(|| NextCall::to("advance", &tokens.handle)),
            token: tokens.handle,
            state_token: tokens.state,
            ack_token: tokens.ack,
            checkpoint_token: tokens.checkpoint,
            status: status(log, at, pending.is_none()),
            gaps: log.state.open_gaps(at.before).map(open_gap).collect(),
            needs: Vec::new(),
            pending,
            next_intent,
            preferences: node.preferences,
            blockers: Vec::new(),
            required: Vec::new(),
            recovery: None,
            warnings: exceeds(workflow, node.preferences)
                .into_iter()
                .chain(
                    place
                        .as_ref()
                        .and_then(|place| near_limit(workflow, place, node.preferences)),
                )
                .collect(),
        })
    }
}

impl Answer {
    /// The same answer after an attempt that was refused.
    pub(crate) fn blocked(mut self, blockers: &[Blocker], required: &[String]) -> Self {
        if blockers
            .iter()
            .any(|blocker| blocker.code == BlockerCode::UserOnlyDependency)
        {
            self.next_intent = NextIntent::AwaitUserConfirmation;
        }
        self.status = RunStatus::Blocked;
        self.blockers = blockers.to_vec();
        self.required = required.to_vec();
        self
    }
}

pub(crate) fn view(workflow: &Compiled, run: &Run) -> WorkflowView {
    WorkflowView {
        id: workflow.workflow_id.clone(),
        name: workflow.name.clone(),
        version: workflow.version.clone(),
        hash: run.workflow_hash,
    }
}

/// How the run stands at a node, as it was when the answer was due.
fn status(log: &Log, at: At<'_>, complete: bool) -> RunStatus {
    if complete {
        return match log.state.open_gaps(at.before).next() {
            Some(_) => RunStatus::CompleteWithGaps,
            None => RunStatus::Complete,
        };
    }
    let last = at.node.advances.get(..at.ordinal).and_then(<[_]>::last);
    match last.map(|advance| &advance.outcome) {
        Some(Outcome::Blocked { .. }) => RunStatus::Blocked,
        _ => RunStatus::InProgress,
    }
}

fn open_gap((id, gap): (&GapId, &Gap)) -> OpenGap {
    OpenGap {
        gap_id: *id,
        summary: gap.summary.clone(),
    }
}

/// A loop that nears its limit. How early this is told is what the risk policy decides: from the middle on, in the last
/// iteration, or not at all.
fn near_limit(workflow: &Compiled, place: &Place<'_>, preferences: Preferences) -> Option<String> {
    let frame = place.frames.last()?;
    let looped = *crate::interpret::loops_around(workflow, place.frames).last()?;
    let (n, max) = (frame.iteration + 1, looped.max_iterations);
    let from = match preferences.risk_policy {
        Risk::Conservative => max.div_ceil(2) + 1,
        Risk::Balanced => max,
        Risk::Aggressive => return None,
    };
    (max > 1 && n >= from && !matches!(looped.control, Control::For { .. } | Control::ForEach { .. }))
        .then(|| format!("the loop `{}` may run {} more times after this one", looped.id, max - n))
}

/// Preferences that go further than the author recommends. They are never refused.
fn exceeds(workflow: &Compiled, preferences: Preferences) -> Vec<String> {
    let autonomy = workflow
        .recommended_autonomy
        .filter(|most| preferences.autonomy > *most);
    let risk = workflow
        .recommended_risk_policy
        .filter(|most| preferences.risk_policy > *most);
    let word = |value: Value| value.as_str().unwrap_or_default().to_owned();
    let autonomy = autonomy.map(|most| format!("the workflow recommends autonomy {} at most", word(json!(most))));
    let risk = risk.map(|most| format!("the workflow recommends risk {} at most", word(json!(most))));
    autonomy.into_iter().chain(risk).collect()
}
