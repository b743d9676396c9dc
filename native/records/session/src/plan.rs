//! What one append writes: all of it becomes truth, or none of it.

use crate::canon::{SnapshotRef, WorkflowHash};
use crate::error::Error;
use crate::event::{Event, Fact, Scope};
use crate::ports::Random;
use crate::state::State;
use crate::{Compiled, DedupeKey, EventId, SessionId, Snapshot, limits};

/// The events of one append and what they need. It is used up by the append.
#[derive(Debug)]
pub struct Plan {
    session: SessionId,
    events: Vec<Event>,
    segment: Vec<u8>,
    snapshots: Vec<(SnapshotRef, Vec<u8>)>,
    workflow: Option<(WorkflowHash, Vec<u8>)>,
}

impl Plan {
    /// The session it is for.
    pub const fn session(&self) -> SessionId {
        self.session
    }

    /// The events, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The events as the bytes of a segment.
    pub fn segment(&self) -> &[u8] {
        &self.segment
    }

    /// The snapshots that the events name.
    pub fn snapshots(&self) -> &[(SnapshotRef, Vec<u8>)] {
        &self.snapshots
    }

    /// The compiled workflow that the events name, when it may be new.
    pub fn workflow(&self) -> Option<&(WorkflowHash, Vec<u8>)> {
        self.workflow.as_ref()
    }

    /// The indexes of the first and the last event.
    pub fn bounds(&self) -> (u64, u64) {
        let first = self.events[0].event_index;
        (first, first + self.events.len() as u64 - 1)
    }
}

/// Collects the events of one append.
pub(crate) struct Builder<'r> {
    random: &'r dyn Random,
    session: SessionId,
    next: u64,
    events: Vec<Event>,
    snapshots: Vec<(SnapshotRef, Vec<u8>)>,
    workflow: Option<(WorkflowHash, Vec<u8>)>,
}

impl<'r> Builder<'r> {
    pub(crate) fn new(state: &State, random: &'r dyn Random) -> Self {
        Builder {
            random,
            session: state.id,
            next: state.next_index,
            events: Vec::new(),
            snapshots: Vec::new(),
            workflow: None,
        }
    }

    /// Adds an event. The key is made of the kind, the session and these parts.
    pub(crate) fn push(&mut self, scope: Option<Scope>, parts: &[&dyn std::fmt::Display], fact: Fact) -> EventId {
        let event_id = EventId::random(self.random);
        let session: &dyn std::fmt::Display = &self.session;
        let mut all = vec![session];
        all.extend(parts);
        let key = DedupeKey::of(fact.kind(), &all);
        self.events
            .push(Event::new(event_id, self.next, self.session, key, scope, fact));
        self.next += 1;
        event_id
    }

    /// Adds a snapshot, and gives its name.
    pub(crate) fn snapshot(&mut self, snapshot: &Snapshot) -> SnapshotRef {
        let (name, bytes) = snapshot.encode();
        if self.snapshots.iter().all(|(known, _)| *known != name) {
            self.snapshots.push((name, bytes));
        }
        name
    }

    /// Adds the compiled workflow, and gives its name.
    pub(crate) fn workflow(&mut self, workflow: &Compiled) -> WorkflowHash {
        let (hash, bytes) = workflow.encode();
        self.workflow = Some((hash, bytes));
        hash
    }

    pub(crate) fn finish(self) -> Result<Plan, Error> {
        let segment: Vec<u8> = self.events.iter().flat_map(Event::line).collect();
        if self.events.len() > limits::PLAN_EVENTS || segment.len() > limits::PLAN_BYTES {
            return Err(Error::too_large(
                "one append",
                segment.len(),
                limits::PLAN_BYTES,
                "bytes of its events",
            ));
        }
        Ok(Plan {
            session: self.session,
            events: self.events,
            segment,
            snapshots: self.snapshots,
            workflow: self.workflow,
        })
    }
}
