//! The default format: `1,2c3` and lines with `<` and `>`.

use crate::changes::Change;
use std::io::{self, Write};
use std::ops::Range;

pub fn write(out: &mut impl Write, changes: &[Change], old: &[&[u8]], new: &[&[u8]]) -> io::Result<()> {
    for Change {
        old: before,
        new: after,
    } in changes
    {
        let letter = match (before.is_empty(), after.is_empty()) {
            (true, _) => 'a',
            (_, true) => 'd',
            _ => 'c',
        };
        writeln!(out, "{}{letter}{}", span(before), span(after))?;
        for line in &old[before.clone()] {
            write_line(out, b"< ", line)?;
        }
        if letter == 'c' {
            out.write_all(b"---\n")?;
        }
        for line in &new[after.clone()] {
            write_line(out, b"> ", line)?;
        }
    }
    Ok(())
}

/// Counted from one; an empty range is the line before it.
fn span(range: &Range<usize>) -> String {
    match range.len() {
        0 => range.start.to_string(),
        1 => range.end.to_string(),
        _ => format!("{},{}", range.start + 1, range.end),
    }
}

/// A line behind its mark, and a remark when it has no newline.
pub fn write_line(out: &mut impl Write, mark: &[u8], line: &[u8]) -> io::Result<()> {
    out.write_all(mark)?;
    out.write_all(line)?;
    if !line.ends_with(b"\n") {
        out.write_all(b"\n\\ No newline at end of file\n")?;
    }
    Ok(())
}
