//! `tar`, `gzip`, `gunzip` and `zcat`: archives and compression.
#![forbid(unsafe_code)]

mod archive;
mod extract;
mod gzip;
mod listing;
mod options;

use std::ffi::OsString;
use std::path::Path;
use std::process::exit;

fn main() {
    start::enter();
    let mut words = std::env::args_os();
    let name = words.next().unwrap_or_default();
    let words: Vec<OsString> = words.collect();
    exit(match Path::new(&name).file_name().and_then(|name| name.to_str()) {
        Some("gzip") => gzip::main("gzip", words),
        Some("gunzip") => gzip::main("gunzip", words),
        Some("zcat") => gzip::main("zcat", words),
        _ => tar(words),
    });
}

/// Something could not be done.
const FAILED: i32 = 2;

fn tar(words: Vec<OsString>) -> i32 {
    let done = options::parse(words).and_then(|options| match options.mode {
        options::Mode::Create => archive::create(&options),
        options::Mode::Extract => extract::extract(&options),
        options::Mode::List => listing::list(&options),
        options::Mode::Help => {
            println!("{}", options::USAGE);
            Ok(0)
        }
    });
    done.unwrap_or_else(|message| {
        eprintln!("tar: {message}");
        FAILED
    })
}

/// An error without the number that Rust adds.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
