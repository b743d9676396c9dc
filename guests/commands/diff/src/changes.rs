//! Where two sequences of lines differ.

use crate::text::Folding;
use imara_diff::{Algorithm, Diff, InternedInput};
use std::ops::Range;

/// Lines `old` of the one became lines `new` of the other; one of the two may be empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub old: Range<usize>,
    pub new: Range<usize>,
}

/// The changes in order, with unchanged lines between them.
pub fn changes(old: &[&[u8]], new: &[&[u8]], folding: Folding, ignore_blank_lines: bool) -> Vec<Change> {
    let mut input = InternedInput::default();
    input.update_before(old.iter().map(|line| folding.fold(line)));
    input.update_after(new.iter().map(|line| folding.fold(line)));
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_no_heuristic(&input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    let all = diff.hunks().map(|hunk| Change {
        old: range(hunk.before),
        new: range(hunk.after),
    });
    let blank = |line: &&[u8]| folding.fold(line).trim_ascii().is_empty();
    all.filter(|change| {
        let lines = old[change.old.clone()].iter().chain(&new[change.new.clone()]);
        !ignore_blank_lines || !lines.into_iter().all(blank)
    })
    .collect()
}

/// Changes whose contexts of `context` lines touch, together.
pub fn hunks(changes: &[Change], context: usize) -> Vec<&[Change]> {
    changes
        .chunk_by(|a, b| b.old.start - a.old.end <= 2 * context)
        .collect()
}

/// A range with its context.
pub fn widened(first: &Range<usize>, last: &Range<usize>, context: usize, lines: usize) -> Range<usize> {
    first.start.saturating_sub(context)..(last.end + context).min(lines)
}
