//! A whole session as one verified file.

mod check;
mod file;

pub use file::{Bundle, Integrity, IntegrityEntry, IntegrityKind, Producer, SessionPart};

use crate::event::Event;
use crate::{SessionId, SnapshotRef, WorkflowHash};

/// The version of the bundle's format.
pub const VERSION: u64 = 1;

/// A session that was checked and is ready to be put in place.
#[derive(Debug)]
pub struct Import {
    session: SessionId,
    segments: Vec<Vec<Event>>,
    snapshots: Vec<(SnapshotRef, Vec<u8>)>,
    workflows: Vec<(WorkflowHash, Vec<u8>)>,
}

impl Import {
    /// The session.
    pub const fn session(&self) -> SessionId {
        self.session
    }

    /// The events of each append, in order.
    pub fn segments(&self) -> &[Vec<Event>] {
        &self.segments
    }

    /// The snapshots that the events name.
    pub fn snapshots(&self) -> &[(SnapshotRef, Vec<u8>)] {
        &self.snapshots
    }

    /// The compiled workflows that the events name.
    pub fn workflows(&self) -> &[(WorkflowHash, Vec<u8>)] {
        &self.workflows
    }

    /// The same session under another name: ids of the session and the keys made of them are rewritten.
    pub fn renamed(mut self, to: SessionId) -> Self {
        let (from, text) = (self.session.to_string(), to.to_string());
        for event in self.segments.iter_mut().flatten() {
            event.session_id = to;
            // Ids have one length, so a key that was one stays one.
            event.dedupe_key = event
                .dedupe_key
                .moved(&from, &text)
                .expect("an id fits where an id was");
        }
        self.session = to;
        self
    }
}
