//! A disk: one writer, any number of readers.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::connection::{self, Access};
use crate::guest::Guest;
use crate::pool::Pool;
use crate::{Error, format};

/// How a disk is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How many pages of 4 KiB the file may grow to. The default is 262,144: 1 GiB.
    pub max_pages: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { max_pages: 262_144 }
    }
}

/// A workbook's disk. Share it between threads behind an `Arc`.
///
/// Readers see the last commit and never wait. Writers wait for each other.
pub struct Disk {
    // The readers come first, so that the writer is closed last and folds the write-ahead log into the file.
    readers: Pool<Connection>,
    pub(crate) guests: Pool<Guest>,
    pub(crate) writer: Mutex<Writer>,
    path: PathBuf,
    options: Options,
}

/// The two connections that write; their lock is the right to do so.
pub(crate) struct Writer {
    pub guest: Option<Guest>,
    pub host: Connection,
}

impl Disk {
    /// Opens the disk at `path`, and creates it when there is no file.
    ///
    /// A file of an unknown version, and a file that is not a disk, is an error and stays as it is.
    ///
    /// ```
    /// use vfs::{Disk, Options};
    /// # let dir = tempfile::tempdir().unwrap();
    /// let path = dir.path().join("plan.sqlite");
    /// std::fs::write(&path, "a letter to my mother, who never wrote SQL").unwrap();
    /// let error = Disk::open(&path, Options::default()).err().unwrap();
    /// assert_eq!(error.code(), "not_a_disk");
    /// ```
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Disk, Error> {
        let host = settle(path.as_ref(), options.max_pages)?;
        Ok(Disk {
            readers: Pool::new(),
            guests: Pool::new(),
            writer: Mutex::new(Writer { guest: None, host }),
            path: path.as_ref().to_owned(),
            options,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn max_pages(&self) -> u32 {
        self.options.max_pages
    }

    /// Lends a host's reading connection to `work`.
    pub(crate) fn reading<R>(&self, work: impl FnOnce(&mut Connection) -> Result<R, Error>) -> Result<R, Error> {
        self.readers.with(|| connection::open(&self.path, Access::Read), work)
    }

    /// Does `work` in one transaction, which is on the disk when this returns `Ok`, and never was when it does not.
    pub(crate) fn writing<R>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<R, Error>) -> Result<R, Error> {
        let mut writer = self.writer.lock();
        let transaction = writer.host.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let result = work(&transaction)?;
        transaction.commit()?;
        Ok(result)
    }
}

/// A connection to a file that is a disk now. Turning a new file into one takes locks that SQLite does not wait for by
/// itself, so of several who open it at once the late ones try again.
fn settle(path: &Path, max_pages: u32) -> Result<Connection, Error> {
    // SQLite takes a file of one byte for an empty one, and would write over it.
    if fs::metadata(path).is_ok_and(|found| found.len() == 1) {
        return Err(Error::NotADisk {
            why: "it is a single byte",
        });
    }
    let until = Instant::now() + connection::BUSY;
    loop {
        let settled = connection::open(path, Access::Create(max_pages)).and_then(|mut host| {
            format::create_or_verify(&mut host)?;
            connection::use_write_ahead_log(&host)?;
            Ok(host)
        });
        match settled {
            Err(Error::Busy) if Instant::now() < until => thread::sleep(Duration::from_millis(5)),
            settled => return settled,
        }
    }
}
