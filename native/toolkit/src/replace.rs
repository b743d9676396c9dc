//! Files that appear whole or not at all, below a directory that is open.
//!
//! [`FAULTS`] names every boundary on the way, for tests that end the process there.

use crate::Error;
use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, OpenOptions};
use fault::point;
use std::io::{self, Write};

/// The points, in the order in which a file comes by.
pub const FAULTS: &[&str] = &["toolkit.written", "toolkit.synced", "toolkit.placed"];

pub(crate) fn replace(dir: &Dir, name: &str, bytes: &[u8]) -> Result<(), Error> {
    write(dir, name, bytes).map_err(Error::io("write", name))
}

fn write(dir: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut nonce = [0; 8];
    getrandom::fill(&mut nonce).map_err(io::Error::other)?;
    let staged = format!(".{name}.wb-{:016x}", u64::from_le_bytes(nonce));
    let done = stage(dir, &staged, bytes).and_then(|()| {
        point("toolkit.synced");
        dir.rename(&staged, dir, name)
    });
    if done.is_err() {
        let _ = dir.remove_file(&staged);
    }
    done?;
    point("toolkit.placed");
    // An open directory alone cannot be synced; opened as a file it can.
    dir.open(".")?.sync_all()
}

fn stage(dir: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).follow(FollowSymlinks::No);
    let mut file = dir.open_with(name, &options)?;
    file.write_all(bytes)?;
    point("toolkit.written");
    file.sync_all()
}
