//! The bytes to read, with the values of aliases put in front of what is left.

use crate::Bound;
use crate::ast::Bytes;
use std::borrow::Cow;
use std::sync::Arc;

pub(super) struct Input {
    /// The script below, the innermost alias on top.
    frames: Vec<Frame>,
    pub line: u32,
    /// How many bytes aliases may still put in.
    room: usize,
    /// An alias that ends in a blank has just been read to its end.
    pub after_blank: bool,
    /// For a text that was taken out of another: where each of its bytes stands there.
    outside: Option<Vec<u32>>,
}

/// A text inside another: what is left of it, and where each byte of that stands outside.
#[derive(Default)]
pub(super) struct Inner {
    pub bytes: Bytes,
    pub places: Vec<u32>,
}

impl Inner {
    pub fn push(&mut self, byte: u8, place: u32) {
        self.bytes.push(byte);
        self.places.push(place);
    }

    pub fn truncate(&mut self, length: usize) {
        self.bytes.truncate(length);
        self.places.truncate(length);
    }
}

struct Frame {
    bytes: Arc<[u8]>,
    at: usize,
    /// The alias that this is the value of.
    alias: Option<Bytes>,
}

impl Input {
    pub fn new(bytes: Arc<[u8]>, line: u32, room: usize) -> Input {
        Input {
            frames: vec![Frame {
                bytes,
                at: 0,
                alias: None,
            }],
            line,
            room,
            after_blank: false,
            outside: None,
        }
    }

    /// Says where the bytes stand in the text around.
    pub fn set_places(&mut self, places: Vec<u32>) {
        self.outside = Some(places);
    }

    /// Where the next byte stands in the script.
    pub fn place(&self) -> u32 {
        let at = self.frames[0].at;
        match &self.outside {
            None => at as u32,
            Some(places) => places
                .get(at)
                .copied()
                .unwrap_or_else(|| places.last().map_or(0, |last| last + 1)),
        }
    }

    /// Whether the value of an alias is being read.
    pub fn in_alias(&self) -> bool {
        self.frames.len() > 1
    }

    /// How much of the script was read.
    pub fn position(&self) -> usize {
        self.frames[0].at
    }

    /// A stretch of the script.
    pub fn text(&self, from: usize, to: usize) -> &[u8] {
        self.frames[0].bytes.get(from..to).unwrap_or_default()
    }

    /// The aliases whose values are being read.
    pub fn within(&self) -> Vec<Bytes> {
        self.frames.iter().filter_map(|frame| frame.alias.clone()).collect()
    }

    pub fn substitute(&mut self, alias: &[u8], value: &[u8]) -> Result<(), Bound> {
        self.room = self.room.checked_sub(value.len() + 1).ok_or(Bound::ScriptTooLong)?;
        self.frames.push(Frame {
            bytes: value.into(),
            at: 0,
            alias: Some(alias.to_vec()),
        });
        Ok(())
    }

    /// The next byte as it stands.
    pub fn raw(&mut self) -> Option<u8> {
        loop {
            let last = self.frames.len() - 1;
            let frame = &self.frames[last];
            if let Some(byte) = frame.bytes.get(frame.at) {
                return Some(*byte);
            }
            if last == 0 {
                return None;
            }
            self.after_blank |= matches!(frame.bytes.last(), Some(b' ' | b'\t'));
            self.frames.pop();
        }
    }

    /// All that is left, as it stands.
    pub fn ahead(&self) -> Cow<'_, [u8]> {
        match &self.frames[..] {
            [script] => Cow::Borrowed(&script.bytes[script.at..]),
            frames => frames
                .iter()
                .rev()
                .flat_map(|frame| &frame.bytes[frame.at..])
                .copied()
                .collect(),
        }
    }

    /// The byte that far ahead, as it stands.
    pub fn raw_at(&self, mut ahead: usize) -> Option<u8> {
        for frame in self.frames.iter().rev() {
            let left = frame.bytes.len() - frame.at;
            if ahead < left {
                return Some(frame.bytes[frame.at + ahead]);
            }
            ahead -= left;
        }
        None
    }

    /// The byte that far ahead, line continuations not counted.
    pub fn peek_at(&self, ahead: usize) -> Option<u8> {
        let mut at = 0;
        for _ in 0..ahead {
            at = self.behind_continuations(at) + 1;
        }
        self.raw_at(self.behind_continuations(at))
    }

    fn behind_continuations(&self, mut at: usize) -> usize {
        while self.raw_at(at) == Some(b'\\') && self.raw_at(at + 1) == Some(b'\n') {
            at += 2;
        }
        at
    }

    /// The next byte, behind any line continuation.
    pub fn peek(&mut self) -> Option<u8> {
        while self.raw()? == b'\\' && self.raw_at(1) == Some(b'\n') {
            self.skip();
            self.skip();
        }
        self.raw()
    }

    /// Passes the byte that was looked at.
    pub fn skip(&mut self) {
        if let Some(byte) = self.raw() {
            let last = self.frames.len() - 1;
            self.frames[last].at += 1;
            self.line += u32::from(byte == b'\n' && last == 0);
        }
    }

    /// Takes the next byte as it stands.
    pub fn take_raw(&mut self) -> Option<u8> {
        let byte = self.raw();
        self.skip();
        byte
    }

    /// Passes this byte if it is the next.
    pub fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.skip();
        }
        found
    }
}
