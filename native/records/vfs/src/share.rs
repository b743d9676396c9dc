//! A copy for others, with some of the volumes.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, params};

use crate::connection::{self, Access};
use crate::{Error, Volume, format};

/// The copy is as large as it needs to be.
const NO_CAP: u32 = u32::MAX - 1;

/// Copies volumes of the disk at `from` to a new disk at `to`, and gives the newest time among their files.
///
/// The copy is written file by file into an empty database, so nothing else of the disk comes along: no other volume,
/// no table that a guest made, nothing that was deleted and still lies in a free page. The same files give the same
/// bytes. The disk at `from` is only read.
///
/// ```
/// # use vfs::{Disk, Options, Volume};
/// # let dir = tempfile::tempdir().unwrap();
/// let disk = Disk::open(dir.path().join("mine"), Options::default())?;
/// disk.write(Volume::Workspace, "report", b"for everybody", 7)?;
/// disk.write(Volume::Memory, "diary", b"for me", 9)?;
/// assert_eq!(vfs::share(dir.path().join("mine"), dir.path().join("yours"), &[Volume::Workspace])?, Some(7));
/// let copy = Disk::open(dir.path().join("yours"), Options::default())?;
/// assert_eq!(copy.read(Volume::Workspace, "report")?, b"for everybody");
/// assert!(copy.list(Volume::Memory)?.is_empty());
/// # Ok::<(), vfs::Error>(())
/// ```
pub fn share(from: impl AsRef<Path>, to: impl AsRef<Path>, volumes: &[Volume]) -> Result<Option<i64>, Error> {
    let mut from = source(from.as_ref())?;
    let mut to = connection::open(to.as_ref(), Access::Create(NO_CAP))?;
    to.pragma_update_and_check(None, "secure_delete", true, |_| Ok(()))?;
    format::create_or_verify(&mut to)?;
    // One transaction on each side: the files belong together, and the copy is written once.
    let (reading, writing) = (from.transaction()?, to.transaction()?);
    for volume in Volume::ALL.into_iter().filter(|volume| volumes.contains(volume)) {
        copy(&reading, &writing, volume)?;
    }
    let newest = newest(&writing)?;
    writing.commit()?;
    Ok(newest)
}

/// Copies the whole disk at `from` to a new file at `to`, guests' tables and all, but without what was deleted. Gives
/// the newest time among its files.
pub fn share_all(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<Option<i64>, Error> {
    let from = source(from.as_ref())?;
    let to = std::path::absolute(to).map_err(Error::io("find the copy's place"))?;
    let to = to.to_str().ok_or(Error::InvalidPath {
        path: to.to_string_lossy().into_owned(),
        why: "it is not UTF-8",
    })?;
    from.execute("VACUUM INTO ?1", [to])?;
    newest(&from)
}

fn source(path: &Path) -> Result<Connection, Error> {
    let connection = connection::open(path, Access::Read)?;
    format::verify(&connection)?;
    Ok(connection)
}

fn copy(from: &Connection, to: &Connection, volume: Volume) -> Result<(), Error> {
    let mut files = from.prepare("SELECT path, content, mtime FROM vfs WHERE volume = ?1 ORDER BY path")?;
    let mut insert = to.prepare("INSERT INTO vfs(volume, path, content, mtime) VALUES (?1, ?2, ?3, ?4)")?;
    let mut rows = files.query([volume.name()])?;
    while let Some(row) = rows.next()? {
        // As they are: a guest may have put any value there.
        let (path, content, mtime): (Value, Value, Value) = (row.get(0)?, row.get(1)?, row.get(2)?);
        insert.execute(params![volume.name(), path, content, mtime])?;
    }
    Ok(())
}

fn newest(connection: &Connection) -> Result<Option<i64>, Error> {
    Ok(connection.query_row("SELECT max(CAST(mtime AS INTEGER)) FROM vfs", [], |row| row.get(0))?)
}
