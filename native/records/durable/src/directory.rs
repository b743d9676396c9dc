//! Directories, and what a log needs beside appending.

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::ffi::OsStr;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Makes a directory that only its owner may enter, with those above it. One that is there stays as it is.
///
/// What was made is on the disk, names included.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// durable::create_private(&dir.path().join("state/workbooks"))?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn create_private(path: &Path) -> io::Result<()> {
    let path = std::path::absolute(path)?;
    let missing: Vec<&Path> = path.ancestors().take_while(|above| !above.exists()).collect();
    DirBuilder::new().recursive(true).mode(0o700).create(&path)?;
    // The name of a directory is on the disk when the one above it is synced.
    missing
        .iter()
        .rev()
        .filter_map(|made| made.parent())
        .try_for_each(sync_directory)
}

/// Makes sure that the names in a directory are on the disk: what was renamed in it stays renamed.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// The same for a directory that is open.
pub fn sync_open_directory(dir: &Dir) -> io::Result<()> {
    // A `Dir` may be open for lookups only, and then cannot be synced; opened as a file it can.
    dir.open(".")?.sync_all()
}

/// Moves a directory to a name that is free. It has the one name or the other, also after a crash.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// let (old, new) = (dir.path().join("old"), dir.path().join("new"));
/// std::fs::create_dir(&old)?;
/// durable::move_directory(&old, &new)?;
/// assert!(new.is_dir() && !old.exists());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn move_directory(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::rename(from, to)?;
    [from, to]
        .into_iter()
        .filter_map(Path::parent)
        .try_for_each(sync_directory)
}

/// Cuts a file to its first `length` bytes: what a killed writer left after them was never acknowledged.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// let log = dir.path().join("log");
/// std::fs::write(&log, "whole\nto")?;
/// durable::cut(&log, 6)?;
/// assert_eq!(std::fs::read(&log)?, b"whole\n");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn cut(path: &Path, length: u64) -> io::Result<()> {
    let file = File::options().write(true).open(path)?;
    file.set_len(length)?;
    file.sync_all()
}

/// The directory that a path lies in, open, and its name there.
pub(crate) fn open_parent(path: &Path) -> io::Result<(Dir, PathBuf)> {
    let parent = parent(path);
    Ok((
        Dir::open_ambient_dir(parent, ambient_authority())?,
        own_name(path)?.into(),
    ))
}

/// The same for a path below a directory that is open.
pub(crate) fn open_parent_within(dir: &Dir, path: &Path) -> io::Result<(Dir, PathBuf)> {
    Ok((dir.open_dir(parent(path))?, own_name(path)?.into()))
}

pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

fn own_name(path: &Path) -> io::Result<&OsStr> {
    path.file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path does not end in a name"))
}
