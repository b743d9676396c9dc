//! Here-documents: their bodies follow the line they begin on.

use super::input::Inner;
use super::word::Until;
use super::{Fault, Parsed, Parser};
use crate::ast::{Bytes, Part, Word};
use std::sync::{Arc, OnceLock};

pub(super) struct Pending {
    delimiter: Bytes,
    /// The delimiter was quoted, so the body is as it stands.
    quoted: bool,
    /// Leading tabs go.
    strip: bool,
    body: Arc<OnceLock<Word>>,
}

impl Parser {
    pub(super) fn here_document(&mut self, delimiter: Word, strip: bool) -> Arc<OnceLock<Word>> {
        let body = Arc::default();
        let quoted = delimiter.literal().is_none();
        let mut text = Bytes::new();
        delimiter.parts.iter().for_each(|part| source(part, &mut text));
        self.pending.push(Pending {
            delimiter: text,
            quoted,
            strip,
            body: Arc::clone(&body),
        });
        body
    }

    /// Behind a newline: the bodies that were promised on the line before.
    pub(super) fn here_bodies(&mut self) -> Parsed<()> {
        for pending in std::mem::take(&mut self.pending) {
            let line = self.input.line;
            let text = self.here_text(&pending)?;
            let parts = match pending.quoted {
                true => vec![Part::Quoted(text.bytes)],
                false => {
                    let mut inner = self.inner(text, line)?;
                    let parts = self.nested(|_| inner.parts(Until::Here).map_err(Fault::finished))?;
                    self.takes(inner.take_size())?;
                    parts
                }
            };
            // Each body is read once.
            let _ = pending.body.set(Word::new(parts));
        }
        Ok(())
    }

    fn here_text(&mut self, pending: &Pending) -> Parsed<Inner> {
        let mut text = Inner::default();
        // The line as it reads once continuations are joined: that is what the delimiter is compared with.
        let mut joined = Bytes::new();
        let mut line_start = 0;
        let mut continued = false;
        while self.input.raw().is_some() {
            if pending.strip && !continued {
                while self.input.raw() == Some(b'\t') {
                    self.input.skip();
                }
            }
            let from = text.bytes.len();
            let mut place = self.input.place();
            while let Some(byte) = self.input.take_raw().filter(|byte| *byte != b'\n') {
                text.push(byte, place);
                place = self.input.place();
            }
            let line = &text.bytes[from..];
            let backslashes = line.iter().rev().take_while(|byte| **byte == b'\\').count();
            continued = !pending.quoted && backslashes % 2 == 1;
            joined.extend(&line[..line.len() - usize::from(continued)]);
            if !continued {
                if joined == pending.delimiter {
                    text.truncate(line_start);
                    return Ok(text);
                }
                joined.clear();
            }
            text.push(b'\n', place);
            if !continued {
                line_start = text.bytes.len();
            }
        }
        match self.partial {
            true => Err(self.unfinished("here-document without its end")),
            false => Ok(text),
        }
    }
}

/// A delimiter is not expanded: what it would expand stands for itself.
fn source(part: &Part, into: &mut Bytes) {
    match part {
        Part::Literal(text) | Part::Quoted(text) => into.extend(text),
        Part::Double(parts) => parts.iter().for_each(|part| source(part, into)),
        Part::Tilde(user) => {
            into.push(b'~');
            into.extend(user);
        }
        Part::Parameter(parameter) => {
            into.push(b'$');
            match &parameter.name {
                crate::ast::Name::Variable(name) => into.extend(name),
                crate::ast::Name::Positional(number) => into.extend(number.to_string().bytes()),
                crate::ast::Name::Special(byte) => into.push(*byte),
            }
        }
        Part::Command(_)
        | Part::Arithmetic(_)
        | Part::Process { .. }
        | Part::Array(_)
        | Part::Braces(_)
        | Part::Sequence(_) => {}
    }
}
