//! A copy of a live disk, and the way back.

use std::path::Path;

use durable::{Staged, Target};
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use crate::connection::{self, Access};
use crate::{Disk, Error, format};

/// The copy is as large as the disk, whatever the cap of the program that made it.
const NO_CAP: u32 = u32::MAX - 1;

impl Disk {
    /// Copies the disk to one file at `path`, which appears whole or not at all.
    ///
    /// The copy is the disk of one moment. Readers and writers go on meanwhile.
    ///
    /// ```
    /// # use vfs::{Disk, Options, Volume};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let disk = Disk::open(dir.path().join("live"), Options::default()).unwrap();
    /// disk.write(Volume::Memory, "name", b"Ada", 1)?;
    /// disk.backup_to(dir.path().join("cold"))?;
    /// disk.write(Volume::Memory, "name", b"Grace", 2)?;
    /// disk.restore_from(dir.path().join("cold"))?;
    /// assert_eq!(disk.read(Volume::Memory, "name")?, b"Ada");
    /// # Ok::<(), vfs::Error>(())
    /// ```
    pub fn backup_to(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let failed = Error::io("put the backup in its place");
        let path = std::path::absolute(path).map_err(&failed)?;
        let partial = Target::at(&path)
            .and_then(|target| target.temporary_prefix(".backup-").draft())
            .map_err(&failed)?;
        self.reading(|from| {
            let mut to = connection::open(partial.path(), Access::Create(NO_CAP))?;
            copy(from, &mut to)?;
            // A cold copy is one file: it needs no log and no shared memory beside it.
            to.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
            Ok(())
        })?;
        partial.finish().and_then(Staged::place_and_sync).map_err(&failed)
    }

    /// Makes the disk what a backup holds, in one transaction.
    ///
    /// A file that is not a disk, has another version or is damaged is an error, and the disk stays as it is.
    pub fn restore_from(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let from = connection::open(path.as_ref(), Access::Read)?;
        format::verify(&from)?;
        check(&from)?;
        copy(&from, &mut self.writer.lock().host)
    }
}

/// Copies in one step: within it SQLite holds one moment of the source, and no writer can make it start again.
fn copy(from: &Connection, to: &mut Connection) -> Result<(), Error> {
    match Backup::new(from, to)?.step(-1)? {
        StepResult::Done => Ok(()),
        _ => Err(Error::Busy),
    }
}

/// Reads every page. A guest's CHECK is not run: it could take any time, and says nothing about the file.
fn check(connection: &Connection) -> Result<(), Error> {
    connection.pragma_update(None, "ignore_check_constraints", true)?;
    let verdict: String = connection.pragma_query_value(None, "integrity_check", |row| row.get(0))?;
    if verdict == "ok" { Ok(()) } else { Err(Error::Corrupt) }
}
