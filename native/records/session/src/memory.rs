//! A store that lives in memory: for tests, and for sessions that need not outlive the process.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::bundle::Import;
use crate::error::{Code, Error};
use crate::event::Event;
use crate::log::Log;
use crate::manifest::Record;
use crate::plan::Plan;
use crate::policy::Policy;
use crate::ports::{Random, Store, Writer};
use crate::project::Entry;
use crate::protocol::healthy;
use crate::state::Overlap;
use crate::{Compiled, Keyring, SessionId, Snapshot, SnapshotRef, WorkflowHash};

/// Sessions in memory.
pub struct MemoryStore {
    keyring: Keyring,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    sessions: BTreeMap<SessionId, Arc<Session>>,
    locked: std::collections::BTreeSet<SessionId>,
    snapshots: HashMap<SnapshotRef, Arc<Snapshot>>,
    workflows: HashMap<WorkflowHash, Arc<Compiled>>,
    policy: Policy,
}

#[derive(Clone)]
struct Session {
    log: Log,
    events: Vec<Event>,
    records: Vec<Record>,
}

/// What a reader holds: the session as it was when it was read.
pub struct View(Arc<Session>);

impl std::ops::Deref for View {
    type Target = Log;

    fn deref(&self) -> &Log {
        &self.0.log
    }
}

/// The right to append to one session in memory.
pub struct MemoryWriter<'s> {
    store: &'s MemoryStore,
    id: SessionId,
    session: Arc<Session>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new(random: &dyn Random) -> Self {
        MemoryStore {
            keyring: Keyring::new(random),
            inner: Mutex::default(),
        }
    }

    /// Sets what the operator lets agents do.
    pub fn set_policy(&self, policy: Policy) {
        self.inner().policy = policy;
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writer(&self, id: SessionId, session: Arc<Session>) -> Result<MemoryWriter<'_>, Error> {
        if self.inner().locked.insert(id) {
            Ok(MemoryWriter {
                store: self,
                id,
                session,
            })
        } else {
            Err(Error::locked(id))
        }
    }

    fn session(&self, id: SessionId) -> Result<Arc<Session>, Error> {
        self.inner()
            .sessions
            .get(&id)
            .cloned()
            .ok_or_else(|| Error::not_found(id))
    }
}

fn empty(id: SessionId) -> Arc<Session> {
    Arc::new(Session {
        log: Log::new(id),
        events: Vec::new(),
        records: Vec::new(),
    })
}

impl Store for MemoryStore {
    type Writer<'s> = MemoryWriter<'s>;

    fn read(&self, id: SessionId) -> Result<impl std::ops::Deref<Target = Log> + '_, Error> {
        self.session(id).map(View)
    }

    fn lock(&self, id: SessionId) -> Result<MemoryWriter<'_>, Error> {
        let mut writer = self.writer(id, self.session(id)?)?;
        // It may have grown before the lock was taken.
        writer.session = self.session(id)?;
        healthy(&writer.session.log)?;
        Ok(writer)
    }

    fn create(&self, id: SessionId) -> Result<MemoryWriter<'_>, Error> {
        self.writer(id, empty(id))
    }

    fn raw(&self, id: SessionId) -> Result<(Vec<Event>, Vec<Record>), Error> {
        let session = self.session(id)?;
        Ok((session.events.clone(), session.records.clone()))
    }

    fn sessions(&self) -> Result<Vec<SessionId>, Error> {
        Ok(self.inner().sessions.keys().copied().collect())
    }

    fn snapshot(&self, name: SnapshotRef) -> Result<Arc<Snapshot>, Error> {
        let found = self.inner().snapshots.get(&name).cloned();
        found.ok_or_else(|| {
            Error::new(
                Code::StoreBadSnapshot,
                format!("there is no snapshot {name}"),
                "restore it",
            )
        })
    }

    fn workflow(&self, hash: WorkflowHash) -> Result<Arc<Compiled>, Error> {
        let found = self.inner().workflows.get(&hash).cloned();
        found.ok_or_else(|| {
            Error::new(
                Code::StoreBadWorkflow,
                format!("there is no workflow {hash}"),
                "restore it",
            )
        })
    }

    fn keyring(&self) -> Result<Keyring, Error> {
        Ok(self.keyring.clone())
    }

    fn policy(&self) -> Result<Policy, Error> {
        Ok(self.inner().policy.clone())
    }

    fn entries(&self) -> Result<Vec<Entry>, Error> {
        self.sessions()?
            .into_iter()
            .map(|id| Ok(Entry::of(self, &*self.read(id)?, None)))
            .collect()
    }

    fn import(&self, import: &Import) -> Result<(), Error> {
        let mut session = (*empty(import.session())).clone();
        for events in import.segments() {
            session.take(events)?;
        }
        let mut inner = self.inner();
        for (name, bytes) in import.snapshots() {
            let snapshot = Snapshot::decode(*name, bytes).map_err(|e| Error::invariant(e.to_string()))?;
            inner.snapshots.insert(*name, Arc::new(snapshot));
        }
        for (hash, bytes) in import.workflows() {
            let workflow = Compiled::decode(*hash, bytes).map_err(|e| Error::invariant(e.to_string()))?;
            inner.workflows.insert(*hash, Arc::new(workflow));
        }
        inner.sessions.insert(import.session(), Arc::new(session));
        Ok(())
    }
}

impl Session {
    fn take(&mut self, events: &[Event]) -> Result<(), Error> {
        let segment: Vec<u8> = events.iter().flat_map(Event::line).collect();
        let (closed, pins) = self.log.records_for(&segment, events);
        let records: Vec<Record> = std::iter::once(closed).chain(pins).collect();
        let lines: Vec<u8> = records.iter().flat_map(Record::line).collect();
        self.log.committed(&lines, &segment);
        healthy(&self.log)?;
        self.events.extend_from_slice(events);
        self.records.extend(records);
        Ok(())
    }
}

impl Writer for MemoryWriter<'_> {
    fn log(&self) -> &Log {
        &self.session.log
    }

    fn append(&mut self, plan: Plan) -> Result<(), Error> {
        match self.session.log.state.overlap(&plan) {
            Overlap::All => return Ok(()),
            Overlap::Some => return Err(Error::invariant("a part of the append happened before")),
            Overlap::None => {}
        }
        let mut inner = self.store.inner();
        for (name, bytes) in plan.snapshots() {
            let snapshot = Snapshot::decode(*name, bytes).map_err(|e| Error::invariant(e.to_string()))?;
            inner.snapshots.insert(*name, Arc::new(snapshot));
        }
        if let Some((hash, bytes)) = plan.workflow() {
            let workflow = Compiled::decode(*hash, bytes).map_err(|e| Error::invariant(e.to_string()))?;
            inner.workflows.insert(*hash, Arc::new(workflow));
        }
        let mut session = (*self.session).clone();
        session.take(plan.events())?;
        self.session = Arc::new(session);
        inner.sessions.insert(self.id, self.session.clone());
        Ok(())
    }
}

impl Drop for MemoryWriter<'_> {
    fn drop(&mut self) {
        self.store.inner().locked.remove(&self.id);
    }
}
