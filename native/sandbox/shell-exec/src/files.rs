//! Files below the run's root, and nothing else.
//!
//! Every path is resolved by the capability that the root is, at the moment it is used: a `..` or a symlink that leads
//! out is refused whenever it was made.

use crate::Error;
use crate::ast::{Bytes, Open};
use cap_std::fs::{Dir, Metadata, MetadataExt, OpenOptions, OpenOptionsExt};
use fence::Fence;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

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
    /// What `/tmp` is, if it is not a directory of the root.
    pub tmp: Option<&'a Dir>,
    pub cwd: &'a [u8],
    pub fence: Option<&'a Fence>,
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

    /// The directory that a path is looked up in, and the path from there.
    fn at(&self, path: &[u8]) -> (&Dir, PathBuf) {
        let below = self.below(path);
        match self.tmp {
            None => (self.root, below),
            Some(tmp) => match within_tmp(&below) {
                Ok(within) => (tmp, within),
                Err(below) => (self.root, below),
            },
        }
    }

    /// Opens a regular file, or a directory to read. Nothing that opens waits for somebody else.
    pub fn open(&self, path: &[u8], how: Open, noclobber: bool, mode: u32) -> Result<File, Refused> {
        let (directory, below) = self.at(path);
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
        let (opened, created) = match self.fence.filter(|_| how != Open::Read) {
            None => (directory.open_with(&below, &options), false),
            Some(_) => open_or_create(directory, &below, &options, how == Open::Write && noclobber),
        };
        let file = opened.map_err(|error| refused(path, &error))?.into_std();
        let metadata = file.metadata().map_err(|error| refused(path, &error))?;
        let readable_directory = metadata.is_dir() && how == Open::Read;
        if !metadata.is_file() && !readable_directory {
            return Err(Refused::Because("not a regular file".into()));
        }
        match (self.fence, how) {
            (Some(fence), Open::Read) if metadata.is_file() => fence.reads(&file),
            (Some(fence), how) if how != Open::Read => {
                fence.writes(&file, created).map_err(|error| refused(path, &error))?;
            }
            _ => {}
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
        let (directory, below) = self.at(path);
        directory.metadata(below)
    }

    /// What a path names, be it a symlink.
    pub fn symlink_metadata(&self, path: &[u8]) -> io::Result<Metadata> {
        present(path)?;
        let (directory, below) = self.at(path);
        directory.symlink_metadata(below)
    }

    /// The names in a directory.
    pub fn names(&self, path: &[u8]) -> io::Result<Vec<Bytes>> {
        let mut names = Vec::new();
        let (directory, below) = self.at(path);
        for entry in directory.read_dir(below)? {
            names.push(entry?.file_name().into_vec());
        }
        Ok(names)
    }

    /// The path without symlinks, from the root.
    pub fn canonical(&self, path: &[u8]) -> io::Result<Bytes> {
        present(path)?;
        let (directory, below) = self.at(path);
        let below = directory.canonicalize(below)?;
        let mut whole = b"/".to_vec();
        if !std::ptr::eq(directory, self.root) {
            whole.extend(TMP.as_bytes());
            if below != Path::new(".") {
                whole.push(b'/');
            }
        }
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

const TMP: &str = "tmp";

/// Opens a file, and says whether that made it: a fence has to know. Only with `new` it must not be there before.
fn open_or_create(
    directory: &Dir,
    path: &Path,
    options: &OpenOptions,
    new: bool,
) -> (io::Result<cap_std::fs::File>, bool) {
    if !new {
        match directory.open_with(path, options.clone().create(false)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return (opened, false),
        }
    }
    (directory.open_with(path, options), true)
}

/// The path from `/tmp` on, if that is where a path leads; otherwise the path from the root on. `..` is taken by its word,
/// for what is above `/tmp` is not above the directory that stands in for it.
fn within_tmp(below: &Path) -> Result<PathBuf, PathBuf> {
    let mut parts: Vec<Component> = below.components().filter(|part| *part != Component::CurDir).collect();
    // A slash at the end says that a directory is meant.
    let slash = below.as_os_str().as_bytes().ends_with(b"/");
    let join = |parts: &[Component]| {
        let mut path: PathBuf = parts.iter().collect();
        match (parts.is_empty(), slash) {
            (true, _) => path.push("."),
            (false, true) => path.push(""),
            (false, false) => {}
        }
        path
    };
    while parts.first() == Some(&Component::Normal(OsStr::new(TMP))) {
        let mut depth = 0;
        let leaves = parts[1..].iter().position(|part| {
            depth += if *part == Component::ParentDir { -1 } else { 1 };
            depth < 0
        });
        match leaves {
            None => return Ok(join(&parts[1..])),
            Some(at) => drop(parts.drain(..at + 2)),
        }
    }
    Err(match parts.len() == below.components().count() {
        true => below.to_owned(),
        false => join(&parts),
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_in_tmp_or_in_the_root() {
        for (path, expected) in [
            ("tmp", Ok(".")),
            ("tmp/", Ok(".")),
            ("./tmp/a/b", Ok("a/b")),
            ("tmp/a/", Ok("a/")),
            ("tmp/a/../b", Ok("a/../b")),
            ("tmp/..", Err(".")),
            ("tmp/../x", Err("x")),
            ("tmp/../tmp/x", Ok("x")),
            ("tmp/../../x", Err("../x")),
            ("tmpx/a", Err("tmpx/a")),
            ("a/tmp", Err("a/tmp")),
            (".", Err(".")),
        ] {
            let expected = expected.map(PathBuf::from).map_err(PathBuf::from);
            let found = within_tmp(Path::new(path));
            // Paths are equal whether they end in a slash or not; here it matters.
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{path}");
        }
    }
}
