//! Lines with their place in the text. A line ends at `\n` or `\r\n`; its text has neither.

use memchr::{memchr, memchr_iter};
use std::cell::Cell;

/// One line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    /// The text without its line ending.
    pub text: &'a str,
    /// Byte offset of its first byte in the whole text.
    pub start: usize,
    /// Byte offset of the next line.
    pub next: usize,
    /// Line number, from 1.
    pub number: usize,
}

/// The lines of `text[start..end]`.
pub(crate) struct Lines<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    number: usize,
}

impl<'a> Lines<'a> {
    /// Lines from byte `start` (the beginning of line `number`) to byte `end`.
    pub fn between(text: &'a str, start: usize, end: usize, number: usize) -> Self {
        Lines {
            text,
            at: start,
            end,
            number,
        }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        if self.at >= self.end {
            return None;
        }
        let start = self.at;
        let bytes = &self.text.as_bytes()[start..self.end];
        let (mut stop, next) = match memchr(b'\n', bytes) {
            Some(newline) => (start + newline, start + newline + 1),
            None => (self.end, self.end),
        };
        if next > stop && stop > start && self.text.as_bytes()[stop - 1] == b'\r' {
            stop -= 1;
        }
        let line = Line {
            text: &self.text[start..stop],
            start,
            next,
            number: self.number,
        };
        self.at = next;
        self.number += 1;
        Some(line)
    }
}

/// Finds line and column of byte offsets.
pub(crate) struct Places<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// The last answer: line index, offset, column. Questions mostly come in order, and one line may be megabytes.
    last: Cell<(usize, usize, usize)>,
}

impl<'a> Places<'a> {
    /// Prepares to answer for `text`.
    pub fn new(text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(memchr_iter(b'\n', text.as_bytes()).map(|i| i + 1));
        Places {
            text,
            starts: starts.collect(),
            last: Cell::new((0, 0, 1)),
        }
    }

    /// Line and column of `offset`, both from 1, the column in characters.
    pub fn of(&self, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|s| *s <= offset) - 1;
        let (last_line, last_offset, last_column) = self.last.get();
        let (from, column) = match last_line == line && last_offset <= offset {
            true => (last_offset, last_column),
            false => (self.starts[line], 1),
        };
        let column = column + self.text[from..offset].chars().count();
        self.last.set((line, offset, column));
        (line + 1, column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_lf_or_crlf_and_keep_their_place() {
        let text = "a\r\n\nb\rc\nlast";
        let seen: Vec<_> = Lines::between(text, 0, text.len(), 1)
            .map(|l| (l.text, l.start, l.next, l.number))
            .collect();
        assert_eq!(
            seen,
            [("a", 0, 3, 1), ("", 3, 4, 2), ("b\rc", 4, 8, 3), ("last", 8, 12, 4)]
        );
    }

    #[test]
    fn a_place_counts_characters_not_bytes() {
        let places = Places::new("x\n\u{1F600}yz\nw");
        for (offset, want) in [
            (0, (1, 1)),
            (2, (2, 1)),
            (6, (2, 2)),
            (7, (2, 3)),
            (6, (2, 2)),
            (9, (3, 1)),
        ] {
            assert_eq!(places.of(offset), want, "{offset}");
        }
    }
}
