//! One event at a time, each checked against what came before.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Advance, Gap, Known, Node, Output, Run, State};
use crate::event::{
    CapabilityObserved, EdgeCreated, EdgeKind, Event, Fact, GapRecorded, Grade, NodeCreated, NodeKind,
    NodeOutputAppended, Resolution, RunStarted, Scope,
};
use crate::{EventId, NodeId, RunId};

/// Where an event stands.
#[derive(Clone, Copy)]
struct At {
    index: u64,
    id: EventId,
    scope: Option<Scope>,
}

impl At {
    fn node(&self) -> Option<NodeId> {
        self.scope.and_then(|scope| scope.node_id)
    }
}

impl State {
    /// Takes one event.
    pub fn apply(&mut self, event: Event) -> Result<(), String> {
        let index = event.event_index;
        if index != self.next_index {
            return Err(format!("event {index} stands where {} is due", self.next_index));
        }
        if event.session_id != self.id {
            return Err(format!("event {index} belongs to another session"));
        }
        let at = At {
            index,
            id: event.event_id,
            scope: event.scope,
        };
        self.fact(at, event.fact)
            .map_err(|why| format!("event {index}: {why}"))?;
        if let Some(node) = at.node().and_then(|node| self.nodes.get_mut(&node)) {
            node.touched_at = index;
        }
        if !self.keys.insert(event.dedupe_key) {
            return Err(format!("event {index} happened before"));
        }
        self.next_index += 1;
        Ok(())
    }

    fn fact(&mut self, at: At, fact: Fact) -> Result<(), String> {
        if self.created == matches!(fact, Fact::SessionCreated(_)) {
            return Err("a session begins once, with session_created".into());
        }
        if let Some(scope) = at.scope {
            self.in_run(scope.run_id, &fact)?;
        }
        match fact {
            Fact::SessionCreated(_) => self.created = true,
            Fact::ObservationRecorded(seen) => {
                self.observations.insert(seen.key, seen.value);
            }
            Fact::RunStarted(run) => self.run_started(at, run),
            Fact::NodeCreated(created) => return self.node_created(at, &created),
            Fact::EdgeCreated(edge) => return self.edge_created(at, &edge),
            Fact::AdvanceRecorded(advance) => {
                let node = self.on(at)?;
                node.advances.push(Advance {
                    attempt: advance.attempt_id,
                    outcome: advance.outcome,
                });
            }
            Fact::NodeOutputAppended(output) => return output_appended(self.on(at)?, output),
            Fact::PreferencesChanged(change) => {
                let node = self.on(at)?;
                if node.preferences.apply(&change.delta) != change.effective {
                    return Err("the effective preferences do not follow from the change".into());
                }
                node.preferences = change.effective;
            }
            Fact::CapabilityObserved(seen) => observed(self.on(at)?, &seen),
            Fact::GapRecorded(gap) => return self.gap_recorded(at, gap),
            Fact::DivergenceRecorded(divergence) => self.on(at)?.divergences.push(divergence),
            Fact::DecisionTraceAppended(trace) => self.on(at)?.trace.extend(trace.entries),
            Fact::ContextSet(context) => self.on(at)?.context = Arc::new(context.context),
            Fact::VerdictRecorded(verdict) => self.on(at)?.verdicts.push(verdict),
            Fact::CharterSet(set) => self.charter = set.charter,
        }
        Ok(())
    }

    fn in_run(&self, id: RunId, fact: &Fact) -> Result<(), String> {
        match (&self.run, fact) {
            (None, Fact::RunStarted(_)) => Ok(()),
            (Some(_), Fact::RunStarted(_)) => Err("the session has a run".into()),
            (Some(run), _) if run.id == id => Ok(()),
            _ => Err("the event is of a run that the session does not have".into()),
        }
    }

    fn on(&mut self, at: At) -> Result<&mut Node, String> {
        let node = at.node().and_then(|id| self.nodes.get_mut(&id));
        node.ok_or_else(|| "the event is on a node that does not exist".into())
    }

    fn run_started(&mut self, at: At, run: RunStarted) {
        self.run = at.scope.map(|scope| Run {
            id: scope.run_id,
            workflow_id: run.workflow_id,
            workflow_hash: run.workflow_hash,
            source_kind: run.workflow_source_kind,
            source_ref: run.workflow_source_ref,
            root: None,
        });
    }

    fn node_created(&mut self, at: At, created: &NodeCreated) -> Result<(), String> {
        let id = at.node().ok_or("a node has a name")?;
        let run = self.run.as_mut().ok_or("a node is in a run")?;
        if created.workflow_hash != run.workflow_hash {
            return Err("the node follows another workflow than its run".into());
        }
        if self.nodes.contains_key(&id) {
            return Err("the node exists".into());
        }
        let parent = match (created.parent_node_id, run.root) {
            (None, None) => {
                run.root = Some(id);
                None
            }
            (Some(parent), Some(_)) => Some(
                self.nodes
                    .get_mut(&parent)
                    .ok_or("the node comes from one that does not exist")?,
            ),
            _ => return Err("a run has one root".into()),
        };
        let mut node = fresh(id, at, created);
        if let Some(parent) = parent {
            node.preferences = parent.preferences;
            node.context = parent.context.clone();
            node.capabilities = parent.capabilities.clone();
            parent.children += 1;
            if created.node_kind == NodeKind::Checkpoint {
                node.origin = parent.origin;
            }
            match created.node_kind {
                NodeKind::Step => parent.step_children += 1,
                NodeKind::Checkpoint => parent.checkpoints.push(id),
                NodeKind::BlockedAttempt => {}
            }
            let origin = parent.origin;
            if created.node_kind == NodeKind::Step
                && let Some(origin) = self.nodes.get_mut(&origin)
            {
                origin.taken += 1;
            }
        }
        self.order.push(id);
        self.nodes.insert(id, node);
        Ok(())
    }

    fn edge_created(&mut self, at: At, edge: &EdgeCreated) -> Result<(), String> {
        let to = self
            .nodes
            .get_mut(&edge.to_node_id)
            .ok_or("the edge leads to a node that does not exist")?;
        if to.parent != Some(edge.from_node_id) {
            return Err("the edge does not come from the node's parent".into());
        }
        if (edge.edge_kind == EdgeKind::Checkpoint) != (to.kind == NodeKind::Checkpoint) {
            return Err("a checkpoint has a checkpoint's edge, and nothing else has".into());
        }
        if to.edge.replace((edge.edge_kind, edge.cause.kind)).is_some() {
            return Err("the node has an edge".into());
        }
        to.touched_at = at.index;
        Ok(())
    }

    fn gap_recorded(&mut self, at: At, gap: GapRecorded) -> Result<(), String> {
        let node = self.on(at)?.id;
        let closes = match gap.resolution {
            Resolution::Unresolved => None,
            Resolution::Resolves { resolves_gap_id } => Some(resolves_gap_id),
        };
        if let Some(closed) = closes {
            let closed = self
                .gaps
                .get_mut(&closed)
                .ok_or("the gap closes one that does not exist")?;
            closed.resolved = true;
            closed.closed_at.get_or_insert(at.index);
        }
        let gap_of = Gap {
            node,
            severity: gap.severity,
            reason: gap.reason,
            summary: gap.summary,
            resolved: closes.is_some(),
            opened_at: at.index,
            closed_at: closes.map(|_| at.index),
        };
        self.gaps.insert(gap.gap_id, gap_of);
        Ok(())
    }
}

fn fresh(id: NodeId, at: At, created: &NodeCreated) -> Node {
    Node {
        id,
        kind: created.node_kind,
        parent: created.parent_node_id,
        snapshot: created.snapshot_ref,
        created_at: at.index,
        created_by: at.id,
        touched_at: at.index,
        edge: None,
        preferences: Default::default(),
        context: Arc::default(),
        capabilities: Arc::default(),
        advances: Vec::new(),
        outputs: Vec::new(),
        divergences: Vec::new(),
        trace: Vec::new(),
        children: 0,
        step_children: 0,
        origin: id,
        taken: 0,
        verdicts: Vec::new(),
        checkpoints: Vec::new(),
    }
}

fn output_appended(node: &mut Node, output: NodeOutputAppended) -> Result<(), String> {
    if let Some(old) = output.supersedes_output_id {
        let same = |o: &Output| o.id == old && o.channel == output.output_channel;
        if !node.outputs.iter().any(same) {
            return Err("the output corrects one that is not of its node and channel".into());
        }
    }
    node.outputs.push(Output {
        id: output.output_id,
        channel: output.output_channel,
        payload: output.payload,
        supersedes: output.supersedes_output_id,
    });
    Ok(())
}

fn observed(node: &mut Node, seen: &CapabilityObserved) {
    let known: &mut BTreeMap<_, Known> = Arc::make_mut(&mut node.capabilities);
    let known = known.entry(seen.capability).or_default();
    match seen.provenance.grade() {
        Grade::Strong => known.proven = seen.status,
        Grade::Weak => known.claimed = seen.status,
    }
}
