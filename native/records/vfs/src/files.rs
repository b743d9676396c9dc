//! The files of a volume: read, write, append, delete, list, stat.
//!
//! A guest may put any value into `content` and any text into `path`. Whatever it is, reading gives its bytes and
//! listing gives its name; neither fails.

use rusqlite::{Connection, OptionalExtension};

use crate::error::shorten;
use crate::path::{check, parents};
use crate::{Disk, Error, Volume};

/// The largest file, in bytes.
pub const MAX_FILE: usize = 64 * 1024 * 1024;

/// What is known about a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// The length of the content, in bytes.
    pub size: u64,
    /// When it was last written, in seconds since 1970.
    pub mtime: i64,
}

/// One line of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The path, with U+FFFD for what is not UTF-8.
    pub path: String,
    /// The rest of what is known.
    pub stat: Stat,
}

impl Disk {
    /// The content of a file.
    ///
    /// ```
    /// # use vfs::{Disk, Options, Volume};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let disk = Disk::open(dir.path().join("d"), Options::default()).unwrap();
    /// let error = disk.read(Volume::Tmp, "nothing").unwrap_err();
    /// assert_eq!(error.to_string(), "there is no `nothing` in tmp");
    /// ```
    pub fn read(&self, volume: Volume, path: &str) -> Result<Vec<u8>, Error> {
        check(path)?;
        self.reading(|connection| content(connection, volume, path))?
            .ok_or_else(|| not_found(volume, path))
    }

    /// Makes `content` the whole of a file, new or not.
    pub fn write(&self, volume: Volume, path: &str, content: &[u8], mtime: i64) -> Result<(), Error> {
        check(path)?;
        self.writing(|transaction| put(transaction, volume, path, content, mtime))
    }

    /// Adds `content` to the end of a file, new or not.
    ///
    /// ```
    /// # use vfs::{Disk, Options, Volume};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let disk = Disk::open(dir.path().join("d"), Options::default()).unwrap();
    /// disk.append(Volume::Memory, "log", b"one ", 1)?;
    /// disk.append(Volume::Memory, "log", b"two", 2)?;
    /// assert_eq!(disk.read(Volume::Memory, "log")?, b"one two");
    /// # Ok::<(), vfs::Error>(())
    /// ```
    pub fn append(&self, volume: Volume, path: &str, content: &[u8], mtime: i64) -> Result<(), Error> {
        check(path)?;
        self.writing(|transaction| {
            let mut whole = self::content(transaction, volume, path)?.unwrap_or_default();
            whole.extend_from_slice(content);
            put(transaction, volume, path, &whole, mtime)
        })
    }

    /// Deletes a file, and says whether there was one.
    pub fn delete(&self, volume: Volume, path: &str) -> Result<bool, Error> {
        check(path)?;
        self.writing(|transaction| {
            let deleted = transaction
                .prepare_cached("DELETE FROM vfs WHERE volume = ?1 AND path = ?2")?
                .execute((volume.name(), path))?;
            Ok(deleted > 0)
        })
    }

    /// Deletes every file of a volume, and says how many there were.
    pub fn clear(&self, volume: Volume) -> Result<usize, Error> {
        self.writing(|transaction| Ok(transaction.execute("DELETE FROM vfs WHERE volume = ?1", [volume.name()])?))
    }

    /// The size and time of a file.
    pub fn stat(&self, volume: Volume, path: &str) -> Result<Stat, Error> {
        check(path)?;
        self.reading(|connection| {
            Ok(connection
                .prepare_cached(
                    "SELECT coalesce(octet_length(content), 0), CAST(mtime AS INTEGER) FROM vfs
                     WHERE volume = ?1 AND path = ?2",
                )?
                .query_row((volume.name(), path), |row| stat(row, 0))
                .optional()?)
        })?
        .ok_or_else(|| not_found(volume, path))
    }

    /// Every file of a volume, by path in byte order.
    ///
    /// ```
    /// # use vfs::{Disk, Options, Volume};
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let disk = Disk::open(dir.path().join("d"), Options::default()).unwrap();
    /// disk.write(Volume::Workspace, "b", b"22", 7)?;
    /// disk.write(Volume::Workspace, "a/1", b"", 7)?;
    /// let paths: Vec<_> = disk.list(Volume::Workspace)?.into_iter().map(|entry| entry.path).collect();
    /// assert_eq!(paths, ["a/1", "b"]);
    /// # Ok::<(), vfs::Error>(())
    /// ```
    pub fn list(&self, volume: Volume) -> Result<Vec<Entry>, Error> {
        self.reading(|connection| list(connection, volume))
    }
}

pub(crate) fn list(connection: &Connection, volume: Volume) -> Result<Vec<Entry>, Error> {
    let mut statement = connection.prepare_cached(
        "SELECT CAST(path AS BLOB), coalesce(octet_length(content), 0), CAST(mtime AS INTEGER) FROM vfs
         WHERE volume = ?1 ORDER BY path",
    )?;
    let entries = statement.query_map([volume.name()], |row| {
        Ok(Entry {
            path: text(row)?,
            stat: stat(row, 1)?,
        })
    })?;
    Ok(entries.collect::<Result<_, _>>()?)
}

/// The bytes of a file, whatever type of value a guest made of them.
pub(crate) fn content(connection: &Connection, volume: Volume, path: &str) -> Result<Option<Vec<u8>>, Error> {
    Ok(connection
        .prepare_cached("SELECT CAST(coalesce(content, x'') AS BLOB) FROM vfs WHERE volume = ?1 AND path = ?2")?
        .query_row((volume.name(), path), |row| row.get(0))
        .optional()?)
}

/// Writes a file whose path was checked.
fn put(connection: &Connection, volume: Volume, path: &str, content: &[u8], mtime: i64) -> Result<(), Error> {
    check_size(path, content.len() as u64)?;
    check_neighbours(connection, volume, path)?;
    connection
        .prepare_cached(
            "INSERT INTO vfs(volume, path, content, mtime) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET content = excluded.content, mtime = excluded.mtime",
        )?
        .execute((volume.name(), path, content, mtime))?;
    Ok(())
}

pub(crate) fn check_size(path: &str, size: u64) -> Result<(), Error> {
    if size > MAX_FILE as u64 {
        return Err(Error::FileTooLarge {
            path: shorten(path),
            size,
        });
    }
    Ok(())
}

/// No file may be above or below another: such a volume could not be exported.
fn check_neighbours(connection: &Connection, volume: Volume, path: &str) -> Result<(), Error> {
    let mut file = connection.prepare_cached("SELECT path FROM vfs WHERE volume = ?1 AND path = ?2")?;
    let mut other = None;
    for parent in parents(path) {
        other = other.or(file.query_row((volume.name(), parent), text).optional()?);
    }
    if other.is_none() {
        // `0` is the character after `/`.
        other = connection
            .prepare_cached("SELECT path FROM vfs WHERE volume = ?1 AND path > ?2 || '/' AND path < ?2 || '0' LIMIT 1")?
            .query_row((volume.name(), path), text)
            .optional()?;
    }
    match other {
        None => Ok(()),
        Some(other) => Err(Error::PathConflict {
            path: shorten(path),
            other: shorten(&other),
        }),
    }
}

fn stat(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Stat> {
    Ok(Stat {
        size: row.get::<_, i64>(first)?.unsigned_abs(),
        mtime: row.get(first + 1)?,
    })
}

fn text(row: &rusqlite::Row<'_>) -> rusqlite::Result<String> {
    Ok(String::from_utf8_lossy(row.get_ref(0)?.as_bytes()?).into_owned())
}

fn not_found(volume: Volume, path: &str) -> Error {
    Error::NotFound {
        volume,
        path: shorten(path),
    }
}
