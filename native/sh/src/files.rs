//! Files below the run's root, and nothing else.
//!
//! Every path is resolved by the capability that the root is, at the moment it is used: a `..` or a symlink that leads
//! out is refused whenever it was made.

use crate::Error;
use crate::ast::{Bytes, Open};
use cap_std::fs::{Dir, Metadata, MetadataExt, OpenOptions, OpenOptionsExt};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Why a file is not open.
#[derive(Debug)]
pub(crate) enum Refused {
    /// What the machine says, without its number.
    Because(String),
    Outside(Error),
}

/// The root as one shell sees it from its working directory.
pub(crate) struct Files<'a> {
    pub root: &'a Dir,
    pub cwd: &'a [u8],
}

impl Files<'_> {
    /// The path from the root. `..` stays in it: the root itself says whether it leads out.
    fn below(&self, path: &[u8]) -> PathBuf {
        let mut whole = Bytes::new();
        if !path.starts_with(b"/") {
            whole.extend(self.cwd);
            whole.push(b'/');
        }
        whole.extend(path);
        let start = whole.iter().position(|byte| *byte != b'/').unwrap_or(whole.len());
        match &whole[start..] {
            [] => PathBuf::from("."),
            below => Path::new(OsStr::from_bytes(below)).to_owned(),
        }
    }

    /// Opens a regular file, or a directory to read. Nothing that opens waits for somebody else.
    pub fn open(&self, path: &[u8], how: Open, noclobber: bool, mode: u32) -> Result<File, Refused> {
        let below = self.below(path);
        let mut options = OpenOptions::new();
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).mode(mode);
        match how {
            Open::Read => options.read(true),
            Open::ReadWrite => options.read(true).write(true).create(true),
            Open::Append => options.append(true).create(true),
            Open::Write | Open::Clobber => options.write(true).create(true),
        };
        if how == Open::Write && noclobber {
            options.create(false).create_new(true);
        }
        let file = match self.root.open_with(&below, &options) {
            Ok(file) => file.into_std(),
            Err(error) => return Err(refused(path, &error)),
        };
        let metadata = file.metadata().map_err(|error| refused(path, &error))?;
        let readable_directory = metadata.is_dir() && how == Open::Read;
        if !metadata.is_file() && !readable_directory {
            return Err(Refused::Because("not a regular file".into()));
        }
        // Only now is it known to be a file, and not a device that something happens to.
        if matches!(how, Open::Write | Open::Clobber) && metadata.len() > 0 {
            file.set_len(0).map_err(|error| refused(path, &error))?;
        }
        Ok(file)
    }

    /// What a path leads to. What leads out is not there.
    pub fn metadata(&self, path: &[u8]) -> io::Result<Metadata> {
        present(path)?;
        self.root.metadata(self.below(path))
    }

    /// What a path names, be it a symlink.
    pub fn symlink_metadata(&self, path: &[u8]) -> io::Result<Metadata> {
        present(path)?;
        self.root.symlink_metadata(self.below(path))
    }

    /// The names in a directory.
    pub fn names(&self, path: &[u8]) -> io::Result<Vec<Bytes>> {
        let mut names = Vec::new();
        for entry in self.root.read_dir(self.below(path))? {
            names.push(entry?.file_name().into_vec());
        }
        Ok(names)
    }

    /// The path without symlinks, from the root.
    pub fn canonical(&self, path: &[u8]) -> io::Result<Bytes> {
        present(path)?;
        let below = self.root.canonicalize(self.below(path))?;
        let mut whole = b"/".to_vec();
        if below != Path::new(".") {
            whole.extend(below.as_os_str().as_bytes());
        }
        Ok(whole)
    }

    /// Whether the file may be used like that: `r`, `w` or `x`.
    pub fn may(&self, path: &[u8], what: u8) -> bool {
        let Ok(metadata) = self.metadata(path) else {
            return false;
        };
        let bit = match what {
            b'r' => 4,
            b'w' => 2,
            _ => 1,
        };
        let mode = metadata.mode();
        let user = rustix::process::geteuid();
        if user.is_root() {
            return bit != 1 || metadata.is_dir() || mode & 0o111 != 0;
        }
        let shift = if metadata.uid() == user.as_raw() {
            6
        } else if metadata.gid() == rustix::process::getegid().as_raw() {
            3
        } else {
            0
        };
        mode >> shift & bit != 0
    }
}

/// An empty path names nothing.
fn present(path: &[u8]) -> io::Result<()> {
    match path.is_empty() {
        true => Err(io::ErrorKind::NotFound.into()),
        false => Ok(()),
    }
}

fn refused(path: &[u8], error: &io::Error) -> Refused {
    match leads_out(error) {
        true => Refused::Outside(Error::OutsideSandbox(String::from_utf8_lossy(path).into_owned())),
        false => Refused::Because(reason(error)),
    }
}

/// The capability's own refusal: it has no number from the machine, as a plain lack of permission has.
pub(crate) fn leads_out(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

/// What the machine says, without its number.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = match error.kind() {
        _ if error.raw_os_error().is_some() => error.to_string(),
        io::ErrorKind::NotFound => "No such file or directory".into(),
        _ => error.to_string(),
    };
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
