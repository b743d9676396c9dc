//! The chain: one hash that stands for all lines so far.

use crate::Error;
use crate::witness;
use sha2::{Digest, Sha256};

/// What h(0) is made of.
const GENESIS: &[u8] = b"workbooks-ledger-v1";

/// The state of a chain after some lines.
///
/// ```
/// let mut chain = ledger::Chain::new();
/// assert_eq!(chain.head(), "e456e5db2b77d3bf115d51c89eb34c3d5a092968c32a1646e584e1632068a821");
/// chain.append(b"{}");
/// assert_eq!(chain.count(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    head: String,
    count: u64,
}

impl Default for Chain {
    fn default() -> Self {
        Chain::new()
    }
}

impl Chain {
    /// The chain over no lines.
    pub fn new() -> Chain {
        Chain {
            head: hex(&Sha256::digest(GENESIS)),
            count: 0,
        }
    }

    /// The hash over all lines, as 64 lower-case hexadecimal digits.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// How many lines there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Adds a line, given without its newline.
    pub fn append(&mut self, line: &[u8]) {
        self.head = next(&self.head, line);
        self.count += 1;
    }

    /// Puts `n` and `prev` at the front of a JSON object, adds the line that results, and returns it.
    ///
    /// ```
    /// let mut chain = ledger::Chain::new();
    /// let line = chain.link(r#"{"tool": "sh"}"#).unwrap();
    /// assert!(line.starts_with(r#"{"n":1,"prev":"e456e5db"#) && line.ends_with(r#"","tool":"sh"}"#));
    /// ```
    pub fn link(&mut self, step: &str) -> Result<String, Error> {
        let line = witness::attach(step, self.count + 1, &self.head)?;
        self.append(line.as_bytes());
        Ok(line)
    }

    /// Whether a line says of itself that it comes next: by its number and by the hash before it.
    ///
    /// ```
    /// let line = ledger::Chain::new().link("{}").unwrap();
    /// assert!(ledger::Chain::new().is_next(&line));
    /// assert!(!ledger::Chain::new().is_next("{}"));
    /// ```
    pub fn is_next(&self, line: &str) -> bool {
        witness::read(line.as_bytes()).is_some_and(|said| said.n == self.count + 1 && said.prev == self.head)
    }
}

/// The hash over a log whose last line is this one, by what the line says of the hash before it. `None` for a line that
/// says nothing.
///
/// ```
/// let mut chain = ledger::Chain::new();
/// let line = chain.link("{}").unwrap();
/// assert_eq!(ledger::head_after(line.as_bytes()).as_deref(), Some(chain.head()));
/// ```
pub fn head_after(line: &[u8]) -> Option<String> {
    Some(next(&witness::read(line)?.prev, line))
}

/// The hash that follows `head` when `line` is added.
pub(crate) fn next(head: &str, line: &[u8]) -> String {
    hex(&Sha256::new().chain_update(head).chain_update(line).finalize())
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}
