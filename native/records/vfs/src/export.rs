//! A volume as a directory.

use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use cap_std::fs::{Dir, OpenOptions};
use durable::NewDirectory;
use rusqlite::Connection;

use crate::files::{Entry, content, list};
use crate::path::{check, parents};
use crate::{Disk, Error, Volume};

impl Disk {
    /// Writes every file of a volume below `dir`, and says how many.
    ///
    /// `dir` must be absent or empty; its parent must exist. The files appear all at once: they are written beside
    /// `dir` and moved into its place. They are those of one moment, whatever is written meanwhile.
    ///
    /// ```
    /// # use vfs::{Disk, Options, Volume};
    /// # let home = tempfile::tempdir().unwrap();
    /// # let disk = Disk::open(home.path().join("d"), Options::default()).unwrap();
    /// disk.write(Volume::Workspace, "src/main.rs", b"fn main() {}", 1_700_000_000)?;
    /// let dir = home.path().join("out");
    /// assert_eq!(disk.export(Volume::Workspace, &dir)?, 1);
    /// assert_eq!(std::fs::read(dir.join("src/main.rs")).unwrap(), b"fn main() {}");
    /// # Ok::<(), vfs::Error>(())
    /// ```
    pub fn export(&self, volume: Volume, dir: impl AsRef<Path>) -> Result<usize, Error> {
        let failed = Error::io("export to the directory");
        let dir = std::path::absolute(dir).map_err(&failed)?;
        let new = NewDirectory::at(&dir, ".export-").map_err(&failed)?;
        let count = self.reading(|connection| {
            // One transaction, so that the listing and the contents belong together.
            let transaction = connection.transaction()?;
            let entries = list(&transaction, volume)?;
            for entry in &entries {
                write(&transaction, volume, entry, new.dir())?;
            }
            Ok(entries.len())
        })?;
        new.place().map_err(&failed)?;
        Ok(count)
    }
}

fn write(connection: &Connection, volume: Volume, entry: &Entry, inside: &Dir) -> Result<(), Error> {
    let failed = Error::io("write a file of the export");
    let path = &entry.path;
    // A guest's SQL can put any text where a path should be.
    check(path)?;
    for parent in parents(path) {
        match inside.create_dir(parent) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                if !inside.is_dir(parent) {
                    return Err(conflict(path, parent));
                }
            }
            created => created.map_err(&failed)?,
        }
    }
    let mut file = inside
        .open_with(path, OpenOptions::new().write(true).create_new(true))
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => conflict(path, path),
            _ => failed(error),
        })?;
    // A path that is not text shows up in the listing, and is not found by what it looks like.
    let content = content(connection, volume, path)?.ok_or_else(|| Error::InvalidPath {
        path: path.clone(),
        why: "it is not UTF-8",
    })?;
    file.write_all(&content).map_err(&failed)?;
    file.into_std().set_modified(time(entry.stat.mtime)).map_err(&failed)
}

/// A guest can choose any time; the file system takes those between 1970 and 9999.
fn time(mtime: i64) -> SystemTime {
    const YEAR_10000: i64 = 253_402_300_800;
    SystemTime::UNIX_EPOCH + Duration::from_secs(mtime.clamp(0, YEAR_10000 - 1).unsigned_abs())
}

fn conflict(path: &str, other: &str) -> Error {
    Error::PathConflict {
        path: path.into(),
        other: other.into(),
    }
}
