//! Files that are complete and have another name yet.

use crate::{Point, directory};
use cap_std::fs::Dir;
use rustix::fs::{RenameFlags, renameat_with};
use rustix::io::Errno;
use std::io;
use std::path::PathBuf;

/// A file that is complete and on the disk, under a name that nobody looks for.
///
/// ```
/// use std::io::Write as _;
/// # let dir = tempfile::tempdir()?;
/// let stage = |name: &str| durable::Target::at(&dir.path().join(name))?.stage(|file| file.write_all(b"same moment"));
/// let both = [stage("a")?, stage("b")?];
/// assert!(!dir.path().join("a").exists());
/// for staged in both {
///     staged.place()?;
/// }
/// durable::sync_directory(dir.path())?;
/// assert!(dir.path().join("a").exists() && dir.path().join("b").exists());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Staged {
    dir: Dir,
    temporary: PathBuf,
    name: PathBuf,
    placed: Point,
    /// Whether the temporary name is still ours to remove.
    ours: bool,
}

impl Staged {
    pub(crate) fn new(dir: Dir, temporary: PathBuf, name: PathBuf, placed: Point) -> Staged {
        Staged {
            dir,
            temporary,
            name,
            placed,
            ours: true,
        }
    }

    /// Gives it its name, in place of whatever has that name. The name is sure to stay when the directory is synced.
    pub fn place(mut self) -> io::Result<()> {
        self.rename()
    }

    /// Gives it its name, for good.
    pub fn place_and_sync(mut self) -> io::Result<()> {
        self.rename()?;
        directory::sync_open_directory(&self.dir)
    }

    /// Gives it its name unless something has it, and syncs the directory. Whether nothing had.
    pub(crate) fn place_new_and_sync(mut self) -> io::Result<bool> {
        let created = match self.rename_new() {
            Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => false,
            done => {
                done?;
                self.ours = false;
                true
            }
        };
        self.placed.pass();
        // Synced by the one who came second as well: the first may have been killed before it came to that.
        directory::sync_open_directory(&self.dir)?;
        Ok(created)
    }

    fn rename(&mut self) -> io::Result<()> {
        self.dir.rename(&self.temporary, &self.dir, &self.name)?;
        self.ours = false;
        self.placed.pass();
        Ok(())
    }

    fn rename_new(&self) -> io::Result<()> {
        let (dir, from, to) = (&self.dir, &self.temporary, &self.name);
        match renameat_with(dir, from, dir, to, RenameFlags::NOREPLACE) {
            // Not every file system can. A second link fails where the name is taken, too.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                dir.hard_link(from, dir, to)?;
                dir.remove_file(from)
            }
            done => Ok(done?),
        }
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if self.ours {
            let _ = self.dir.remove_file(&self.temporary);
        }
    }
}
