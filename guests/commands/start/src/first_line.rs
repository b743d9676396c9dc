//! The one-argument convention: without arguments, the first line of stdin is the argument.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::os::wasi::ffi::OsStringExt;

/// The arguments of this process; when there are none, the first line of stdin is the only one and the rest is input.
pub fn first_line_as_argument() -> Vec<OsString> {
    let mut args: Vec<OsString> = std::env::args_os().collect();
    if args.len() == 1 {
        args.extend(first_line().map(OsString::from_vec));
    }
    args
}

/// Byte by byte, because what follows the line is not ours to buffer.
fn first_line() -> Option<Vec<u8>> {
    // SAFETY: descriptor 0 is open for as long as the process runs, and the file is never dropped.
    let mut stdin = ManuallyDrop::new(unsafe { File::from_raw_fd(0) });
    let mut line = Vec::new();
    let mut byte = [0];
    while stdin.read(&mut byte).ok()? == 1 {
        if byte == *b"\n" {
            return Some(line);
        }
        line.push(byte[0]);
    }
    (!line.is_empty()).then_some(line)
}
