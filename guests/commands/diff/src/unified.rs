//! The unified format of `-u`.

use crate::changes::{Change, hunks, widened};
use crate::normal::write_line;
use std::io::{self, Write};
use std::ops::Range;

pub fn write(out: &mut impl Write, changes: &[Change], old: &[&[u8]], new: &[&[u8]], context: usize) -> io::Result<()> {
    for hunk in hunks(changes, context) {
        let [first, .., last] = &[&hunk[0], &hunk[hunk.len() - 1]];
        let before = widened(&first.old, &last.old, context, old.len());
        let after = widened(&first.new, &last.new, context, new.len());
        writeln!(out, "@@ -{} +{} @@", span(&before), span(&after))?;
        let mut at = before.start;
        for change in hunk {
            for line in &old[at..change.old.start] {
                write_line(out, b" ", line)?;
            }
            for line in &old[change.old.clone()] {
                write_line(out, b"-", line)?;
            }
            for line in &new[change.new.clone()] {
                write_line(out, b"+", line)?;
            }
            at = change.old.end;
        }
        for line in &old[at..before.end] {
            write_line(out, b" ", line)?;
        }
    }
    Ok(())
}

/// First line and length; the length is left out when it is one.
fn span(range: &Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => range.end.to_string(),
        length => format!("{},{length}", range.start + 1),
    }
}
