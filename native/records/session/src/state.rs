//! What a session's events add up to. Applying an event costs the same however long the session is.

mod apply;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::event::{
    Capability, CauseKind, Channel, Charter, DivergenceRecorded, EdgeKind, Event, GapReason, NodeKind, ObservedKey,
    ObservedValue, Outcome, Payload, Preferences, Severity, Status, TraceEntry, VerdictRecorded,
};
use crate::plan::Plan;
use crate::workflow::SourceKind;
use crate::{AttemptId, DedupeKey, EventId, GapId, NodeId, OutputId, RunId, SessionId, SnapshotRef, WorkflowHash};

/// A session as its events say.
#[derive(Debug, Clone)]
pub struct State {
    /// The session.
    pub id: SessionId,
    /// The index of the next event.
    pub next_index: u64,
    /// What was last seen of the workspace.
    pub observations: BTreeMap<ObservedKey, ObservedValue>,
    /// The run.
    pub run: Option<Run>,
    /// Every gap, by its name.
    pub gaps: BTreeMap<GapId, Gap>,
    /// What the session is for, and what its evidence is bound to.
    pub charter: Charter,
    nodes: HashMap<NodeId, Node>,
    order: Vec<NodeId>,
    keys: HashSet<DedupeKey>,
    created: bool,
}

/// A run and the workflow it is pinned to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Its name.
    pub id: RunId,
    /// The workflow's id.
    pub workflow_id: String,
    /// The compiled workflow.
    pub workflow_hash: WorkflowHash,
    /// Where the source came from.
    pub source_kind: SourceKind,
    /// Where the source was.
    pub source_ref: String,
    /// The first node.
    pub root: Option<NodeId>,
}

/// A node with what holds on it.
#[derive(Debug, Clone)]
pub struct Node {
    /// Its name.
    pub id: NodeId,
    /// What it stands for.
    pub kind: NodeKind,
    /// The node it comes from.
    pub parent: Option<NodeId>,
    /// Where the interpreter stands.
    pub snapshot: SnapshotRef,
    /// The index of its `node_created`.
    pub created_at: u64,
    /// The name of its `node_created`.
    pub created_by: EventId,
    /// The index of the last event on the node itself.
    pub touched_at: u64,
    /// The edge that leads to it.
    pub edge: Option<(EdgeKind, CauseKind)>,
    /// What holds on it.
    pub preferences: Preferences,
    /// The context on it.
    pub context: Arc<Map<String, Value>>,
    /// What is known of capabilities on it.
    pub capabilities: Arc<BTreeMap<Capability, Known>>,
    /// The attempts to advance from it, in order.
    pub advances: Vec<Advance>,
    /// Its outputs, in order.
    pub outputs: Vec<Output>,
    /// Where the agent left the script.
    pub divergences: Vec<DivergenceRecorded>,
    /// Why the engine chose what it chose.
    pub trace: Vec<TraceEntry>,
    /// How many nodes come from it.
    pub children: u32,
    /// How many steps come from it.
    pub step_children: u32,
    /// The node on which its step became pending: itself, or the step that a checkpoint was made of.
    pub origin: NodeId,
    /// How often its step was taken, from it or from a checkpoint of it. Counted on the origin.
    pub taken: u32,
    /// What checks said of its step, in order.
    pub verdicts: Vec<VerdictRecorded>,
    /// Its checkpoints, in order.
    pub checkpoints: Vec<NodeId>,
}

/// What is known of a capability.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Known {
    /// What was tried.
    pub proven: Status,
    /// What was said.
    pub claimed: Status,
}

/// An attempt that was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advance {
    /// The attempt.
    pub attempt: AttemptId,
    /// What came of it.
    pub outcome: Outcome,
}

/// An output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Its name.
    pub id: OutputId,
    /// What it is for.
    pub channel: Channel,
    /// What it says.
    pub payload: Payload,
    /// The output it corrects.
    pub supersedes: Option<OutputId>,
}

/// A gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// Where it was recorded.
    pub node: NodeId,
    /// How bad it is.
    pub severity: Severity,
    /// What is missing.
    pub reason: GapReason,
    /// In a sentence.
    pub summary: String,
    /// Whether a later gap closed it, or it only closes another.
    pub resolved: bool,
    /// The index of the event that recorded it.
    pub opened_at: u64,
    /// The index of the event that closed it.
    pub closed_at: Option<u64>,
}

/// How a plan meets what is already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// Nothing of it is there.
    None,
    /// All of it is there: it happened before.
    All,
    /// A part of it is there: that cannot be.
    Some,
}

impl State {
    /// A session without events.
    pub fn new(id: SessionId) -> Self {
        State {
            id,
            next_index: 0,
            observations: BTreeMap::new(),
            run: None,
            gaps: BTreeMap::new(),
            charter: Charter::default(),
            nodes: HashMap::new(),
            order: Vec::new(),
            keys: HashSet::new(),
            created: false,
        }
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(&id)
    }

    /// The node whose `node_created` has this index.
    pub fn node_created_at(&self, index: u64) -> Option<&Node> {
        let at = self
            .order
            .binary_search_by_key(&index, |id| self.nodes[id].created_at)
            .ok()?;
        self.nodes.get(&self.order[at])
    }

    /// Every node, in the order of creation.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = &Node> {
        self.order.iter().map(|id| &self.nodes[id])
    }

    /// A node and those it comes from, the nearest first.
    pub fn lineage(&self, id: NodeId) -> impl Iterator<Item = &Node> {
        std::iter::successors(self.node(id), |node| node.parent.and_then(|parent| self.node(parent)))
    }

    /// Whether the step of a node was taken already, from it or through a checkpoint.
    pub fn is_taken(&self, node: &Node) -> bool {
        self.node(node.origin).is_some_and(|origin| origin.taken > 0)
    }

    /// The critical gaps that were open just before the event with this index.
    pub fn open_gaps(&self, before: u64) -> impl Iterator<Item = (&GapId, &Gap)> {
        self.gaps.iter().filter(move |(_, gap)| {
            gap.severity == Severity::Critical
                && gap.opened_at < before
                && gap.closed_at.is_none_or(|closed| closed >= before)
        })
    }

    /// Whether an event with this key happened.
    pub fn has(&self, key: &DedupeKey) -> bool {
        self.keys.contains(key)
    }

    /// How a plan meets what is already there.
    pub fn overlap(&self, plan: &Plan) -> Overlap {
        match plan.events().iter().filter(|event| self.has(&event.dedupe_key)).count() {
            0 => Overlap::None,
            n if n == plan.events().len() => Overlap::All,
            _ => Overlap::Some,
        }
    }

    /// Takes the events of one append, in order. On an error the state must not be used any more.
    pub fn apply_all(&mut self, events: impl IntoIterator<Item = Event>) -> Result<(), String> {
        events.into_iter().try_for_each(|event| self.apply(event))
    }
}

impl Node {
    /// The recorded attempt with this name.
    pub fn advance(&self, attempt: AttemptId) -> Option<&Advance> {
        self.advances.iter().find(|advance| advance.attempt == attempt)
    }

    /// The node on which the pending step can be completed: a refused attempt leaves it on the parent.
    pub fn actionable(&self) -> NodeId {
        match (self.kind, self.parent) {
            (NodeKind::BlockedAttempt, Some(parent)) => parent,
            _ => self.id,
        }
    }
}
