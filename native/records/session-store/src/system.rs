//! The real clock and the real dice.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use session::ports::{Clock, Random};
use session::{Engine, Error};

use crate::{FileStore, Options};

/// The operating system's clock and randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct System;

impl Random for System {
    fn fill(&self, buffer: &mut [u8]) {
        // Without randomness no id and no key can be made, and nothing must go on.
        getrandom::fill(buffer).expect("the operating system gives random bytes");
    }
}

impl Clock for System {
    fn now(&self) -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs())
    }
}

/// An engine over the sessions in a directory.
///
/// ```
/// let dir = tempfile::tempdir().unwrap();
/// let engine = session_store::engine(dir.path()).unwrap();
/// assert_eq!(engine.list().unwrap(), []);
/// ```
pub fn engine(root: impl AsRef<Path>) -> Result<Engine<FileStore>, Error> {
    Ok(Engine::new(FileStore::open(root, Options::default())?, System, System))
}
