//! The text under the reader, and where each byte of it stands in the script.

use std::borrow::Cow;

pub(super) struct Source<'a> {
    bytes: Cow<'a, [u8]>,
    /// Offsets in the script, where they are not the positions here: text in backquotes loses backslashes.
    offsets: Option<Vec<usize>>,
    /// The next byte to read.
    pub(super) at: usize,
    /// Reading stops here: a here-document is read in place.
    end: usize,
}

impl<'a> Source<'a> {
    pub(super) fn script(text: &'a str) -> Self {
        Source {
            bytes: Cow::Borrowed(text.as_bytes()),
            offsets: None,
            at: 0,
            end: text.len(),
        }
    }

    /// A text made of bytes from elsewhere; `end` is the offset of its end.
    pub(super) fn copied(bytes: Vec<u8>, mut offsets: Vec<usize>, end: usize) -> Self {
        offsets.push(end);
        Source {
            at: 0,
            end: bytes.len(),
            bytes: Cow::Owned(bytes),
            offsets: Some(offsets),
        }
    }

    /// The next byte. A backslash before a new line joins the two lines and is never seen.
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.at = self.joined(self.at);
        self.raw()
    }

    /// The byte after the next.
    pub(super) fn peek_second(&mut self) -> Option<u8> {
        self.peek()?;
        self.byte(self.joined(self.at + 1))
    }

    /// The next byte as it stands in the text.
    pub(super) fn raw(&self) -> Option<u8> {
        self.byte(self.at)
    }

    /// The byte at a position, if reading may go there.
    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.bytes[..self.end].get(at).copied()
    }

    /// Moves past the byte that was just seen.
    pub(super) fn bump(&mut self) {
        self.at = (self.at + 1).min(self.end);
    }

    /// Takes the next byte if it is the one wanted.
    pub(super) fn eat(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.bump();
        }
        found
    }

    /// Takes the next two bytes if they are those wanted.
    pub(super) fn eat_both(&mut self, wanted: &[u8; 2]) -> bool {
        let found = self.peek() == Some(wanted[0]) && self.peek_second() == Some(wanted[1]);
        if found {
            self.bump();
            self.peek();
            self.bump();
        }
        found
    }

    /// The first position from `at` on that no joined lines begin at. A carriage return ends a line with its new line.
    pub(super) fn joined(&self, mut at: usize) -> usize {
        loop {
            at += match (self.byte(at), self.byte(at + 1), self.byte(at + 2)) {
                (Some(b'\\'), Some(b'\r'), Some(b'\n')) => 3,
                (Some(b'\\'), Some(b'\n'), _) => 2,
                (Some(b'\r'), Some(b'\n'), _) => 1,
                _ => return at,
            }
        }
    }

    /// The line at the reader without its end; the reader moves to the next.
    pub(super) fn line(&mut self) -> &[u8] {
        let rest = &self.bytes[self.at..self.end];
        let length = rest.iter().position(|&b| b == b'\n');
        self.at += length.map_or(rest.len(), |length| length + 1);
        let line = &rest[..length.unwrap_or(rest.len())];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Makes reading stop at `end`, and says where it stopped before.
    pub(super) fn limit(&mut self, end: usize) -> usize {
        std::mem::replace(&mut self.end, end)
    }

    /// The offset in the script of the next byte.
    pub(super) fn offset(&self) -> usize {
        match &self.offsets {
            Some(offsets) => offsets[self.at.min(offsets.len() - 1)],
            None => self.at,
        }
    }
}
