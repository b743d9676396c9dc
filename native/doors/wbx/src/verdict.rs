//! What diagnostics add up to.

use crate::{answer::count, exit::Exit};
use oql::Level;

/// One error is enough to fail.
pub fn verdict(mut levels: impl Iterator<Item = Level>) -> Exit {
    if levels.any(|level| level == Level::Error) {
        Exit::Verification
    } else {
        Exit::Ok
    }
}

/// `2 errors, 1 warning`.
pub fn tally(levels: impl Iterator<Item = Level> + Clone) -> String {
    let of = |wanted| levels.clone().filter(|level| *level == wanted).count();
    let counts = [(of(Level::Error), "error"), (of(Level::Warn), "warning")];
    let counts: Vec<String> = counts
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, thing)| count(n, thing))
        .collect();
    counts.join(", ")
}
