//! A new directory that appears whole or not at all, and a file that is replaced in one step.

use crate::{Error, fault};
use cap_std::fs::Dir;
use durable::{NewDirectory, Point, Target};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

const IMPORT: [Point; 2] = [fault::named("import.synced"), fault::named("import.placed")];
const AUDIT: [Point; 3] = [
    fault::named("audit.written"),
    fault::named("audit.synced"),
    fault::named("audit.placed"),
];

/// Writes the files below `target`, which must not be there.
pub(crate) fn create(target: &Path, files: &BTreeMap<String, Vec<u8>>) -> Result<(), Error> {
    let parent = match target.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    if target.symlink_metadata().is_ok() {
        return Err(Error::Exists(target.to_owned()));
    }
    if !parent.is_dir() {
        return Err(Error::NotFound {
            what: "directory",
            path: parent.to_owned(),
        });
    }
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let new = NewDirectory::at(target, &format!(".{name}.wb-import-")).map_err(Error::io("write", parent))?;
    let place = || {
        for (path, bytes) in files {
            new.write(path, bytes)?;
        }
        fault::point("import.staged");
        new.points(IMPORT).place_new()
    };
    place().map_err(|cause: io::Error| match cause.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty => Error::Exists(target.to_owned()),
        _ => Error::io("write", target)(cause),
    })
}

/// Replaces a file of a directory. A reader sees the old one or the new one.
pub(crate) fn replace(dir: &Dir, path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link inside the directory keeps pointing where it pointed.
    let path = dir.canonicalize(path)?;
    Target::within(dir, path)?.keep_mode().points(AUDIT).replace(bytes)
}
