//! The input as items.

use crate::options::{Options, Split};
use std::io::{BufRead, Bytes};

/// One argument to be.
pub struct Item {
    pub bytes: Vec<u8>,
    /// It is the last one of its input line.
    pub ends_line: bool,
}

/// The items of `source`, read as they are asked for.
pub fn items<R: BufRead>(options: &Options, source: R) -> Items<R> {
    Items {
        bytes: source.bytes(),
        ahead: None,
        split: options.split,
        end: options.end.clone(),
        over: false,
    }
}

pub struct Items<R> {
    bytes: Bytes<R>,
    /// A byte that was read too early.
    ahead: Option<u8>,
    split: Split,
    end: Option<Vec<u8>>,
    over: bool,
}

impl<R: BufRead> Iterator for Items<R> {
    type Item = Result<Item, String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let item = match self.split {
            Split::Byte(delimiter) => self.delimited(delimiter),
            Split::Words => self.word(),
            Split::Lines => self.line(),
        };
        let ended = |item: &Item| self.split == Split::Words && self.end.as_ref() == Some(&item.bytes);
        match item {
            Ok(Some(item)) if !ended(&item) => Some(Ok(item)),
            Ok(_) => {
                self.over = true;
                None
            }
            Err(error) => {
                self.over = true;
                Some(Err(error))
            }
        }
    }
}

impl<R: BufRead> Items<R> {
    fn byte(&mut self) -> Result<Option<u8>, String> {
        match self.ahead.take() {
            Some(byte) => Ok(Some(byte)),
            None => self.bytes.next().transpose().map_err(|error| error.to_string()),
        }
    }

    fn delimited(&mut self, delimiter: u8) -> Result<Option<Item>, String> {
        let mut bytes = Vec::new();
        loop {
            match self.byte()? {
                Some(byte) if byte == delimiter => break,
                Some(byte) => bytes.push(byte),
                None if bytes.is_empty() => return Ok(None),
                None => break,
            }
        }
        Ok(Some(Item { bytes, ends_line: true }))
    }

    fn word(&mut self) -> Result<Option<Item>, String> {
        let Some(mut byte) = self.skip(|byte| byte.is_ascii_whitespace())? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        loop {
            if byte == b'\n' {
                return Ok(Some(Item { bytes, ends_line: true }));
            }
            if is_blank(byte) {
                break;
            }
            self.push(byte, &mut bytes)?;
            match self.byte()? {
                Some(next) => byte = next,
                None => return Ok(Some(Item { bytes, ends_line: true })),
            }
        }
        // A blank at the end of a line continues it (-L), so the line goes on whatever comes next.
        self.ahead = self.skip(is_blank)?;
        Ok(Some(Item {
            bytes,
            ends_line: false,
        }))
    }

    /// The rest of a line without its leading blanks; an empty line is none.
    fn line(&mut self) -> Result<Option<Item>, String> {
        let Some(mut byte) = self.skip(|byte| byte.is_ascii_whitespace())? else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        while byte != b'\n' {
            self.push(byte, &mut bytes)?;
            match self.byte()? {
                Some(next) => byte = next,
                None => break,
            }
        }
        Ok(Some(Item { bytes, ends_line: true }))
    }

    fn skip(&mut self, unwanted: impl Fn(u8) -> bool) -> Result<Option<u8>, String> {
        loop {
            match self.byte()? {
                Some(byte) if unwanted(byte) => {}
                other => return Ok(other),
            }
        }
    }

    /// Adds a byte to an item, or what it quotes.
    fn push(&mut self, byte: u8, bytes: &mut Vec<u8>) -> Result<(), String> {
        match byte {
            b'\\' => match self.byte()? {
                Some(quoted) => bytes.push(quoted),
                None => return Err("backslash at EOF".into()),
            },
            b'\'' | b'"' => loop {
                match self.byte()? {
                    Some(end) if end == byte => break,
                    Some(b'\n') | None => return Err(unmatched(byte)),
                    Some(quoted) => bytes.push(quoted),
                }
            },
            _ => bytes.push(byte),
        }
        Ok(())
    }
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn unmatched(quote: u8) -> String {
    let kind = if quote == b'"' { "double" } else { "single" };
    format!("unmatched {kind} quote; by default quotes are special to xargs unless you use the -0 option")
}
