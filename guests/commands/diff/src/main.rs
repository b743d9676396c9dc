//! `diff`, `cmp` and `patch`: what differs between files, and how to apply it.
#![forbid(unsafe_code)]

mod changes;
mod cmp;
mod compare;
mod context;
mod header;
mod normal;
mod options;
mod patch;
mod text;
mod unified;

use std::ffi::OsString;
use std::path::Path;
use std::process::exit;

/// Something went wrong; 0 is "the same" and 1 is "different".
const TROUBLE: i32 = 2;

fn main() {
    start::enter();
    let mut words = std::env::args_os();
    let name = words.next().unwrap_or_default();
    let words: Vec<OsString> = words.collect();
    exit(match Path::new(&name).file_name().and_then(|name| name.to_str()) {
        Some("cmp") => cmp::main(words),
        Some("patch") => patch::main(words),
        _ => compare::main(words),
    });
}
