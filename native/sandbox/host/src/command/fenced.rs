//! What a guest does to names, behind a fence.
//!
//! The directory of a name is opened first. The fence looks at that handle, and the change is made through it, so nobody
//! can put another directory in its place in between.

use cap_std::fs::Dir;
use fence::Fence;
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;

/// A directory that a guest has open, and a path from there.
pub(super) type Place<'a> = (&'a File, &'a [u8]);

/// A name in a directory that is open.
struct Spot {
    directory: Dir,
    name: OsString,
    /// The path ends in a slash, so a directory is meant.
    slash: bool,
}

impl Spot {
    fn find((from, path): Place) -> io::Result<Spot> {
        let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
        let start = path[..end]
            .iter()
            .rposition(|byte| *byte == b'/')
            .map_or(0, |at| at + 1);
        let name = &path[start..end];
        match name {
            b"" => return Err(Errno::NOENT.into()),
            // Neither can be removed or renamed.
            b"." | b".." => return Err(Errno::INVAL.into()),
            _ => {}
        }
        let from = Dir::from_std_file(from.try_clone()?);
        let directory = match &path[..start] {
            b"" => from,
            parent => from.open_dir(OsStr::from_bytes(parent))?,
        };
        Ok(Spot {
            directory,
            name: OsStr::from_bytes(name).to_owned(),
            slash: end < path.len(),
        })
    }

    /// The name as it was written.
    fn written(&self) -> OsString {
        let mut name = self.name.clone();
        if self.slash {
            name.push("/");
        }
        name
    }
}

/// Whether a new name may be made.
pub(super) fn may_make(fence: &Fence, place: Place) -> io::Result<()> {
    let spot = Spot::find(place)?;
    fence.changes(&spot.directory, &spot.name)
}

pub(super) fn remove_file(fence: &Fence, place: Place) -> io::Result<()> {
    let spot = Spot::find(place)?;
    fence.changes(&spot.directory, &spot.name)?;
    match spot.slash {
        true => Err(Errno::NOTDIR.into()),
        false => spot.directory.remove_file(&spot.name),
    }
}

pub(super) fn remove_directory(fence: &Fence, place: Place) -> io::Result<()> {
    let spot = Spot::find(place)?;
    fence.changes(&spot.directory, &spot.name)?;
    spot.directory.remove_dir(spot.written())
}

pub(super) fn rename(fence: &Fence, from: Place, to: Place) -> io::Result<()> {
    let (from, to) = (Spot::find(from)?, Spot::find(to)?);
    fence.changes(&from.directory, &from.name)?;
    fence.changes(&to.directory, &to.name)?;
    from.directory.rename(from.written(), &to.directory, to.written())
}

pub(super) fn link(fence: &Fence, from: Place, to: Place) -> io::Result<()> {
    let (from, to) = (Spot::find(from)?, Spot::find(to)?);
    fence.links(&from.directory, &from.name)?;
    fence.changes(&to.directory, &to.name)?;
    from.directory.hard_link(from.written(), &to.directory, to.written())
}
