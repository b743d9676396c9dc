//! One file that stays as it is.

use rustix::fs::{AtFlags, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// A device and an inode.
pub(crate) type Identity = (u64, u64);

pub(crate) fn identity(stat: &Stat) -> Identity {
    (stat.st_dev, stat.st_ino)
}

/// Links in one path before it counts as a circle.
const MOST_LINKS: usize = 40;

/// A name in a directory. The directory is open, so it is known also after it was moved.
pub(crate) struct Kept {
    directory: File,
    at: Identity,
    name: OsString,
    /// How the names of files begin that are about to take its place. Whoever could write one of those would write the
    /// file: the next run puts back an edit that a killed process left under such a name.
    aside: Vec<u8>,
}

impl Kept {
    pub fn new(directory: &Path, name: OsString) -> io::Result<Kept> {
        let directory = open(directory)?;
        let aside = [b".", name.as_bytes(), b".wb-"].concat();
        Ok(Kept {
            at: identity(&rustix::fs::fstat(&directory)?),
            directory,
            name,
            aside,
        })
    }

    /// The file that has the name now.
    pub fn current(&self) -> Option<Identity> {
        let found = rustix::fs::statat(&self.directory, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        found.ok().map(|stat| identity(&stat))
    }

    /// Whether this is its name, or one for what takes its place.
    pub fn is_named(&self, directory: Identity, name: &OsStr) -> bool {
        directory == self.at && (name == self.name || self.is_aside(name))
    }

    pub fn is_aside(&self, name: &OsStr) -> bool {
        name.as_bytes().starts_with(&self.aside)
    }

    /// Whether a path is one for what takes its place.
    pub fn is_aside_at(&self, path: &Path) -> bool {
        let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
            return false;
        };
        self.is_aside(name) && rustix::fs::stat(directory).is_ok_and(|stat| identity(&stat) == self.at)
    }

    /// Removes a file from its directory.
    pub fn remove(&self, name: &OsStr) {
        // If it cannot be removed it is empty, and whoever finds it says so.
        let _ = rustix::fs::unlinkat(&self.directory, name, AtFlags::empty());
    }
}

/// Every name that decides what a path means: each link on the way, and the last one. Each with its directory.
pub(crate) fn names(path: &Path) -> io::Result<Vec<(PathBuf, OsString)>> {
    let mut found = Vec::new();
    let mut links = 0;
    let mut rest = parts(&std::path::absolute(path)?);
    let mut at = PathBuf::from("/");
    while let Some(name) = rest.pop() {
        if name == ".." {
            at.pop();
            continue;
        }
        let here = at.join(&name);
        match fs::read_link(&here) {
            Ok(target) => {
                links += 1;
                if links > MOST_LINKS {
                    return Err(Errno::LOOP.into());
                }
                found.push((at.clone(), name));
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                rest.extend(parts(&target));
            }
            Err(_) if rest.is_empty() => found.push((at.clone(), name)),
            Err(_) => at = here,
        }
    }
    Ok(found)
}

/// The names in a path, the last one first.
fn parts(path: &Path) -> Vec<OsString> {
    path.components()
        .rev()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}

fn open(directory: &Path) -> io::Result<File> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(directory, flags, Mode::empty())?.into())
}
