//! A file as lines.

use crate::options::Blanks;
use std::borrow::Cow;

/// How far into a file a NUL makes it binary.
const LOOK: usize = 32 * 1024;

pub fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(LOOK)].contains(&0)
}

/// The lines with their newlines; only the last one may have none.
pub fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|&byte| byte == b'\n').collect()
}

/// What of lines is compared.
#[derive(Clone, Copy, Default)]
pub struct Folding {
    pub ignore_case: bool,
    pub blanks: Blanks,
    pub strip_cr: bool,
}

impl Folding {
    /// The line as it is compared.
    pub fn fold<'a>(&self, line: &'a [u8]) -> Cow<'a, [u8]> {
        if !self.ignore_case && !self.strip_cr && self.blanks == Blanks::Count {
            return Cow::Borrowed(line);
        }
        let (body, end) = match line.strip_suffix(b"\n") {
            Some(body) => (body, &b"\n"[..]),
            None => (line, &b""[..]),
        };
        let body = if self.strip_cr {
            body.strip_suffix(b"\r").unwrap_or(body)
        } else {
            body
        };
        let mut folded = match self.blanks {
            Blanks::Count => body.to_vec(),
            Blanks::IgnoreAtEnd => body.trim_ascii_end().to_vec(),
            Blanks::IgnoreAmount => squeezed(body.trim_ascii_end()),
            Blanks::IgnoreAll => body
                .iter()
                .copied()
                .filter(|byte| !byte.is_ascii_whitespace())
                .collect(),
        };
        if self.ignore_case {
            folded.make_ascii_lowercase();
        }
        // With -w and its kin a missing newline is no difference either.
        folded.extend(if self.blanks == Blanks::Count { end } else { b"\n" });
        Cow::Owned(folded)
    }
}

fn squeezed(body: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(body.len());
    for &byte in body {
        if !byte.is_ascii_whitespace() {
            result.push(byte);
        } else if result.last() != Some(&b' ') {
            result.push(b' ');
        }
    }
    result
}
