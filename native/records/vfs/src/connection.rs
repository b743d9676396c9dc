//! How a connection is opened: durable, distrustful of the file, and never in need of a file of its own.

use std::path::Path;
use std::sync::Once;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::Error;

/// How long to wait for a writer in another process.
pub(crate) const BUSY: Duration = Duration::from_secs(5);

/// What SQLite may allocate in this process, all disks together. Temporary tables and sorts live in memory, so this is
/// also what stops a guest that gathers too much.
const HEAP_LIMIT: i64 = 512 * 1024 * 1024;

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reads an existing file.
    Read,
    /// Writes an existing file, up to this many pages.
    Write(u32),
    /// Writes, and creates the file when there is none.
    Create(u32),
}

pub(crate) fn open(path: &Path, access: Access) -> Result<Connection, Error> {
    let flags = match access {
        Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
        Access::Write(_) => OpenFlags::SQLITE_OPEN_READ_WRITE,
        Access::Create(_) => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
    };
    // An absolute path cannot be taken for a `file:` URI.
    let path = std::path::absolute(path).map_err(Error::io("find the disk's file"))?;
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY)?;
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        // A guest's foreign key on vfs must not veto a host's write.
        (DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, false),
    ] {
        connection.set_db_config(setting, on)?;
    }
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "cell_size_check", true)?;
    if let Access::Write(pages) | Access::Create(pages) = access {
        // FULL: a commit that returned survives the power going off, not only the process.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
        connection.pragma_update_and_check(None, "journal_size_limit", 16 * 1024 * 1024, |_| Ok(()))?;
    }
    limit_heap(&connection)?;
    Ok(connection)
}

/// Ends `connection`'s rollback-journal days: with a write-ahead log, readers never wait for the writer.
pub(crate) fn use_write_ahead_log(connection: &Connection) -> Result<(), Error> {
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    match mode.as_str() {
        "wal" => Ok(()),
        _ => Err(Error::Io {
            doing: "use a write-ahead log",
            cause: "the file system has no shared memory".into(),
        }),
    }
}

fn limit_heap(connection: &Connection) -> Result<(), Error> {
    static LIMIT: Once = Once::new();
    let mut result = Ok(());
    LIMIT.call_once(|| {
        result = connection.pragma_update_and_check(None, "hard_heap_limit", HEAP_LIMIT, |_| Ok(()));
    });
    Ok(result?)
}
