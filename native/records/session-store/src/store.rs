//! The store: sessions in a directory.

use std::fs;
use std::io::ErrorKind;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use session::bundle::Import;
use session::event::Event;
use session::manifest::Record;
use session::ports::{Store, Writer};
use session::project::Entry;
use session::state::Overlap;
use session::{Compiled, Error, Keyring, Log, Plan, Policy, SessionId, Snapshot, SnapshotRef, WorkflowHash, healthy};

use crate::append::{self, Probe};
use crate::cache::Cache;
use crate::io_error::io;
use crate::keys::{self, Ring};
use crate::layout::{Layout, Session};
use crate::lock::Lock;
use crate::probe::Step;
use crate::read::{self, Loaded, Verified};
use crate::remedy::Remedy;
use crate::system::System;
use crate::{blobs, import, index, mend, remedy, sweep};

/// How a store is opened.
#[derive(Default)]
pub struct Options {
    /// Called after each step of an append. A test stops the world here.
    pub probe: Option<Box<dyn Fn(Step) + Send + Sync>>,
}

/// Sessions in a directory.
pub struct FileStore {
    layout: Layout,
    probe: Probe,
    sessions: Cache<SessionId, Slot>,
    snapshots: Cache<SnapshotRef, Snapshot>,
    workflows: Cache<WorkflowHash, Compiled>,
    ring: Mutex<Option<Ring>>,
}

/// The last known state of a session. Readers share it; it is copied only when somebody reads while it grows.
pub(crate) type Slot = Mutex<Arc<Loaded>>;

/// What a reader holds: the session as it was.
struct View(Arc<Loaded>);

impl Deref for View {
    type Target = Log;

    fn deref(&self) -> &Log {
        &self.0.log
    }
}

/// The right to append to one session. The lock is let go when it is dropped.
pub struct FileWriter<'s> {
    store: &'s FileStore,
    id: SessionId,
    session: Session,
    loaded: Arc<Loaded>,
    slot: Option<Arc<Slot>>,
    _lock: Lock,
    _store_lock: Lock,
}

impl FileStore {
    /// Opens the sessions in a directory, and makes it when there is none.
    pub fn open(root: impl AsRef<Path>, options: Options) -> Result<Self, Error> {
        let layout = Layout::new(root.as_ref());
        let workflows = layout.root().join("workflows");
        if let Some(above) = layout.root().parent() {
            fs::create_dir_all(above).map_err(io("make the data directory"))?;
        }
        for dir in [
            layout.root(),
            &layout.sessions(),
            &layout.snapshots(),
            &workflows,
            &layout.workflows(),
        ] {
            durable::create_private(dir).map_err(io("make the data directory"))?;
        }
        Ok(FileStore {
            layout,
            probe: Probe(options.probe),
            sessions: Cache::new(64),
            snapshots: Cache::new(1024),
            workflows: Cache::new(64),
            ring: Mutex::new(None),
        })
    }

    /// Makes a fresh key for tokens. Those of the key before hold until the next rotation.
    pub fn rotate_keys(&self) -> Result<(), Error> {
        keys::rotate(&self.layout, &System)
    }

    /// Reads all of a session again and says what was found, the snapshots and the workflow too.
    pub fn verify(&self, id: SessionId) -> Result<Verified, Error> {
        let session = self.layout.session(id);
        let loaded = read::load(&session, id)?.ok_or_else(|| Error::not_found(id))?;
        let log = &loaded.log;
        let mut warnings = log.warnings.clone();
        let broken = |error: Error| error.message;
        warnings.extend(
            log.pinned()
                .filter_map(|name| blobs::snapshot(&self.layout, name).err())
                .map(broken),
        );
        let hash = log.state.run.as_ref().map(|run| run.workflow_hash);
        warnings.extend(
            hash.and_then(|hash| blobs::workflow(&self.layout, hash).err())
                .map(broken),
        );
        Ok(Verified {
            session_id: id,
            health: log.health.clone(),
            events: log.state.next_index,
            segments: log.segments(),
            warnings,
        })
    }

    /// Says that a session never expires, or that it does.
    pub fn keep(&self, id: SessionId, keep: bool) -> Result<(), Error> {
        self.read(id)?;
        let path = self.layout.session(id).keep();
        let done = if keep {
            fs::write(path, b"").map(drop)
        } else {
            fs::remove_file(path)
        };
        match done {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(io("mark the session")(error)),
            _ => Ok(()),
        }
    }

    /// Deletes what has expired, and then what no session needs.
    pub fn sweep(&self, sweep: &sweep::Sweep) -> Result<sweep::Swept, Error> {
        let swept = sweep::run(&self.layout, sweep)?;
        for id in &swept.expired {
            self.sessions.forget(*id);
        }
        Ok(swept)
    }

    /// Moves a session aside, whole.
    pub fn quarantine(&self, id: SessionId) -> Result<Remedy, Error> {
        let done = remedy::quarantine(self, id)?;
        self.sessions.forget(id);
        Ok(done)
    }

    /// Deletes a session, or what was moved aside of it.
    pub fn delete(&self, id: SessionId) -> Result<Remedy, Error> {
        let done = remedy::delete(self, id)?;
        self.sessions.forget(id);
        Ok(done)
    }

    /// Puts the valid beginning of a damaged session in its place; the damaged files are moved aside.
    pub fn repair(&self, id: SessionId) -> Result<Remedy, Error> {
        let done = remedy::repair(self, id)?;
        self.sessions.forget(id);
        Ok(done)
    }

    /// Sets what the operator lets agents do.
    pub fn set_policy(&self, policy: &Policy) -> Result<(), Error> {
        durable::Target::at(&self.layout.policy())
            .and_then(|target| target.replace(&policy.encode()))
            .map_err(io("write the policy"))
    }

    /// The directory of the user's own workflows.
    pub fn own_workflows(&self) -> std::path::PathBuf {
        self.layout.root().join("workflows/user")
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn probe(&self) -> &Probe {
        &self.probe
    }

    pub(crate) fn store_lock(&self) -> Result<Lock, Error> {
        Lock::shared(&self.layout.root().join(".lock"))
    }

    /// The slot of a session, with what is on disk now.
    fn fresh(&self, id: SessionId) -> Result<(Arc<Slot>, Arc<Loaded>), Error> {
        let session = self.layout.session(id);
        let Some(slot) = self.sessions.get(id) else {
            let loaded = Arc::new(read::load(&session, id)?.ok_or_else(|| Error::not_found(id))?);
            return Ok((self.sessions.keep(id, Mutex::new(loaded.clone())), loaded));
        };
        let mut known = slot.lock();
        if !read::is_current(&session, &known)? && !read::refresh(&session, id, Arc::make_mut(&mut known))? {
            self.sessions.forget(id);
            return Err(Error::not_found(id));
        }
        let loaded = known.clone();
        drop(known);
        Ok((slot, loaded))
    }
}

impl Store for FileStore {
    type Writer<'s> = FileWriter<'s>;

    fn read(&self, id: SessionId) -> Result<impl Deref<Target = Log> + '_, Error> {
        Ok(View(self.fresh(id)?.1))
    }

    fn lock(&self, id: SessionId) -> Result<FileWriter<'_>, Error> {
        let session = self.layout.session(id);
        if !session.dir().is_dir() {
            return Err(Error::not_found(id));
        }
        let store_lock = self.store_lock()?;
        let lock = Lock::session(&session.lock(), id)?;
        self.probe.at(Step::Locked);
        let (slot, loaded) = self.fresh(id)?;
        healthy(&loaded.log)?;
        let slot = Some(slot);
        let mut writer = FileWriter {
            store: self,
            id,
            session,
            loaded,
            slot,
            _lock: lock,
            _store_lock: store_lock,
        };
        writer.mend()?;
        Ok(writer)
    }

    fn create(&self, id: SessionId) -> Result<FileWriter<'_>, Error> {
        let store_lock = self.store_lock()?;
        let session = self.layout.session(id);
        durable::create_private(session.dir()).map_err(io("make the session"))?;
        let lock = Lock::session(&session.lock(), id)?;
        durable::create_private(&session.events()).map_err(io("make the session"))?;
        self.probe.at(Step::Locked);
        let loaded = Arc::new(Loaded::empty(id));
        Ok(FileWriter {
            store: self,
            id,
            session,
            loaded,
            slot: None,
            _lock: lock,
            _store_lock: store_lock,
        })
    }

    fn raw(&self, id: SessionId) -> Result<(Vec<Event>, Vec<Record>), Error> {
        let log = self.read(id)?;
        read::raw(&self.layout.session(id), &log)
    }

    fn sessions(&self) -> Result<Vec<SessionId>, Error> {
        let mut ids = sweep::session_ids(&self.layout)?;
        // What was never acknowledged is not there.
        ids.retain(|id| !matches!(self.read(*id), Err(error) if error.code == session::Code::SessionNotFound));
        Ok(ids)
    }

    fn snapshot(&self, name: SnapshotRef) -> Result<Arc<Snapshot>, Error> {
        match self.snapshots.get(name) {
            Some(known) => Ok(known),
            None => Ok(self.snapshots.keep(name, blobs::snapshot(&self.layout, name)?)),
        }
    }

    fn workflow(&self, hash: WorkflowHash) -> Result<Arc<Compiled>, Error> {
        match self.workflows.get(hash) {
            Some(known) => Ok(known),
            None => Ok(self.workflows.keep(hash, blobs::workflow(&self.layout, hash)?)),
        }
    }

    fn keyring(&self) -> Result<Keyring, Error> {
        let mut ring = self.ring.lock();
        let current = keys::load(&self.layout, &System, ring.as_ref())?;
        Ok(ring.insert(current).keyring.clone())
    }

    fn import(&self, import: &Import) -> Result<(), Error> {
        import::run(self, import)
    }

    fn policy(&self) -> Result<Policy, Error> {
        match fs::read(self.layout.policy()) {
            Ok(bytes) => Policy::decode(&bytes).map_err(|why| {
                let message = format!("the policy cannot be read: {why}");
                Error::new(
                    session::Code::StoreBadPolicy,
                    message,
                    "mend policy.json, or set it again",
                )
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Policy::default()),
            Err(error) => Err(io("read the policy")(error)),
        }
    }

    fn entries(&self) -> Result<Vec<Entry>, Error> {
        index::entries(self)
    }
}

impl FileWriter<'_> {
    /// Finishes what the last holder could not: nothing that was acknowledged is touched.
    fn mend(&mut self) -> Result<(), Error> {
        let (session, log) = (&self.session, &self.loaded.log);
        if log.torn() > 0 {
            mend::cut(session, log)?;
        } else if log.unpinned().is_empty() {
            return Ok(());
        }
        let lines = mend::pins(session, log)?;
        self.change(|loaded| loaded.mended(&lines))
    }

    /// Changes what is known of the session. The slot lets go first, so that the change need not copy.
    fn change(&mut self, change: impl FnOnce(&mut Loaded)) -> Result<(), Error> {
        let slot = self.slot.clone();
        let mut known = slot.as_ref().map(|slot| slot.lock());
        if let Some(known) = &mut known {
            **known = Arc::new(Loaded::empty(self.id));
        }
        let loaded = Arc::make_mut(&mut self.loaded);
        change(loaded);
        let wrote = loaded.wrote(&self.session);
        if let Some(known) = &mut known {
            **known = self.loaded.clone();
        }
        wrote
    }
}

impl Writer for FileWriter<'_> {
    fn log(&self) -> &Log {
        &self.loaded.log
    }

    fn append(&mut self, plan: Plan) -> Result<(), Error> {
        match self.loaded.log.state.overlap(&plan) {
            Overlap::All => return Ok(()),
            Overlap::Some => return Err(Error::invariant("a part of the append happened before")),
            Overlap::None => {}
        }
        let lines = append::commit(
            &self.store.layout,
            &self.session,
            &self.loaded.log,
            &plan,
            &self.store.probe,
        );
        if lines.is_err() {
            // Nobody knows how far it got: what is on disk decides.
            self.store.sessions.forget(self.id);
        }
        let lines = lines?;
        self.change(|loaded| {
            loaded.log.warnings.clear();
            loaded.log.committed(&lines, plan.segment());
        })?;
        if self.slot.is_none() {
            self.slot = Some(self.store.sessions.keep(self.id, Mutex::new(self.loaded.clone())));
        }
        healthy(&self.loaded.log)
    }
}
