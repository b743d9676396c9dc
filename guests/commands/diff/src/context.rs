//! The context format of `-c`.

use crate::changes::{Change, hunks, widened};
use crate::normal::write_line;
use std::io::{self, Write};
use std::ops::Range;

pub fn write(out: &mut impl Write, changes: &[Change], old: &[&[u8]], new: &[&[u8]], context: usize) -> io::Result<()> {
    for hunk in hunks(changes, context) {
        let last = &hunk[hunk.len() - 1];
        let before = widened(&hunk[0].old, &last.old, context, old.len());
        let after = widened(&hunk[0].new, &last.new, context, new.len());
        let removed: Vec<_> = hunk.iter().map(|change| (&change.old, &change.new)).collect();
        let added: Vec<_> = hunk.iter().map(|change| (&change.new, &change.old)).collect();
        out.write_all(b"***************\n")?;
        writeln!(out, "*** {} ****", span(&before))?;
        write_side(out, old, &before, &removed, b"- ")?;
        writeln!(out, "--- {} ----", span(&after))?;
        write_side(out, new, &after, &added, b"+ ")?;
    }
    Ok(())
}

/// One side of a hunk, unless nothing changed on it.
fn write_side(
    out: &mut impl Write,
    lines: &[&[u8]],
    range: &Range<usize>,
    changes: &[(&Range<usize>, &Range<usize>)],
    mark: &[u8],
) -> io::Result<()> {
    if changes.iter().all(|(here, _)| here.is_empty()) {
        return Ok(());
    }
    for at in range.clone() {
        let mark = match changes.iter().find(|(here, _)| here.contains(&at)) {
            None => b"  ",
            Some((_, there)) if there.is_empty() => mark,
            Some(_) => b"! ",
        };
        write_line(out, mark, lines[at])?;
    }
    Ok(())
}

fn span(range: &Range<usize>) -> String {
    match range.len() {
        0 | 1 => range.end.to_string(),
        _ => format!("{},{}", range.start + 1, range.end),
    }
}
