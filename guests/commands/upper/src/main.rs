//! `upper`: stdin in capitals, line by line. What is not UTF-8 passes as it is, but for its ASCII letters.
#![forbid(unsafe_code)]

use std::io::{self, BufRead, BufWriter, Write};

fn main() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut output = BufWriter::new(io::stdout().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        match std::str::from_utf8(&line) {
            Ok(text) => output.write_all(text.to_uppercase().as_bytes())?,
            Err(_) => output.write_all(&line.to_ascii_uppercase())?,
        }
        line.clear();
    }
    output.flush()
}
