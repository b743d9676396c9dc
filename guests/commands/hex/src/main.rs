//! `xxd`, `hexdump` and `hd`: bytes in hexadecimal, and back.
#![forbid(unsafe_code)]

mod hexdump;
mod input;
mod revert;
mod xxd;

use std::ffi::OsString;
use std::path::Path;
use std::process::exit;

fn main() {
    start::enter();
    let mut words = std::env::args_os();
    let name = words.next().unwrap_or_default();
    let words: Vec<OsString> = words.collect();
    let (name, done) = match Path::new(&name).file_name().and_then(|name| name.to_str()) {
        Some("hexdump") => ("hexdump", hexdump::main(words, false)),
        Some("hd") => ("hd", hexdump::main(words, true)),
        _ => ("xxd", xxd::main(words)),
    };
    exit(match done {
        Ok(()) => 0,
        Err(message) => {
            eprintln!("{name}: {message}");
            1
        }
    });
}
