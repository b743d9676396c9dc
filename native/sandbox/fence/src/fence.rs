//! The questions that are asked before a guest changes a file.

use crate::kept::{Identity, Kept, identity, names};
use crate::listener::{Listener, Stamp};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the owner of a directory needs to find what is in it.
const OWNER: u32 = 0o700;

/// Files that stay as they are, and who hears of the others.
pub struct Fence {
    kept: Vec<Kept>,
    /// The directories that the kept files lie in, up to the root.
    above: Vec<Identity>,
    listener: Option<Arc<dyn Listener>>,
}

impl Fence {
    /// Around some files, wherever they lie; `None` if there is nothing to keep and nobody to tell.
    ///
    /// # Errors
    ///
    /// When a directory of one of them cannot be opened.
    pub fn around(read_only: &[PathBuf], listener: Option<Arc<dyn Listener>>) -> io::Result<Option<Arc<Fence>>> {
        let (mut kept, mut above) = (Vec::new(), Vec::new());
        for path in read_only {
            for (directory, name) in names(path)? {
                for up in directory.ancestors() {
                    above.push(identity(&rustix::fs::stat(up)?));
                }
                kept.push(Kept::new(&directory, name)?);
            }
        }
        above.sort_unstable();
        above.dedup();
        let needed = !kept.is_empty() || listener.is_some();
        Ok(needed.then(|| Arc::new(Fence { kept, above, listener })))
    }

    /// A file was opened for reading.
    pub fn reads(&self, file: &File) {
        if let (Some(listener), Ok(path)) = (&self.listener, path_of(file)) {
            listener.read(path, file);
        }
    }

    /// Whether a file that is open for writing may be written. Ask before it is truncated. `created` says that opening
    /// made it.
    ///
    /// # Errors
    ///
    /// `EROFS` when it stays as it is.
    pub fn writes(&self, file: &File, created: bool) -> io::Result<()> {
        let stat = rustix::fs::fstat(file)?;
        if self.is_kept(identity(&stat)) {
            return refused();
        }
        let path = path_of(file)?;
        if let Some(kept) = self.kept.iter().find(|kept| kept.is_aside_at(&path)) {
            if let Some(name) = path.file_name().filter(|_| created) {
                kept.remove(name);
            }
            return refused();
        }
        self.tell(path, (!created).then(|| Stamp::of(&stat)));
        Ok(())
    }

    /// Whether a name in a directory may be made, removed, or given to another file.
    ///
    /// # Errors
    ///
    /// `EROFS` when the name belongs to a file that stays as it is, or to a directory above one.
    pub fn changes(&self, directory: &impl AsFd, name: &OsStr) -> io::Result<()> {
        let at = identity(&rustix::fs::fstat(directory)?);
        if self.kept.iter().any(|kept| kept.is_named(at, name)) {
            return refused();
        }
        let found = rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).ok();
        if found.is_some_and(|stat| self.above.contains(&identity(&stat))) {
            return refused();
        }
        if self.listener.is_some() {
            self.tell(path_of(directory)?.join(name), found.as_ref().map(Stamp::of));
        }
        Ok(())
    }

    /// Whether a file may get another name by a hard link.
    ///
    /// # Errors
    ///
    /// `EROFS` when it stays as it is: by the other name it could be written when it is no longer known by this one.
    pub fn links(&self, directory: &impl AsFd, name: &OsStr) -> io::Result<()> {
        let at = identity(&rustix::fs::fstat(directory)?);
        let found = rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW);
        let is_kept = found.is_ok_and(|stat| self.is_kept(identity(&stat)));
        match is_kept || self.kept.iter().any(|kept| kept.is_named(at, name)) {
            true => refused(),
            false => Ok(()),
        }
    }

    /// Whether the times, or with `mode` the permission bits, of what lies at a path may be set.
    ///
    /// # Errors
    ///
    /// `EROFS` when it stays as it is, or when its owner could not find a kept file below it any more.
    pub fn attributes(&self, directory: &impl AsFd, path: &Path, follow: bool, mode: Option<u32>) -> io::Result<()> {
        let mut flags = OFlags::PATH | OFlags::CLOEXEC;
        if !follow {
            flags |= OFlags::NOFOLLOW;
        }
        // What cannot be looked at cannot be changed either; whoever changes it finds out why.
        let Ok(found) = rustix::fs::openat(directory, path, flags, Mode::empty()) else {
            return Ok(());
        };
        let stat = rustix::fs::fstat(&found)?;
        let closes = mode.is_some_and(|bits| bits & OWNER != OWNER);
        if self.is_kept(identity(&stat)) || (closes && self.above.contains(&identity(&stat))) {
            return refused();
        }
        if self.listener.is_some() {
            self.tell(path_of(&found)?, Some(Stamp::of(&stat)));
        }
        Ok(())
    }

    fn is_kept(&self, file: Identity) -> bool {
        self.kept.iter().any(|kept| kept.current() == Some(file))
    }

    fn tell(&self, path: PathBuf, before: Option<Stamp>) {
        if let Some(listener) = &self.listener {
            listener.change(path, before);
        }
    }
}

fn refused() -> io::Result<()> {
    Err(Errno::ROFS.into())
}

/// Where an open file lies, without links.
fn path_of(file: &impl AsFd) -> io::Result<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", file.as_fd().as_raw_fd()))
}
