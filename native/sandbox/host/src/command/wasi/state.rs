//! What a stream looks like from inside.

use super::errno::BADF;
use super::memory::{put, split};
use crate::command::module::Process;
use pipe::Stream;
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use wasmtime::{Caller, Result};

// The types of file.
const UNKNOWN: u8 = 0;
const CHARACTER_DEVICE: u8 = 2;
const DIRECTORY: u8 = 3;
const REGULAR_FILE: u8 = 4;

/// Every right there is. The streams know by themselves what they can do.
const RIGHTS: u64 = (1 << 30) - 1;
/// Without these two a character device passes for a terminal.
const SEEK_AND_TELL: u64 = 1 << 2 | 1 << 5;

/// `struct fdstat` of WASI.
pub(super) fn descriptor_state(caller: &mut Caller<'_, Process>, fd: i32, into: i32) -> Result<i32> {
    let (bytes, process) = split(caller)?;
    let Some(stream) = process.devices.get(fd) else {
        return Ok(BADF);
    };
    let kind = file_type(&stream);
    let rights = if stream.file().is_some() || kind == CHARACTER_DEVICE {
        RIGHTS
    } else {
        RIGHTS & !SEEK_AND_TELL
    };
    let mut state = [0; 24];
    state[0] = kind;
    state[8..16].copy_from_slice(&rights.to_le_bytes());
    state[16..24].copy_from_slice(&rights.to_le_bytes());
    put(bytes, into, &state)
}

/// `struct filestat` of WASI.
pub(super) fn file_state(caller: &mut Caller<'_, Process>, stream: &Stream, into: i32) -> Result<i32> {
    let (bytes, _) = split(caller)?;
    let mut state = [0; 64];
    state[16] = file_type(stream);
    if let Some(found) = stream.file().and_then(|file| file.metadata().ok()) {
        let time = |seconds: i64, nanoseconds: i64| (seconds * 1_000_000_000 + nanoseconds) as u64;
        let fields = [
            (0, found.dev()),
            (8, found.ino()),
            (24, found.nlink()),
            (32, found.size()),
            (40, time(found.atime(), found.atime_nsec())),
            (48, time(found.mtime(), found.mtime_nsec())),
            (56, time(found.ctime(), found.ctime_nsec())),
        ];
        for (at, value) in fields {
            state[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
    }
    put(bytes, into, &state)
}

fn file_type(stream: &Stream) -> u8 {
    let of = |found: Metadata| if found.is_dir() { DIRECTORY } else { REGULAR_FILE };
    match stream.file().map(File::metadata) {
        Some(found) => found.map_or(UNKNOWN, of),
        None if stream.is_device() => CHARACTER_DEVICE,
        None => UNKNOWN,
    }
}
