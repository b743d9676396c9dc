//! Changing: one at a time, and each change happens at one moment.

use crate::Error;
use crate::current::{Current, Live};
use crate::log::{self, Action, Entry, Note};
use crate::place::{self, Place};
use crate::points::point;
use crate::staged::{self, Staged};
use crate::version::{self, Record};
use serde_json::Value;
use std::fs::{File, TryLockError};
use std::path::PathBuf;

/// The right to change a store. The system frees it when the process dies.
#[derive(Debug)]
pub struct Change {
    place: Place,
    current: Option<Current>,
    entries: Vec<Entry>,
    staged: Option<Staged>,
    _lock: File,
}

impl Change {
    pub(crate) fn begin(at: &Place) -> Result<Change, Error> {
        place::create_private(&at.versions())?;
        let lock = lock(at)?;
        point("change.locked");
        let current = Current::read(at)?;
        if let Some(current) = &current {
            log::catch_up(at, current)?;
        }
        let entries = log::read(at, current.as_ref())?;
        staged::sweep(at, newest(&entries))?;
        point("change.swept");
        Ok(Change {
            place: at.clone(),
            current,
            entries,
            staged: None,
            _lock: lock,
        })
    }

    /// What is live.
    pub fn live(&self) -> Option<Live> {
        self.current.as_ref().map(|current| current.live(&self.place))
    }

    /// Puts a new version together: a plan, what the host wants to know again, and files by the names they get. Returns
    /// its number.
    pub fn stage(&mut self, plan: &[u8], about: &Value, artifacts: &[(String, PathBuf)]) -> Result<u64, Error> {
        let number = newest(&self.entries) + 1;
        // Another attempt of the same change takes the place of the first.
        self.staged = None;
        staged::sweep(&self.place, newest(&self.entries))?;
        let parent = self.current.as_ref().map(|current| current.version);
        self.staged = Some(Staged::new(&self.place, number, parent, plan, about, artifacts)?);
        Ok(number)
    }

    /// Where the copy of the disk goes before the staged version is committed.
    pub fn snapshot(&self) -> Result<PathBuf, Error> {
        point("snapshot.asked");
        let staged = self.staged.as_ref().ok_or(Error::NotStaged)?;
        Ok(staged.dir.join("before.sqlite"))
    }

    /// Makes the staged version the live one.
    pub fn commit(&mut self, note: &Note) -> Result<Live, Error> {
        self.settled()?;
        let version = self.staged.take().ok_or(Error::NotStaged)?.place(&self.place)?;
        self.swap(Action::Deploy, version, None, note)
    }

    /// Where the copy of the disk goes before a rollback, so that nothing is lost by it.
    pub fn left(&self) -> Result<PathBuf, Error> {
        let current = self.current.as_ref().ok_or(Error::NothingDeployed)?;
        Ok(self.place.version(current.version).join("left.sqlite"))
    }

    /// Makes the version before the live one live again. Until [`Change::restored`], its disk is still to be given back.
    pub fn roll_back(&mut self, note: &Note) -> Result<Live, Error> {
        self.settled()?;
        let now = self.current.as_ref().ok_or(Error::NothingDeployed)?.version;
        let parent = Record::read(&self.place, now)?.parent.ok_or(Error::First(now))?;
        version::verify(&self.place, parent)?;
        let copied = self.place.version(now).join("before.sqlite").exists();
        self.swap(Action::Rollback, parent, copied.then_some(now), note)
    }

    /// The disk is what the live version left.
    pub fn restored(&mut self) -> Result<Live, Error> {
        point("restore.done");
        let current = self.current.as_mut().ok_or(Error::NothingDeployed)?;
        current.restoring = None;
        current.write(&self.place)?;
        Ok(current.live(&self.place))
    }

    fn settled(&self) -> Result<(), Error> {
        match &self.current {
            Some(current) if current.restoring.is_some() => Err(Error::Restoring),
            _ => Ok(()),
        }
    }

    fn swap(&mut self, action: Action, version: u64, restoring: Option<u64>, note: &Note) -> Result<Live, Error> {
        let from = self.current.as_ref().map(|current| current.version);
        let entry = Entry::new(self.entries.len() as u64 + 1, action, version, from, note);
        let current = Current::new(entry.clone(), restoring);
        current.write(&self.place)?;
        let live = current.live(&self.place);
        self.current = Some(current.clone());
        self.entries.push(entry);
        // It is live whatever becomes of the log: the next change writes the line that is missing.
        let _ = log::catch_up(&self.place, &current);
        Ok(live)
    }
}

fn newest(entries: &[Entry]) -> u64 {
    entries.iter().map(|entry| entry.version).max().unwrap_or(0)
}

fn lock(at: &Place) -> Result<File, Error> {
    let path = at.lock();
    let failed = Error::io("lock", &path);
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(&failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Conflict),
        Err(TryLockError::Error(e)) => Err(failed(e)),
    }
}
