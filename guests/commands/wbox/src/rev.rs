//! `rev`: each line backwards, by characters.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

pub fn main(args: impl Iterator<Item = OsString>) -> i32 {
    let mut files: Vec<OsString> = args.skip(1).filter(|word| word != "--").collect();
    if files.is_empty() {
        files.push("-".into());
    }
    let mut out = BufWriter::new(io::stdout().lock());
    let mut status = 0;
    for file in files {
        if let Err(error) = open(&file).and_then(|input| reverse(input, &mut out)) {
            eprintln!("rev: {}: {}", file.display(), uucore::error::strip_errno(&error));
            status = 1;
        }
    }
    i32::from(out.flush().is_err() || status != 0)
}

fn open(file: &OsString) -> io::Result<Box<dyn Read>> {
    match file.to_str() {
        Some("-") => Ok(Box::new(io::stdin().lock())),
        _ => Ok(Box::new(File::open(file)?)),
    }
}

fn reverse(input: Box<dyn Read>, out: &mut impl Write) -> io::Result<()> {
    let mut input = BufReader::with_capacity(64 * 1024, input);
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let newline = line.last() == Some(&b'\n');
        line.truncate(line.len() - usize::from(newline));
        match std::str::from_utf8(&line) {
            Ok(text) => out.write_all(text.chars().rev().collect::<String>().as_bytes())?,
            Err(_) => {
                line.reverse();
                out.write_all(&line)?;
            }
        }
        out.write_all(if newline { b"\n" } else { b"" })?;
        line.clear();
    }
    Ok(())
}
