//! Who hears what guests do to files.

use rustix::fs::Stat;
use std::fs::File;
use std::path::PathBuf;

/// Hears of files that guests open and change. Paths are those of the machine, without links.
pub trait Listener: Send + Sync {
    /// A file was opened for reading. Its position must be left alone.
    fn read(&self, path: PathBuf, file: &File);

    /// A file is about to be made, changed or removed, or may be: this is how it looks before, unless it is not there.
    fn change(&self, path: PathBuf, before: Option<Stamp>);
}

/// What differs when a file was changed: its identity, length and times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    device: u64,
    inode: u64,
    length: u64,
    modified: (i64, u64),
    /// Changes with the permission bits as well.
    changed: (i64, u64),
}

impl Stamp {
    /// Of a file that was looked at.
    pub fn of(stat: &Stat) -> Stamp {
        Stamp {
            device: stat.st_dev,
            inode: stat.st_ino,
            length: stat.st_size as u64,
            modified: (stat.st_mtime, stat.st_mtime_nsec),
            changed: (stat.st_ctime, stat.st_ctime_nsec),
        }
    }

    /// Of what lies at a path now, be it a link.
    pub fn at(path: &std::path::Path) -> Option<Stamp> {
        rustix::fs::lstat(path).ok().map(|stat| Stamp::of(&stat))
    }
}
