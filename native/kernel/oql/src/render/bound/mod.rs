//! How much work will orgize do on a text, and how deep will it recurse? Found out in one linear pass, before it starts.
//!
//! orgize tries every place where something could begin, once, by scanning for its end. What closes soon costs little;
//! what never closes is scanned to the end of its section (blocks, drawers), paragraph (footnotes, braces, LaTeX) or
//! line (links, calls), and emphasis counts newlines from its opening to every mark of its kind in the next two lines.
//! So the work of a place is the length of its scan, which is known as soon as the nearest possible end is. Prices are
//! nanoseconds, measured on orgize 0.10.0-alpha.10 and rounded up; the sum errs on the high side.
//!
//! Depth is bounded in the same way: by how many things that could be open at one place are open there.

mod blocks;
mod inline;
mod marks;
mod sections;

use crate::error::{Code, Error};

/// What one text may cost, in nanoseconds.
const BUDGET: u64 = 1_500_000_000;
/// How deep lists and blocks may nest in each other, and how deep markup may.
const MAX_DEPTH: usize = 100;

/// Refuses a text that would take orgize too long, or too deep.
pub(super) fn check(org: &str) -> Result<(), Error> {
    let mut work = Work { left: BUDGET };
    sections::sections(org).try_for_each(|section| section.check(&mut work))
}

/// What is left of the budget.
struct Work {
    left: u64,
}

impl Work {
    /// Takes the price of something on a line.
    fn spend(&mut self, price: u64, line: usize) -> Result<(), Error> {
        self.left = self.left.checked_sub(price).ok_or_else(|| {
            Error::new(
                Code::TooComplex,
                format!("line {line}: the text takes too much work to render"),
                "close every block, drawer and markup, or split the section",
            )
        })?;
        Ok(())
    }
}

/// Refuses nesting beyond the limit.
fn check_depth(depth: usize, line: usize) -> Result<(), Error> {
    if depth > MAX_DEPTH {
        return Err(Error::new(
            Code::TooComplex,
            format!("line {line}: lists, blocks or markup nest more than {MAX_DEPTH} deep"),
            "nest less deeply, or use headlines",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
