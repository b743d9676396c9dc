//! Reserved words, operators and the space between them.

use super::SyntaxError;
use super::grammar::{Parser, Read};

/// Words with a meaning of their own where a command may start.
const RESERVED: [&str; 16] = [
    "!", "{", "}", "case", "do", "done", "elif", "else", "esac", "fi", "for", "if", "in", "then", "until", "while",
];
impl Parser<'_> {
    /// The reserved word at the reader, if there is one.
    pub(super) fn reserved(&mut self) -> Option<&'static str> {
        self.source.peek();
        let mut at = self.source.at;
        let mut word = [0; 5];
        for length in 0..=word.len() {
            match self.source.byte(at) {
                Some(b) if !ends_word(b) => *word.get_mut(length)? = b,
                _ => {
                    return RESERVED.into_iter().find(|r| r.as_bytes() == &word[..length]);
                }
            }
            at = self.source.joined(at + 1);
        }
        None
    }

    pub(super) fn eat_reserved(&mut self, wanted: &str) -> bool {
        let found = self.reserved() == Some(wanted);
        if found {
            for _ in wanted.bytes() {
                self.source.peek();
                self.source.bump();
            }
        }
        found
    }

    /// Takes the reserved word that must stand here.
    pub(super) fn close(&mut self, opener: &str, opened: usize, wanted: &str) -> Read {
        self.blanks();
        match self.eat_reserved(wanted) {
            true => Ok(()),
            false if self.source.peek().is_none() => self.unclosed(opener, opened, wanted),
            false => self.unexpected(),
        }
    }

    /// Takes the `)` that must stand here.
    pub(super) fn close_paren(&mut self, opener: &str, opened: usize) -> Read {
        self.blanks();
        match self.source.eat(b')') {
            true => Ok(()),
            false if self.source.peek().is_none() => self.unclosed(opener, opened, ")"),
            false => self.unexpected(),
        }
    }

    pub(super) fn unclosed<T>(&self, opener: &str, opened: usize, wanted: &str) -> Read<T> {
        refuse(opened, format!("`{opener}` is never closed: expected `{wanted}`"))
    }

    /// Refuses what stands at the reader.
    pub(super) fn unexpected<T>(&mut self) -> Read<T> {
        let message = match self.source.peek() {
            None => "unexpected end of the script".into(),
            Some(b'\n') => "unexpected end of the line".into(),
            Some(_) => format!("unexpected `{}`", self.excerpt()),
        };
        let offset = self.source.offset();
        refuse(offset, message)
    }

    /// The operator or the word at the reader, cut to a length that fits into a message.
    fn excerpt(&mut self) -> String {
        let length = match (self.source.peek(), self.source.peek_second()) {
            (Some(b';'), Some(b';')) | (Some(b'&'), Some(b'&')) | (Some(b'|'), Some(b'|')) => 2,
            (Some(b), _) if ends_word(b) => 1,
            _ => 24,
        };
        let bytes: Vec<u8> = (self.source.at..)
            .map_while(|at| self.source.byte(at))
            .take(length)
            .enumerate()
            .take_while(|&(index, b)| length < 24 || index == 0 || !ends_word(b))
            .map(|(_, b)| b)
            .collect();
        // The cut may have gone through a character.
        String::from_utf8_lossy(&bytes)
            .trim_end_matches(char::REPLACEMENT_CHARACTER)
            .to_owned()
    }

    /// Skips blanks and a comment.
    pub(super) fn blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.source.peek() {
            self.source.bump();
        }
        if self.source.peek() == Some(b'#') {
            while !matches!(self.source.raw(), None | Some(b'\n')) {
                self.source.bump();
            }
        }
    }

    /// Skips blanks, comments and new lines, and reads the here-documents that start there.
    pub(super) fn line_breaks(&mut self) -> Read {
        self.blanks();
        while self.source.eat(b'\n') {
            self.here_documents()?;
            self.blanks();
        }
        Ok(())
    }
}

/// Bytes that end a word where they are not quoted.
pub(super) fn ends_word(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}

/// A script that goes wrong at an offset.
pub(super) fn refuse<T>(offset: usize, message: impl Into<String>) -> Read<T> {
    let message = message.into();
    Err(SyntaxError { offset, message })
}
