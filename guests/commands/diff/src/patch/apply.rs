//! Hunks onto lines.

use super::parse::{Hunk, Line};

pub struct Outcome {
    pub text: Vec<u8>,
    /// What is worth saying about a hunk.
    pub notes: Vec<String>,
    /// The hunks that did not fit, by number from zero.
    pub rejected: Vec<usize>,
}

/// Applies the hunks in order. One that is not where it says is searched for, nearest first; up to `fuzz` lines of its
/// context at either end may differ.
pub fn apply(old: &[&[u8]], hunks: &[Hunk], fuzz: usize) -> Outcome {
    let mut outcome = Outcome {
        text: Vec::new(),
        notes: Vec::new(),
        rejected: Vec::new(),
    };
    let mut done = 0;
    let mut offset: isize = 0;
    for (number, hunk) in hunks.iter().enumerate() {
        let expected = hunk.old_start.saturating_add_signed(offset);
        let found = (0..=fuzz).find_map(|fuzz| Some((place(old, hunk, expected, done, fuzz)?, fuzz)));
        let Some(((at, lead, trail), fuzz)) = found else {
            outcome
                .notes
                .push(format!("Hunk #{} FAILED at {}.", number + 1, hunk.old_start + 1));
            outcome.rejected.push(number);
            continue;
        };
        let shift = at as isize - lead as isize - hunk.old_start as isize;
        if shift != offset || fuzz > 0 {
            outcome.notes.push(note(number, at - lead, shift, fuzz));
        }
        offset = shift;
        for line in &old[done..at] {
            outcome.text.extend(*line);
        }
        done = at;
        for line in &hunk.lines[lead..hunk.lines.len() - trail] {
            match line {
                // The file's own line: with fuzz or blanks it may differ from the patch's.
                Line::Kept(_) => {
                    outcome.text.extend(old[done]);
                    done += 1;
                }
                Line::Removed(_) => done += 1,
                Line::Added(text) => {
                    // Nothing may be glued to a last line without newline.
                    if outcome.text.last().is_some_and(|&byte| byte != b'\n') {
                        outcome.text.push(b'\n');
                    }
                    outcome.text.extend(text);
                }
            }
        }
    }
    for line in &old[done..] {
        outcome.text.extend(*line);
    }
    outcome
}

fn note(number: usize, at: usize, shift: isize, fuzz: usize) -> String {
    let mut note = format!("Hunk #{} succeeded at {}", number + 1, at + 1);
    if fuzz > 0 {
        note += &format!(" with fuzz {fuzz}");
    }
    if shift != 0 {
        let plural = if shift.abs() == 1 { "" } else { "s" };
        note += &format!(" (offset {shift} line{plural})");
    }
    note + "."
}

/// Where a hunk fits, and how many lines of its context were dropped before and after.
fn place(old: &[&[u8]], hunk: &Hunk, expected: usize, done: usize, fuzz: usize) -> Option<(usize, usize, usize)> {
    let kept = |line: &&Line| matches!(line, Line::Kept(_));
    let before = hunk.lines.iter().take_while(kept).count();
    let after = hunk.lines.iter().rev().take_while(kept).count();
    let (lead, trail) = (fuzz.min(before), fuzz.min(after));
    if lead + trail > hunk.lines.len() || (fuzz > 0 && lead == 0 && trail == 0) {
        return None;
    }
    let wanted = hunk.side(false);
    let wanted = &wanted[lead..wanted.len() - trail];
    let last = old.len().checked_sub(wanted.len())?;
    let expected = expected + lead;
    let fits = |at: usize| at >= done && at <= last && old[at..at + wanted.len()] == *wanted;
    // A hunk without old lines has nothing to be searched by.
    if wanted.is_empty() {
        return Some((expected.clamp(done, old.len()), lead, trail));
    }
    let farthest = last.max(expected);
    (0..=farthest)
        .flat_map(|distance| [expected.checked_add(distance), expected.checked_sub(distance)])
        .flatten()
        .find(|&at| fits(at))
        .map(|at| (at, lead, trail))
}
