//! What the core needs from the world, and nobody else may give it.

use std::ops::Deref;
use std::sync::Arc;

use crate::bundle::Import;
use crate::error::Error;
use crate::event::Event;
use crate::manifest::Record;
use crate::policy::Policy;
use crate::project::Entry;
use crate::{Compiled, Keyring, Log, Plan, SessionId, Snapshot, SnapshotRef, WorkflowHash};

/// Randomness.
pub trait Random {
    /// Fills the buffer with bytes that nobody can guess.
    fn fill(&self, buffer: &mut [u8]);
}

/// The time. It is shown to people and decides what has expired; it never orders anything.
pub trait Clock {
    /// Seconds since 1970.
    fn now(&self) -> u64;
}

/// Where sessions are kept.
pub trait Store {
    /// The right to append to one session. It exists only while the session is locked, and the lock is held for as
    /// long as it lives.
    type Writer<'s>: Writer
    where
        Self: 's;

    /// What is known of a session, healthy or not.
    fn read(&self, id: SessionId) -> Result<impl Deref<Target = Log> + '_, Error>;
    /// Locks a healthy session. A second holder is refused at once.
    fn lock(&self, id: SessionId) -> Result<Self::Writer<'_>, Error>;
    /// Makes room for a new session and locks it. Nothing of it is seen before its first append.
    fn create(&self, id: SessionId) -> Result<Self::Writer<'_>, Error>;
    /// The valid events and records of a session, as they were written.
    fn raw(&self, id: SessionId) -> Result<(Vec<Event>, Vec<Record>), Error>;
    /// Every session that was ever acknowledged, in the order of the ids.
    fn sessions(&self) -> Result<Vec<SessionId>, Error>;
    /// A snapshot, checked against its name.
    fn snapshot(&self, name: SnapshotRef) -> Result<Arc<Snapshot>, Error>;
    /// A compiled workflow, checked against its name.
    fn workflow(&self, hash: WorkflowHash) -> Result<Arc<Compiled>, Error>;
    /// The keys that sign tokens.
    fn keyring(&self) -> Result<Keyring, Error>;
    /// Puts a whole checked session in place, or nothing of it.
    fn import(&self, import: &Import) -> Result<(), Error>;
    /// What the operator lets agents do.
    fn policy(&self) -> Result<Policy, Error>;
    /// Every session that was ever acknowledged, as lists and searches see it.
    fn entries(&self) -> Result<Vec<Entry>, Error>;
}

/// The right to append to one session.
pub trait Writer {
    /// The session as it is while nobody else can write.
    fn log(&self) -> &Log;
    /// Commits the plan as a whole, or nothing of it.
    fn append(&mut self, plan: Plan) -> Result<(), Error>;
}
