//! The file format: the table, and the numbers in the header that say which format it is.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use crate::Error;

/// The version of the format, in `PRAGMA user_version`.
pub(crate) const VERSION: i64 = 1;
/// `WBKD` in ASCII, in `PRAGMA application_id`: this SQLite file is a workbook's disk.
const APPLICATION_ID: i64 = 0x5742_4B44;
const TABLE: &str = "CREATE TABLE vfs(volume TEXT NOT NULL, path TEXT NOT NULL, content BLOB, mtime INTEGER NOT NULL, \
                     PRIMARY KEY(volume, path))";

/// Makes an empty file into a disk; refuses a file that is something else, and changes nothing in it.
pub(crate) fn create_or_verify(connection: &mut Connection) -> Result<(), Error> {
    // IMMEDIATE, so that of two processes that open a new disk at once, one creates and the other finds it.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if is_empty(&transaction)? {
        transaction.execute_batch(TABLE)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    verify(&transaction)?;
    Ok(transaction.commit()?)
}

/// Checks that the file is a disk of this version.
pub(crate) fn verify(connection: &Connection) -> Result<(), Error> {
    if number(connection, "application_id")? != APPLICATION_ID {
        return Err(Error::NotADisk {
            why: "its application_id is another one",
        });
    }
    let found = number(connection, "user_version")?;
    if found != VERSION {
        return Err(Error::UnknownVersion { found });
    }
    let table: Option<String> = connection
        .query_row(
            "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'vfs'",
            [],
            |row| row.get(0),
        )
        .optional()?;
    if table.as_deref() != Some(TABLE) {
        return Err(Error::NotADisk {
            why: "its vfs table has another shape",
        });
    }
    // An index or a trigger could make a host's write fail, or do something else.
    let attached: bool = connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE tbl_name = 'vfs' COLLATE NOCASE
                        AND name NOT IN ('vfs', 'sqlite_autoindex_vfs_1'))",
        [],
        |row| row.get(0),
    )?;
    if attached {
        return Err(Error::NotADisk {
            why: "its vfs table has an index or a trigger",
        });
    }
    Ok(())
}

fn is_empty(connection: &Connection) -> Result<bool, Error> {
    let objects: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(objects == 0 && number(connection, "application_id")? == 0 && number(connection, "user_version")? == 0)
}

fn number(connection: &Connection, pragma: &str) -> Result<i64, Error> {
    Ok(connection.pragma_query_value(None, pragma, |row| row.get(0))?)
}
