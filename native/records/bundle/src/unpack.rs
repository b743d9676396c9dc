//! A bundle as a directory.

use crate::manifest::MANIFEST;
use crate::sign::SIGNATURE;
use crate::{Error, Manifest, open};
use durable::NewDirectory;
use std::io;
use std::path::Path;

/// Writes a bundle's files below `dir`, which must be absent or empty; its parent must exist.
///
/// The bundle is checked as a whole first. Its files are written beside `dir` and moved into its place, so they appear
/// all at once, and on any refusal nothing does. A bundle that carries a signature keeps it.
pub fn unpack(bytes: &[u8], dir: impl AsRef<Path>) -> Result<Manifest, Error> {
    let bundle = open(bytes)?;
    let given = dir.as_ref();
    let failed = Error::io("write to", given);
    let dir = std::path::absolute(given).map_err(&failed)?;
    let new = NewDirectory::at(&dir, ".unbundle-").map_err(&failed)?;
    new.write(MANIFEST, &bundle.manifest_json).map_err(&failed)?;
    if let Some(signature) = &bundle.signature {
        let json = ledger::canonical(signature) + "\n";
        new.write(SIGNATURE, json.as_bytes()).map_err(&failed)?;
    }
    for (name, content) in &bundle.files {
        new.write(name, content).map_err(&failed)?;
    }
    new.place().map_err(|error| match error.kind() {
        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            Error::Exists(given.to_owned())
        }
        _ => failed(error),
    })?;
    Ok(bundle.manifest)
}
