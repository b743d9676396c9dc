//! One owner for each data directory.
//!
//! Two engines that each believe a workbook to be theirs freeze it under each other's hands: one resumes onto an empty
//! disk, and its next freeze writes that over the only copy. So an engine holds the directory's lock for as long as it
//! lives, and whoever comes second is refused.

use crate::Error;
use durable::lock::{Lock, Refused};
use serde::{Deserialize, Serialize};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// The lock file. No workbook's directory can have this name: an id has no dots.
const NAME: &str = "owner.lock";

/// The version of what is written in it.
const FORMAT: u32 = 1;

/// How often, and how long, to look again at a lock that is held: somebody who only asks for the holder has it for a
/// moment, and a holder of a moment ago has not written its name yet.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(5);

/// The right to change what is in a data directory, until it is dropped. It ends with the process, however that ends.
#[derive(Debug)]
pub struct Owner(#[expect(dead_code, reason = "it is held, not asked")] Lock);

/// Who owns a data directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    format: u32,
    /// The process.
    pub pid: u32,
    /// When it took the directory, in milliseconds since 1970.
    pub started: i64,
    /// Where it can be asked, if it listens.
    pub address: Option<String>,
    /// Which Workbooks it is.
    pub version: String,
}

impl Holder {
    /// When it took the directory, as people write it.
    pub fn since(&self) -> String {
        let time = jiff::Timestamp::from_millisecond(self.started).unwrap_or_default();
        time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
    }
}

impl Owner {
    /// Takes a data directory, which is made when it is not there.
    ///
    /// ```
    /// use engine::{Error, Owner};
    ///
    /// # let dir = tempfile::tempdir().unwrap();
    /// let owner = Owner::take(dir.path())?;
    /// let Err(Error::DataInUse { holder: Some(holder), .. }) = Owner::take(dir.path()) else { panic!() };
    /// assert_eq!(holder.pid, std::process::id());
    /// drop(owner);
    /// assert!(Owner::take(dir.path()).is_ok());
    /// # Ok::<(), engine::Error>(())
    /// ```
    pub fn take(dir: &Path) -> Result<Owner, Error> {
        let failed = |cause| Error::Data {
            dir: dir.to_owned(),
            cause,
        };
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(dir)
            .map_err(failed)?;
        let me = Holder {
            format: FORMAT,
            pid: std::process::id(),
            started: jiff::Timestamp::now().as_millisecond(),
            address: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let note = serde_json::to_vec(&me).map_err(|cause| failed(cause.into()))?;
        let mut held = Vec::new();
        for _ in 0..TRIES {
            match Lock::take(&lock(dir), &note) {
                Ok(lock) => return Ok(Owner(lock)),
                Err(Refused::Held(note)) => held = note,
                Err(Refused::Io(cause)) => return Err(failed(cause)),
            }
            thread::sleep(PAUSE);
        }
        Err(Error::DataInUse {
            dir: dir.to_owned(),
            holder: serde_json::from_slice(&held).ok(),
        })
    }

    /// Who owns a data directory now. `None` when nobody does, also when there is no such directory.
    ///
    /// ```
    /// use engine::Owner;
    ///
    /// # let dir = tempfile::tempdir().unwrap();
    /// assert_eq!(Owner::of(dir.path())?, None);
    /// let owner = Owner::take(dir.path())?;
    /// assert_eq!(Owner::of(dir.path())?.unwrap().pid, std::process::id());
    /// # Ok::<(), engine::Error>(())
    /// ```
    pub fn of(dir: &Path) -> Result<Option<Holder>, Error> {
        let failed = |cause: io::Error| Error::Data {
            dir: dir.to_owned(),
            cause,
        };
        for _ in 0..TRIES {
            let Some(note) = Lock::holder(&lock(dir)).map_err(failed)? else {
                return Ok(None);
            };
            if let Ok(holder) = serde_json::from_slice(&note) {
                return Ok(Some(holder));
            }
            thread::sleep(PAUSE);
        }
        Err(Error::DataInUse {
            dir: dir.to_owned(),
            holder: None,
        })
    }
}

fn lock(dir: &Path) -> PathBuf {
    dir.join(NAME)
}
