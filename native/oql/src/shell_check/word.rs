//! Words and their quoting.

use super::Word;
use super::expansion::Quoting;
use super::grammar::{Parser, Read};
use super::token::ends_word;

/// A word as it was read.
#[derive(Default)]
pub(super) struct RawWord {
    pub(super) offset: usize,
    /// It starts with an unquoted `name=`.
    pub(super) assignment: bool,
    /// The text without its quotes.
    text: Vec<u8>,
    quoted: bool,
    /// Parts of it are known only when it runs.
    expands: bool,
}

impl RawWord {
    /// Is this a plain name, as of a variable or a function?
    pub(super) fn is_name(&self) -> bool {
        !self.quoted && !self.expands && is_name(&self.text)
    }

    /// The word, if what it says is certain before it runs.
    pub(super) fn certain(self) -> Option<Word> {
        let name = String::from_utf8(self.text).ok()?;
        (!self.expands).then_some(Word {
            name,
            offset: self.offset,
        })
    }
}

fn is_name(text: &[u8]) -> bool {
    text.first().is_some_and(|b| !b.is_ascii_digit()) && text.iter().all(|&b| in_name(b))
}

pub(super) fn in_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

impl Parser<'_> {
    /// The word at the reader, if one starts there.
    pub(super) fn word(&mut self) -> Read<Option<RawWord>> {
        if self.source.peek().is_none_or(ends_word) {
            return Ok(None);
        }
        let mut word = RawWord {
            offset: self.source.offset(),
            ..RawWord::default()
        };
        let (mut patterned, mut named) = (false, true);
        while let Some(b) = self.source.peek().filter(|&b| !ends_word(b)) {
            match b {
                b'\\' => {
                    word.quoted = true;
                    self.source.bump();
                    // At the very end of a script a backslash stands for itself.
                    word.text.push(self.source.raw().unwrap_or(b'\\'));
                    self.source.bump();
                }
                b'\'' => {
                    word.quoted = true;
                    self.single_quotes(&mut word.text)?;
                }
                b'"' => {
                    word.quoted = true;
                    word.expands |= self.double_quotes(&mut word.text)?;
                }
                b'$' if self.source.peek_second() == Some(b'\'') => {
                    word.quoted = true;
                    word.expands |= self.dollar_quotes(&mut word.text)?;
                }
                b'$' | b'`' => word.expands |= self.expansion(Quoting::None, &mut word.text)?,
                _ => {
                    word.assignment |= b == b'=' && named && word.is_name();
                    named &= in_name(b);
                    patterned |= matches!(b, b'*' | b'?' | b'[') || b == b'~' && word.text.is_empty();
                    word.text.push(b);
                    self.source.bump();
                }
            }
        }
        // `[` is a command; in any other word it may start a pattern.
        word.expands |= patterned && word.text != b"[" && word.text != b"[[";
        Ok(Some(word))
    }

    pub(super) fn single_quotes(&mut self, text: &mut Vec<u8>) -> Read {
        let opened = self.source.offset();
        self.source.bump();
        loop {
            let Some(b) = self.source.raw() else {
                return self.unclosed("'", opened, "'");
            };
            self.source.bump();
            if b == b'\'' {
                return Ok(());
            }
            text.push(b);
        }
    }

    /// Reads `$'..'`; says whether it has escapes, which are not decoded here.
    pub(super) fn dollar_quotes(&mut self, text: &mut Vec<u8>) -> Read<bool> {
        let opened = self.source.offset();
        self.source.bump();
        self.source.peek();
        self.source.bump();
        let mut escapes = false;
        loop {
            let Some(b) = self.source.raw() else {
                return self.unclosed("$'", opened, "'");
            };
            self.source.bump();
            match b {
                b'\'' => return Ok(escapes),
                b'\\' => {
                    escapes = true;
                    self.source.bump();
                }
                _ => text.push(b),
            }
        }
    }

    /// Reads `".."`; says whether anything in it expands.
    pub(super) fn double_quotes(&mut self, text: &mut Vec<u8>) -> Read<bool> {
        let opened = self.source.offset();
        self.source.bump();
        let mut expands = false;
        loop {
            match self.source.peek() {
                None => return self.unclosed("\"", opened, "\""),
                Some(b'"') => {
                    self.source.bump();
                    return Ok(expands);
                }
                Some(b) => expands |= self.quoted_byte(b, Quoting::Double, text)?,
            }
        }
    }
}
