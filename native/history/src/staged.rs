//! Files that appear whole or not at all.

use crate::fault;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The names of the points on the way of a file: written, synced, placed.
pub(crate) type Points = [&'static str; 3];

/// A file that is complete and on the disk, under a name that nobody looks for.
pub(crate) struct Staged {
    file: NamedTempFile,
    target: PathBuf,
    placed: &'static str,
}

impl Staged {
    /// Fills a new file for `target`. `mark` tells whose leftovers are whose.
    pub fn new(
        target: &Path,
        mark: &str,
        mode: u32,
        points: Points,
        fill: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<Staged> {
        let directory = target.parent().ok_or(io::ErrorKind::InvalidInput)?;
        // By its descriptor only: a guest that sees the name cannot send us elsewhere.
        let mut file = tempfile::Builder::new()
            .prefix(&prefix(target, mark))
            .permissions(Permissions::from_mode(mode))
            .tempfile_in(directory)?;
        let [written, synced, placed] = points;
        fill(file.as_file_mut())?;
        fault::point(written);
        file.as_file().sync_all()?;
        fault::point(synced);
        Ok(Staged {
            file,
            target: target.to_owned(),
            placed,
        })
    }

    /// Gives it its name. The name is sure to stay when the directory is synced.
    pub fn place(self) -> io::Result<()> {
        self.file.persist(&self.target).map_err(|e| e.error)?;
        fault::point(self.placed);
        Ok(())
    }
}

/// How the temporary files for `target` begin.
pub(crate) fn prefix(target: &Path, mark: &str) -> String {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    format!(".{name}.wb-{mark}-")
}

pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}
