//! Looking without writing: list, inspect, rewind. A damaged session shows its valid part, and says so.

use serde::{Deserialize, Serialize};

use super::answer::{At, view};
use super::{Answer, Engine, NextCall, NextIntent, RewindRequest, WorkflowView, healthy};
use crate::error::Error;
use crate::event::{
    CauseKind, Channel, Charter, DivergenceRecorded, NodeKind, Outcome, Payload, Preferences, TraceEntry,
    VerdictRecorded,
};
use crate::limits;
use crate::ports::Store;
use crate::project::{Entry, Overview, current_outputs, preferred_tip};
use crate::state::Node;
use crate::{GapId, NodeId, OutputId, SessionId, WorkflowHash};

/// Which sessions are listed: the latest written first.
#[derive(Debug, Clone, Default, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ListRequest {
    /// How many at most; 50 when absent.
    pub limit: Option<usize>,
    /// Only those written at this millisecond since 1970 or later.
    pub since: Option<u64>,
    /// Only those written before this millisecond since 1970.
    pub before: Option<u64>,
    /// Only the children of this session.
    pub parent: Option<SessionId>,
}

/// Sessions that were listed.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    /// The sessions, the latest written first.
    pub sessions: Vec<Overview>,
    /// How many fit; more than are shown when the limit cut them.
    pub total: usize,
}

/// A session in full.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Inspection {
    /// In a line.
    #[serde(flatten)]
    pub overview: Overview,
    /// What it is for, and what its evidence is bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charter: Option<Charter>,
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
    /// What checks said of its step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<VerdictRecorded>,
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
    /// Every session in a line, in the order of the ids.
    pub fn list(&self) -> Result<Vec<Overview>, Error> {
        let mut all: Vec<Overview> = self.store.entries()?.into_iter().map(|entry| entry.overview).collect();
        all.sort_by_key(|overview| overview.session_id);
        Ok(all)
    }

    /// The sessions that were written last.
    pub fn listed(&self, request: &ListRequest) -> Result<Listed, Error> {
        let mut all: Vec<Overview> = self.store.entries()?.into_iter().map(|entry| entry.overview).collect();
        all.retain(|overview| {
            let written = overview.written_at.unwrap_or(0);
            request.since.is_none_or(|since| written >= since)
                && request.before.is_none_or(|before| written < before)
                && request
                    .parent
                    .is_none_or(|parent| overview.parent.is_some_and(|is| is.session_id == parent))
        });
        let total = all.len();
        all.sort_by_key(|overview| (std::cmp::Reverse(overview.written_at), overview.session_id));
        all.truncate(request.limit.unwrap_or(limits::LISTED));
        Ok(Listed { sessions: all, total })
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
            overview: Entry::of(&self.store, &log, None).overview,
            charter: Some(log.state.charter.clone()).filter(|charter| !charter.is_empty()),
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
        answer.recovery = self.recovery(&log, node.id)?;
        if answer.pending.is_some() {
            answer.next_intent = NextIntent::RehydrateOnly;
            answer.next_call = Some(NextCall::to("rehydrate", &answer.token));
        }
        Ok(answer)
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
            verdicts: node.verdicts.clone(),
            outputs: current_outputs(node).into_iter().map(output).collect(),
            divergences: node.divergences.clone(),
            trace: node.trace.clone(),
        }
    }
}
