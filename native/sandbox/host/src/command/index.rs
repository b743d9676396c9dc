//! Index files: JSON with a version, written whole or not at all.

use crate::Error;
use serde::de::DeserializeOwned;
use std::fs;
use std::io;
use std::path::Path;

/// The version of every index.
pub(super) const VERSION: u32 = 1;

/// An index says which version it is.
pub(super) trait Versioned: DeserializeOwned {
    fn version(&self) -> u32;
}

/// Reads an index of a version that is known here.
pub(super) fn read<T: Versioned>(path: &Path) -> Result<T, Error> {
    let text = fs::read(path).map_err(|e| Error::file(path, e))?;
    let damaged = |why: String| Error::file(path, io::Error::new(io::ErrorKind::InvalidData, why));
    let index: T = serde_json::from_slice(&text).map_err(|e| damaged(e.to_string()))?;
    match index.version() {
        VERSION => Ok(index),
        other => Err(damaged(format!(
            "it has version {other}, and this program knows version {VERSION}"
        ))),
    }
}

/// Writes a file so that it is there whole or not at all.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    durable::Target::at(path)?.replace(bytes)
}
