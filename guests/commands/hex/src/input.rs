//! The bytes to show.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, Read};

/// The files one after the other, or stdin, from `skip` on and no more than `limit`.
pub fn open(files: &[OsString], skip: u64, limit: Option<u64>) -> Result<impl Read + use<>, String> {
    let mut all: Box<dyn Read> = Box::new(io::empty());
    if files.is_empty() {
        all = Box::new(io::stdin());
    }
    for file in files {
        let next: Box<dyn Read> = match file.to_str() {
            Some("-") => Box::new(io::stdin()),
            _ => Box::new(File::open(file).map_err(|error| format!("{}: {}", file.display(), reason(&error)))?),
        };
        all = Box::new(all.chain(next));
    }
    let mut all = BufReader::with_capacity(64 * 1024, all);
    io::copy(&mut all.by_ref().take(skip), &mut io::sink()).map_err(|error| reason(&error))?;
    Ok(all.take(limit.unwrap_or(u64::MAX)))
}

/// Fills `buffer` as far as there is input.
pub fn fill(input: &mut impl Read, buffer: &mut [u8]) -> Result<usize, String> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) => return Err(reason(&error)),
        }
    }
    Ok(filled)
}

/// A number in decimal, or in hexadecimal after 0x.
pub fn number(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| format!("invalid number '{text}'"))
}

/// An error without the number that Rust adds.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}
