//! A new directory that appears whole or not at all, and a file that is replaced in one step.

use crate::{Error, fault};
use cap_std::fs::{Dir, OpenOptions};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

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
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let staged = tempfile::Builder::new()
        .prefix(&format!(".{name}.wb-import-"))
        .tempdir_in(parent)
        .map_err(Error::io("write", parent))?;
    fill(staged.path(), files).map_err(Error::io("write", target))?;
    fault::point("import.synced");
    place(staged.path(), target).map_err(|cause| match cause.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty => Error::Exists(target.to_owned()),
        _ => Error::io("write", target)(cause),
    })?;
    // It has another name by now.
    let _ = staged.keep();
    fault::point("import.placed");
    sync(parent).map_err(Error::io("write", parent))
}

fn fill(root: &Path, files: &BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    let mut directories = BTreeSet::from([root.to_owned()]);
    for (path, bytes) in files {
        let path = root.join(path);
        let above: Vec<PathBuf> = path
            .ancestors()
            .skip(1)
            .take_while(|dir| *dir != root)
            .map(Path::to_owned)
            .collect();
        directories.extend(above);
        fs::create_dir_all(path.parent().unwrap_or(root))?;
        let mut file = File::create_new(&path)?;
        file.write_all(bytes)?;
        file.sync_all()?;
    }
    fault::point("import.staged");
    // A temporary directory is its owner's alone; this one is to be read by others.
    fs::set_permissions(root, Permissions::from_mode(0o755))?;
    directories.iter().try_for_each(|directory| sync(directory))
}

/// Gives the directory its name, unless somebody has it.
fn place(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Not every file system knows how; a rename replaces an empty directory at most.
        Err(Errno::INVAL | Errno::NOSYS) => fs::rename(from, to),
        placed => Ok(placed?),
    }
}

fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

/// Replaces a file of a directory. A reader sees the old one or the new one.
pub(crate) fn replace(dir: &Dir, path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link inside the directory keeps pointing where it pointed.
    let path = dir.canonicalize(path)?;
    let permissions = dir.metadata(&path)?.permissions();
    let (mut file, temporary) = temporary(dir, &path)?;
    let written = (|| {
        file.write_all(bytes)?;
        file.set_permissions(permissions)?;
        fault::point("audit.written");
        file.sync_all()?;
        fault::point("audit.synced");
        dir.rename(&temporary, dir, &path)?;
        fault::point("audit.placed");
        let parent = path.parent().filter(|parent| *parent != Path::new(""));
        dir.open(parent.unwrap_or(Path::new(".")))?.sync_all()
    })();
    if written.is_err() {
        let _ = dir.remove_file(&temporary);
    }
    written
}

/// A new file beside another, under a name that nobody looks for. One that somebody left there stays.
fn temporary(dir: &Dir, path: &Path) -> io::Result<(cap_std::fs::File, PathBuf)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for n in 0..100 {
        let temporary = path.with_file_name(format!(".{name}.wb-audit-{}-{n}", std::process::id()));
        match dir.open_with(&temporary, &options) {
            Ok(file) => return Ok((file, temporary)),
            Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => last = taken,
            Err(refused) => return Err(refused),
        }
    }
    Err(last)
}
