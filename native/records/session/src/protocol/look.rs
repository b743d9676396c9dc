//! Looking without writing: list, inspect, rewind. A damaged session shows its valid part, and says so.

use std::collections::BTreeMap;

use serde::Serialize;

use super::answer::{At, run, view};
use super::{Answer, Engine, NextCall, NextIntent, RewindRequest, WorkflowView, healthy};
use crate::error::Error;
use crate::event::{CauseKind, Channel, DivergenceRecorded, NodeKind, Outcome, Payload, Preferences, TraceEntry};
use crate::log::{Health, Log};
use crate::ports::Store;
use crate::project::{RunStatus, current_outputs, preferred_tip, run_status};
use crate::state::Node;
use crate::{GapId, NodeId, OutputId, SessionId, WorkflowHash};

/// A session in a line.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    /// The session.
    pub session_id: SessionId,
    /// Whether it can be trusted.
    pub health: Health,
    /// What to read before the rest, when it is not whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub banner: Option<String>,
    /// Which workflow it runs.
    pub workflow_id: Option<String>,
    /// How its run stands.
    pub status: Option<RunStatus>,
    /// The step that is pending at its tip.
    pub pending_step: Option<String>,
    /// How many events it has.
    pub events: u64,
    /// What was last seen of the workspace.
    pub observations: BTreeMap<String, String>,
}

/// A session in full.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    /// In a line.
    #[serde(flatten)]
    pub overview: Overview,
    /// What was found that does no harm.
    pub warnings: Vec<String>,
    /// The workflow it follows; absent when that cannot be read.
    pub workflow: Option<WorkflowView>,
    /// Whether the workflow's source has changed since; absent when that was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<bool>,
    /// The preferred tip.
    pub tip: Option<NodeId>,
    /// Every node, in the order of creation.
    pub nodes: Vec<NodeView>,
    /// Every gap.
    pub gaps: Vec<GapView>,
}

/// A gap as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GapView {
    /// Its name.
    pub gap_id: GapId,
    /// Where it was recorded.
    pub node_id: NodeId,
    /// What is missing.
    pub reason: crate::event::GapReason,
    /// In a sentence.
    pub summary: String,
    /// Whether it is closed.
    pub resolved: bool,
}

/// A node as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NodeView {
    /// Its name.
    pub node_id: NodeId,
    /// What it stands for.
    pub kind: NodeKind,
    /// The node it comes from.
    pub parent: Option<NodeId>,
    /// Why its edge exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<CauseKind>,
    /// The step that is pending on it; absent when its snapshot cannot be read or nothing is pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Why its snapshot cannot be read. The other nodes are not touched by that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot_error: Option<String>,
    /// How far to go, at what risk.
    pub preferences: Preferences,
    /// What came of the attempts on it.
    pub attempts: Vec<Outcome>,
    /// Its outputs that still count.
    pub outputs: Vec<OutputView>,
    /// Where the agent left the script.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub divergences: Vec<DivergenceRecorded>,
    /// Why the engine chose it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<TraceEntry>,
}

/// An output as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutputView {
    /// Its name.
    pub output_id: OutputId,
    /// What it is for.
    pub channel: Channel,
    /// What it says.
    pub payload: Payload,
}

impl<S: Store> Engine<S> {
    /// Every session in a line.
    pub fn list(&self) -> Result<Vec<Overview>, Error> {
        self.store
            .sessions()?
            .into_iter()
            .map(|id| Ok(self.overview(&*self.store.read(id)?)))
            .collect()
    }

    /// A session in full. `current` is the hash of the workflow's source as it is now.
    pub fn inspect(&self, id: SessionId, current: Option<WorkflowHash>) -> Result<Inspection, Error> {
        let log = self.store.read(id)?;
        let run = log.state.run.as_ref();
        let workflow = run.and_then(|run| Some(view(&*self.store.workflow(run.workflow_hash).ok()?, run)));
        let gap = |(id, gap): (&GapId, &crate::state::Gap)| GapView {
            gap_id: *id,
            node_id: gap.node,
            reason: gap.reason,
            summary: gap.summary.clone(),
            resolved: gap.resolved,
        };
        Ok(Inspection {
            overview: self.overview(&log),
            warnings: log.warnings.clone(),
            workflow,
            drift: current.zip(run).map(|(current, run)| current != run.workflow_hash),
            tip: preferred_tip(&log.state).map(|tip| tip.id),
            nodes: log.state.nodes().map(|node| self.node_view(node)).collect(),
            gaps: log.state.gaps.iter().map(gap).collect(),
        })
    }

    /// A token to go on from a node, or from the preferred tip. Nothing is written.
    pub fn rewind(&self, request: RewindRequest) -> Result<Answer, Error> {
        let log = self.store.read(request.session_id)?;
        healthy(&log)?;
        let node = match request.node_id {
            Some(id) => log.state.node(id),
            None => preferred_tip(&log.state),
        };
        let node = node.and_then(|node| log.state.node(node.actionable()));
        let node = node
            .ok_or_else(|| Error::validation("the session has no such node", "inspect the session to see its nodes"))?;
        let mut answer = self.answer(&log, At::now(node))?;
        answer.recovery = crate::render::recovery(&log.state, node.id);
        if answer.pending.is_some() {
            answer.next_intent = NextIntent::RehydrateOnly;
            answer.next_call = Some(NextCall::to("rehydrate", &answer.token));
        }
        Ok(answer)
    }

    pub(crate) fn overview(&self, log: &Log) -> Overview {
        let tip = preferred_tip(&log.state);
        let snapshot = tip.and_then(|tip| self.store.snapshot(tip.snapshot).ok());
        let status = tip
            .zip(snapshot.as_ref())
            .map(|(tip, s)| run_status(&log.state, tip, s.state()));
        Overview {
            session_id: log.state.id,
            health: log.health.clone(),
            banner: log.health.banner(),
            workflow_id: run(log).ok().map(|run| run.workflow_id.clone()),
            status,
            pending_step: snapshot.and_then(|s| s.state().pending().map(|step| step.step_id.clone())),
            events: log.state.next_index,
            observations: log
                .state
                .observations
                .iter()
                .map(|(k, v)| (k.as_str().to_owned(), v.text()))
                .collect(),
        }
    }

    fn node_view(&self, node: &Node) -> NodeView {
        let snapshot = self.store.snapshot(node.snapshot);
        let output = |o: &crate::state::Output| OutputView {
            output_id: o.id,
            channel: o.channel,
            payload: o.payload.clone(),
        };
        NodeView {
            node_id: node.id,
            kind: node.kind,
            parent: node.parent,
            cause: node.edge.map(|(_, cause)| cause),
            step: snapshot
                .as_ref()
                .ok()
                .and_then(|s| s.state().pending().map(|step| step.key())),
            snapshot_error: snapshot.as_ref().err().map(|error| error.message.clone()),
            preferences: node.preferences,
            attempts: node.advances.iter().map(|advance| advance.outcome.clone()).collect(),
            outputs: current_outputs(node).into_iter().map(output).collect(),
            divergences: node.divergences.clone(),
            trace: node.trace.clone(),
        }
    }
}
