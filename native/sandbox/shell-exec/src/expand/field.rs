//! Fields while they are being put together: each byte knows where it came from.

use super::pattern::{Pattern, Style};
use crate::Error;
use crate::ast::Bytes;
use crate::meter::{Held, Meter};
use std::sync::Arc;

/// Where a byte came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Written without quotes: wildcards count.
    Literal,
    /// Quoted: nothing counts.
    Quoted,
    /// Expanded without quotes: it is split at separators, and wildcards count.
    Split,
    /// No byte at all, but something that was quoted stood here, so there is a field.
    Present,
}

#[derive(Debug, Default)]
pub(crate) struct Field {
    text: Bytes,
    marks: Vec<Mark>,
}

impl Field {
    pub fn push(&mut self, byte: u8, mark: Mark) {
        self.text.push(byte);
        self.marks.push(mark);
    }

    /// Its bytes.
    pub fn into_text(self) -> Bytes {
        if !self.marks.contains(&Mark::Present) {
            return self.text;
        }
        self.bytes().map(|(byte, _)| byte).collect()
    }

    pub fn bytes(&self) -> impl Iterator<Item = (u8, Mark)> {
        self.text
            .iter()
            .copied()
            .zip(self.marks.iter().copied())
            .filter(|(_, mark)| *mark != Mark::Present)
    }

    pub fn pattern(&self, style: Style) -> Pattern {
        let (text, quoted): (Bytes, Vec<bool>) = self.bytes().map(|(byte, mark)| (byte, mark == Mark::Quoted)).unzip();
        Pattern::new(&text, &quoted, style)
    }

    /// Whether it may name files by a pattern.
    pub fn has_wildcard(&self) -> bool {
        may_match(
            self.bytes()
                .filter(|(_, mark)| *mark != Mark::Quoted)
                .map(|(byte, _)| byte),
        )
    }

    /// Splits it at separators.
    pub fn split(self, separators: &Separators) -> Vec<Field> {
        if !self.marks.contains(&Mark::Split) {
            return vec![self];
        }
        let is = |at: usize, class: Class| {
            self.marks.get(at) == Some(&Mark::Split) && separators.class(self.text[at]) == Some(class)
        };
        let mut fields = Vec::new();
        let mut current: Option<Field> = None;
        let mut at = 0;
        while at < self.text.len() {
            if !is(at, Class::Blank) && !is(at, Class::Other) {
                current.get_or_insert_default().push(self.text[at], self.marks[at]);
                at += 1;
                continue;
            }
            while is(at, Class::Blank) {
                at += 1;
            }
            let other = is(at, Class::Other);
            if other {
                at += 1;
                while is(at, Class::Blank) {
                    at += 1;
                }
                fields.push(current.take().unwrap_or_default());
            } else {
                fields.extend(current.take());
            }
        }
        fields.extend(current);
        fields
    }
}

/// Whether text can be a pattern. A bracket that is not closed, such as the command `[`, stands for itself.
pub(crate) fn may_match(text: impl IntoIterator<Item = u8>) -> bool {
    let mut open = false;
    let mut before = 0;
    text.into_iter().any(|byte| {
        open |= byte == b'[';
        let group = byte == b'(' && matches!(before, b'+' | b'@' | b'!');
        before = byte;
        matches!(byte, b'*' | b'?') || (open && byte == b']') || group
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// White space: any number of it separates once.
    Blank,
    /// Each one separates.
    Other,
}

/// The value of `IFS`.
pub(crate) struct Separators(Bytes);

impl Separators {
    /// Unset, it is space, tab and newline.
    pub fn new(ifs: Option<&[u8]>) -> Separators {
        Separators(ifs.unwrap_or(b" \t\n").to_vec())
    }

    pub fn class(&self, byte: u8) -> Option<Class> {
        self.0.contains(&byte).then_some(match byte {
            b' ' | b'\t' | b'\n' => Class::Blank,
            _ => Class::Other,
        })
    }

    /// What `"$*"` puts between parameters.
    pub fn joiner(&self) -> &[u8] {
        let text = &self.0;
        let length = text
            .utf8_chunks()
            .next()
            .and_then(|chunk| chunk.valid().chars().next())
            .map_or(1, char::len_utf8);
        &text[..length.min(text.len())]
    }
}

/// Fields being made, and the memory they take.
pub(crate) struct Fields {
    done: Vec<Field>,
    current: Option<Field>,
    held: Held,
}

impl Fields {
    pub fn new(meter: &Arc<Meter>) -> Result<Fields, Error> {
        Ok(Fields {
            done: Vec::new(),
            current: None,
            held: meter.memory(0)?,
        })
    }

    pub fn push(&mut self, text: &[u8], mark: Mark) -> Result<(), Error> {
        self.held.grow(text.len() * 2)?;
        self.held.meter().copied(text.len())?;
        if text.is_empty() {
            return Ok(());
        }
        let field = self.current.get_or_insert_default();
        field.text.extend_from_slice(text);
        field.marks.resize(field.text.len(), mark);
        Ok(())
    }

    /// There is a field here, even if nothing is in it.
    pub fn present(&mut self) {
        self.current.get_or_insert_default().push(0, Mark::Present);
    }

    /// What follows is another field.
    pub fn next(&mut self) -> Result<(), Error> {
        self.held.grow(size_of::<Field>())?;
        self.held.meter().copied(size_of::<Field>())?;
        self.done.extend(self.current.take());
        Ok(())
    }

    /// The fields, and the memory to hold while they live.
    pub fn finish(mut self) -> (Vec<Field>, Held) {
        self.done.extend(self.current.take());
        (self.done, self.held)
    }

    /// All of it as one field.
    pub fn one(self) -> (Field, Held) {
        let (fields, held) = self.finish();
        let mut one = Field::default();
        for field in fields {
            one.text.extend(field.text);
            one.marks.extend(field.marks);
        }
        (one, held)
    }
}
