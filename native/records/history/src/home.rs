//! The history directory: private to the user, one place for all plans.

use crate::{Error, fault};
use durable::{Point, Target, create_private, sync_directory};
use ledger::Signer;
use sha2::{Digest, Sha256};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A history directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    dir: PathBuf,
}

impl Home {
    /// Opens a history directory, creating it when absent. Refuses one that others may write to.
    pub fn open(dir: &Path) -> Result<Home, Error> {
        let failed = Error::io("make the history directory", dir);
        let dir = std::path::absolute(dir).map_err(&failed)?;
        create_private(&dir).map_err(&failed)?;
        let home = Home { dir };
        require_private(&home.dir, 0o022)?;
        Ok(home)
    }

    /// The user's signing key, made on first use. Two processes that start together end up with the same one.
    ///
    /// ```
    /// # let dir = tempfile::tempdir().unwrap();
    /// let home = history::Home::open(&dir.path().join("history"))?;
    /// assert!(home.signer()?.did().starts_with("did:key:z6Mk"));
    /// assert_eq!(home.signer()?.did(), home.signer()?.did());
    /// # Ok::<(), history::Error>(())
    /// ```
    pub fn signer(&self) -> Result<Signer, Error> {
        let path = self.dir.join("key");
        if !path.exists() {
            create_key(&path).map_err(Error::io("make the key", &path))?;
        }
        require_private(&path, 0o077)?;
        let bytes = fs::read(&path).map_err(Error::io("read the key", &path))?;
        let seed: [u8; 32] = bytes.try_into().map_err(|_| Error::NotPrivate(path))?;
        Ok(Signer::from_seed(&seed))
    }

    /// Where everything about a plan is. `plan` is its one true path.
    pub(crate) fn slot(&self, plan: &Path) -> PathBuf {
        let digest = Sha256::digest(plan.as_os_str().as_bytes());
        self.dir.join(format!("{digest:x}"))
    }

    /// Makes the slot of a plan, without waiting for the disk: a lock needs it, and the lock is nothing durable.
    pub(crate) fn create_slot(&self, plan: &Path) -> Result<PathBuf, Error> {
        let slot = self.slot(plan);
        let failed = Error::io("make the plan's history", &slot);
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(slot.join("runs"))
            .map_err(&failed)?;
        Ok(slot)
    }

    /// Writes down whose slot it is. From here on it is on the disk.
    pub(crate) fn name_slot(&self, slot: &Path, plan: &Path) -> Result<(), Error> {
        let failed = Error::io("make the plan's history", slot);
        let name = slot.join("plan");
        if !name.exists() {
            let path = plan.as_os_str().as_bytes();
            Target::at(&name)
                .and_then(|target| target.replace(path))
                .and_then(|_| sync_directory(&self.dir))
                .map_err(&failed)?;
        }
        Ok(())
    }

    /// The plans with a history, by the directory they are in.
    pub(crate) fn plans_in(&self, directory: &Path) -> Result<Vec<PathBuf>, Error> {
        let mut plans = self.plans()?;
        plans.retain(|plan| plan.parent() == Some(directory));
        Ok(plans)
    }

    /// The plans with a history.
    pub(crate) fn plans(&self) -> Result<Vec<PathBuf>, Error> {
        let entries = fs::read_dir(&self.dir).map_err(Error::io("read", &self.dir))?;
        let mut plans: Vec<PathBuf> = entries
            .filter_map(|entry| fs::read(entry.ok()?.path().join("plan")).ok())
            .map(|bytes| PathBuf::from(std::ffi::OsString::from_vec(bytes)))
            .collect();
        plans.sort();
        Ok(plans)
    }

    /// Where the logs of calls are.
    pub(crate) fn calls(&self) -> PathBuf {
        self.dir.join("calls")
    }
}

fn create_key(path: &Path) -> io::Result<()> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed).map_err(io::Error::other)?;
    let points = [Point::UNNAMED, fault::named("key.synced"), fault::named("key.placed")];
    Target::at(path)?.points(points).create(&seed).map(drop)
}

/// Ours, not a link, and without any of the `forbidden` bits.
fn require_private(path: &Path, forbidden: u32) -> Result<(), Error> {
    let found = fs::symlink_metadata(path).map_err(Error::io("look at", path))?;
    let ours = found.uid() == rustix::process::geteuid().as_raw();
    match ours && !found.is_symlink() && found.permissions().mode() & forbidden == 0 {
        true => Ok(()),
        false => Err(Error::NotPrivate(path.to_owned())),
    }
}
