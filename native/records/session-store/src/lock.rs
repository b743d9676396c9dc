//! One writer for a session, across processes and threads.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use session::{Code, Error, SessionId};

use crate::io_error::io;

/// A lock that is held. The operating system lets go of it also when the process is killed.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a child that is just being started has a copy of the file until it runs its program.
        let _ = self.file.unlock();
    }
}

fn open(path: &Path) -> Result<File, Error> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path);
    file.map_err(io("open a lock"))
}

impl Lock {
    /// The right to write a session. A second holder is refused at once.
    pub(crate) fn session(path: &Path, id: SessionId) -> Result<Lock, Error> {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { file }),
            Err(TryLockError::WouldBlock) => Err(Error::locked(id)),
            Err(TryLockError::Error(error)) => Err(io("lock the session")(error)),
        }
    }

    /// The right to add to the store; many may have it at once.
    pub(crate) fn shared(path: &Path) -> Result<Lock, Error> {
        let file = open(path)?;
        match file.try_lock_shared() {
            Ok(()) => Ok(Lock { file }),
            Err(TryLockError::WouldBlock) => Err(busy("the store is being swept")),
            Err(TryLockError::Error(error)) => Err(io("lock the store")(error)),
        }
    }

    /// The right to take away from the store; one alone has it.
    pub(crate) fn exclusive(path: &Path) -> Result<Lock, Error> {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Lock { file }),
            Err(TryLockError::WouldBlock) => Err(busy("somebody is writing to the store")),
            Err(TryLockError::Error(error)) => Err(io("lock the store")(error)),
        }
    }
}

pub(crate) fn busy(why: &str) -> Error {
    Error::new(Code::StoreBusy, why, "try again shortly").after_ms(250)
}
