//! Which line is it? Asked of a log that is not the one that its chain was made from.
//!
//! A line that is one of ours says its number and the hash before it. One that stands in the wrong place gives itself
//! away by its number. One that was changed is given away by the next: its `prev` is not the hash any more.

use crate::witness::{self, Witness};
use crate::{Chain, chain};

/// The lines of a log.
pub(crate) struct Lines<'a> {
    lines: Vec<&'a [u8]>,
    /// Whether the last one has its newline.
    ended: bool,
}

/// The first line, counted from 1, that is not what it was when a chain over the log had this count and head. `None`
/// when all of them are.
///
/// ```
/// let mut chain = ledger::Chain::new();
/// let line = chain.link("{}").unwrap() + "\n";
/// let bad = |steps: &str| ledger::first_bad_line(steps.as_bytes(), chain.count(), chain.head());
/// assert_eq!(bad(&line), None);
/// assert_eq!(bad(""), Some(1));
/// assert_eq!(bad(&format!("{line}{{}}\n")), Some(2));
/// ```
pub fn first_bad_line(steps: &[u8], count: u64, head: &str) -> Option<u64> {
    let lines = Lines::of(steps);
    match lines.are(&lines.chain(), count, head) {
        true => None,
        false => lines.contradiction(head).or_else(|| Some(lines.odd_end(count, head))),
    }
}

impl<'a> Lines<'a> {
    /// What follows the last newline is a line as well, if there is something.
    pub fn of(steps: &'a [u8]) -> Self {
        let whole = steps.strip_suffix(b"\n");
        let lines = match steps {
            [] => Vec::new(),
            _ => whole.unwrap_or(steps).split(|byte| *byte == b'\n').collect(),
        };
        Lines {
            lines,
            ended: steps.is_empty() || whole.is_some(),
        }
    }

    pub fn chain(&self) -> Chain {
        let mut chain = Chain::new();
        self.lines.iter().for_each(|line| chain.append(line));
        chain
    }

    /// Whether they are, to the last byte, what the count and the head were taken from. A blank line never is.
    pub fn are(&self, chain: &Chain, count: u64, head: &str) -> bool {
        let blank = self.lines.iter().any(|line| is_blank(line));
        self.ended && !blank && chain.count() == count && chain.head() == head
    }

    /// The first line that contradicts its place or its neighbours.
    pub fn contradiction(&self, head: &str) -> Option<u64> {
        let witnesses: Vec<Option<Witness>> = self.lines.iter().map(|line| witness::read(line)).collect();
        // Lines that say nothing about their places cannot be wrong about them.
        let ours = witnesses.iter().any(Option::is_some);
        let mut chain = Chain::new();
        for (index, line) in self.lines.iter().enumerate() {
            let n = index as u64 + 1;
            match &witnesses[index] {
                _ if is_blank(line) => return Some(n),
                None if ours => return Some(n),
                Some(said) if said.n != n => return Some(n),
                Some(said) if said.prev != chain.head() => {
                    // Either the line before is not what it was, or this line's `prev` is not. In the first case this
                    // line still makes the hash that comes after it.
                    let after = match witnesses.get(index + 1) {
                        Some(next) => next.as_ref().map(|next| next.prev.as_str()),
                        None => Some(head),
                    };
                    let intact = after == Some(&chain::next(&said.prev, line));
                    return Some(if intact { n.max(2) - 1 } else { n });
                }
                _ => {}
            }
            chain.append(line);
        }
        None
    }

    /// The lines agree among themselves, so the difference is behind the last that was counted, or in it.
    pub fn odd_end(&self, count: u64, head: &str) -> u64 {
        let found = self.lines.len() as u64;
        let mut counted = Chain::new();
        let most = usize::try_from(count).unwrap_or(usize::MAX);
        self.lines.iter().take(most).for_each(|line| counted.append(line));
        let known = counted.head() == head;
        match found {
            _ if found < count => found + 1,
            _ if known && found > count => count + 1,
            // Every line before it is confirmed by the next; nobody confirms the last.
            _ => count.max(1),
        }
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}
