//! A file that one process at a time may hold, with a note in it about who that is.
//!
//! The lock is the operating system's, so it ends with the process that has it, however that ends. The file stays where
//! it is: a lock file that is removed can be held twice. What is written in it is for whoever is refused; whether it is
//! held is never read from there, so the note of a process that was killed does no harm.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Only the user may read who holds it.
const MODE: u32 = 0o600;

/// Held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

/// Why the lock was not taken.
#[derive(Debug)]
pub enum Refused {
    /// Somebody holds it. What the file says about them; a holder of a moment ago may not have written it yet.
    Held(Vec<u8>),
    /// The machine refused.
    Io(io::Error),
}

impl Lock {
    /// Takes the lock at `path`, and writes `note` into the file. The directory must be there.
    ///
    /// ```
    /// use durable::lock::{Lock, Refused};
    ///
    /// # let dir = tempfile::tempdir().unwrap();
    /// let path = dir.path().join("lock");
    /// let lock = Lock::take(&path, b"ada").unwrap();
    /// assert!(matches!(Lock::take(&path, b"bob"), Err(Refused::Held(note)) if note == b"ada"));
    /// drop(lock);
    /// assert!(Lock::take(&path, b"bob").is_ok());
    /// ```
    pub fn take(path: &Path, note: &[u8]) -> Result<Lock, Refused> {
        loop {
            let file = File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .mode(MODE)
                .open(path)
                .map_err(Refused::Io)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(Refused::Held(fs::read(path).unwrap_or_default())),
                Err(TryLockError::Error(cause)) => return Err(Refused::Io(cause)),
            }
            // Somebody may have put another file there since it was opened; a lock on this one would keep nobody out.
            if !same(&file, path) {
                continue;
            }
            let mut lock = Lock {
                file,
                path: path.to_owned(),
            };
            // A full disk does not keep anybody from holding a lock; it only leaves the next one without a name.
            let _ = lock.sign(note);
            return Ok(lock);
        }
    }

    /// Whether somebody holds the lock at `path` now, and what the file says about them. Looking disturbs nobody for
    /// longer than a moment.
    ///
    /// ```
    /// use durable::lock::Lock;
    ///
    /// # let dir = tempfile::tempdir().unwrap();
    /// let path = dir.path().join("lock");
    /// assert_eq!(Lock::holder(&path).unwrap(), None);
    /// let lock = Lock::take(&path, b"ada").unwrap();
    /// assert_eq!(Lock::holder(&path).unwrap(), Some(b"ada".to_vec()));
    /// ```
    pub fn holder(path: &Path) -> io::Result<Option<Vec<u8>>> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(cause),
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => fs::read(path).map(Some),
            Err(TryLockError::Error(cause)) => Err(cause),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn sign(&mut self, note: &[u8]) -> io::Result<()> {
        // A file that was there before keeps its mode when it is opened.
        self.file.set_permissions(fs::Permissions::from_mode(MODE))?;
        self.file.set_len(0)?;
        self.file.write_all(note)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

fn same(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(ours), Ok(there)) => (ours.dev(), ours.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dir() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn the_note_of_a_process_that_died_keeps_nobody_out() {
        let dir = dir();
        let path = dir.path().join("lock");
        fs::write(&path, "somebody who was killed").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        assert_eq!(Lock::holder(&path).unwrap(), None);
        let lock = Lock::take(&path, b"me").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"me");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        drop(lock);
        assert_eq!(fs::read(&path).unwrap(), b"");
    }

    #[test]
    fn where_no_file_can_be_there_is_no_lock() {
        let dir = dir();
        assert!(matches!(
            Lock::take(&dir.path().join("gone/lock"), b""),
            Err(Refused::Io(_))
        ));
        assert!(matches!(Lock::take(dir.path(), b""), Err(Refused::Io(_))));
    }

    #[test]
    fn of_many_who_try_at_once_one_gets_it() {
        let dir = dir();
        let path = dir.path().join("lock");
        let taken = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..8).map(|_| scope.spawn(|| Lock::take(&path, b"one").ok())).collect();
            let locks: Vec<_> = tries.into_iter().filter_map(|one| one.join().unwrap()).collect();
            locks.len()
        });
        assert_eq!(taken, 1);
    }
}
