//! Files that appear whole or not at all, below a directory that is open.
//!
//! `WORKBOOKS_FAULT=toolkit.synced` ends the process when it first comes by there, `toolkit.synced:3` the third time, so
//! that a test can see what is left.

use crate::Error;
use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, OpenOptions};
use std::env;
use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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

fn point(name: &str) {
    static FAULT: OnceLock<Option<(String, AtomicU64)>> = OnceLock::new();
    let fault = FAULT.get_or_init(|| {
        let text = env::var("WORKBOOKS_FAULT").ok()?;
        let (name, times) = text.split_once(':').unwrap_or((&text, "1"));
        Some((name.to_owned(), AtomicU64::new(times.parse().ok()?)))
    });
    if let Some((wanted, left)) = fault
        && wanted == name
        && left.fetch_sub(1, Relaxed) == 1
    {
        // As `kill -9` does: nothing is flushed, nothing is dropped.
        use rustix::process::{Signal, getpid, kill_process};
        let _ = kill_process(getpid(), Signal::KILL);
        std::process::abort();
    }
}
