//! A bundle as a file.

use crate::{Error, MAX_ARCHIVE};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Reads a bundle's file, but no more of it than a bundle may have.
pub fn load(path: impl AsRef<Path>) -> Result<Vec<u8>, Error> {
    let path = path.as_ref();
    let failed = |error| match Error::io("read", path)(error) {
        Error::NotFound(path) => Error::NoBundle(path),
        other => other,
    };
    let file = File::open(path).map_err(&failed)?;
    let mut bytes = Vec::new();
    file.take(MAX_ARCHIVE as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(&failed)?;
    Ok(bytes)
}

/// Writes a bundle's file, in place of the one before: a reader sees the old one or the new one.
pub fn save(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), Error> {
    let given = path.as_ref();
    durable::save(given, bytes).map_err(Error::io("write", given))
}
