//! Words and what they are made of: quoting, and where substitutions begin.

use super::input::Inner;
use super::token::is_operator;
use super::{Parsed, Parser};
use crate::ast::{Bytes, Part, Word};

/// What ends the text that is being read, and what quoting means in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// A blank, a newline or an operator.
    WordEnd,
    /// `"`.
    DoubleQuote,
    /// `}`, with the quoting of a word.
    Brace,
    /// `}`, inside double quotes or a here-document.
    QuotedBrace { here: bool },
    /// `:` or `}` outside parentheses: the offset of a slice.
    Slice,
    /// `/` or `}`: the pattern to replace.
    Slash,
    /// `))`.
    Arithmetic,
    /// The end of the text: a here-document.
    Here,
}

impl Until {
    /// Single quotes are text, and a backslash only counts before what it can protect.
    fn is_double(self) -> bool {
        !matches!(self, Until::WordEnd | Until::Brace | Until::Slash)
    }

    /// Double quotes are text.
    fn is_here(self) -> bool {
        matches!(self, Until::Here | Until::QuotedBrace { here: true })
    }
}

/// Parts being put together: neighbouring text is one part.
#[derive(Default)]
struct Parts(Vec<Part>);

impl Parts {
    fn literal(&mut self, byte: u8) {
        match self.0.last_mut() {
            Some(Part::Literal(text)) => text.push(byte),
            _ => self.0.push(Part::Literal(vec![byte])),
        }
    }

    fn quoted(&mut self, byte: u8) {
        match self.0.last_mut() {
            Some(Part::Quoted(text)) => text.push(byte),
            _ => self.0.push(Part::Quoted(vec![byte])),
        }
    }

    fn text(&mut self, byte: u8, until: Until) {
        match until.is_double() {
            true => self.quoted(byte),
            false => self.literal(byte),
        }
    }
}

impl Parser {
    pub(super) fn word(&mut self) -> Parsed<Word> {
        let mut word = Word::new(self.parts(Until::WordEnd)?);
        self.takes(size_of::<Word>())?;
        word.find_tilde();
        Ok(word)
    }

    /// The text up to where it ends. A closing character is passed, a word's end is not.
    pub(super) fn parts(&mut self, until: Until) -> Parsed<Vec<Part>> {
        let parts = self.parts_until(until)?;
        // Each part has a little text of its own.
        self.takes(parts.len() * 2 * size_of::<Part>())?;
        Ok(parts)
    }

    fn parts_until(&mut self, until: Until) -> Parsed<Vec<Part>> {
        let mut parts = Parts::default();
        let mut open = 0usize;
        loop {
            let Some(byte) = self.input.peek() else {
                return match until {
                    Until::WordEnd | Until::Here => Ok(parts.0),
                    Until::DoubleQuote => Err(self.unfinished("unterminated quoted string")),
                    Until::Arithmetic => Err(self.unfinished("missing '))'")),
                    _ => Err(self.unfinished("missing '}'")),
                };
            };
            match (until, byte) {
                (Until::WordEnd, b' ' | b'\t' | b'\n') => return Ok(parts.0),
                (Until::WordEnd, _) if is_operator(byte) => return Ok(parts.0),
                (Until::DoubleQuote, b'"')
                | (Until::Brace | Until::QuotedBrace { .. } | Until::Slice | Until::Slash, b'}') => {
                    // A slice and a pattern tell the two ends apart by what is left standing.
                    if !matches!(until, Until::Slice | Until::Slash) {
                        self.input.skip();
                    }
                    return Ok(parts.0);
                }
                (Until::Slash, b'/') if !parts.0.is_empty() => return Ok(parts.0),
                (Until::Slice, b':') if open == 0 => return Ok(parts.0),
                (Until::Arithmetic, b')') if open == 0 => {
                    self.input.skip();
                    if !self.input.eat(b')') {
                        return Err(self.fault("missing '))'"));
                    }
                    return Ok(parts.0);
                }
                (Until::Arithmetic | Until::Slice, b'(') => {
                    open += 1;
                    self.input.skip();
                    parts.quoted(byte);
                }
                (Until::Arithmetic | Until::Slice, b')') => {
                    open = open.saturating_sub(1);
                    self.input.skip();
                    parts.quoted(byte);
                }
                (_, b'\\') => self.backslash(&mut parts, until)?,
                (_, b'\'') if !until.is_double() => {
                    self.input.skip();
                    let text = self.single_quoted()?;
                    parts.0.push(Part::Quoted(text));
                }
                // In arithmetic, double quotes do nothing.
                (Until::Arithmetic | Until::Slice, b'"') => self.input.skip(),
                (_, b'"') if !until.is_here() => {
                    self.input.skip();
                    let inside = self.nested(|parser| parser.parts(Until::DoubleQuote))?;
                    parts.0.push(Part::Double(inside));
                }
                (_, b'$') => self.dollar(&mut parts, until)?,
                (_, b'`') => {
                    self.input.skip();
                    let list = self.backquoted(until)?;
                    parts.0.push(list);
                }
                _ => {
                    self.input.skip();
                    parts.text(byte, until);
                }
            }
        }
    }

    fn backslash(&mut self, parts: &mut Parts, until: Until) -> Parsed<()> {
        self.input.skip();
        let protects = match self.input.raw() {
            None => false,
            Some(b'$' | b'`' | b'\\') => true,
            Some(b'"') => !until.is_here(),
            Some(b'}') => matches!(until, Until::QuotedBrace { .. }) || !until.is_double(),
            Some(_) => !until.is_double(),
        };
        match self.input.raw().filter(|_| protects) {
            Some(byte) => {
                self.input.skip();
                parts.quoted(byte);
            }
            None => parts.quoted(b'\\'),
        }
        Ok(())
    }

    fn single_quoted(&mut self) -> Parsed<Bytes> {
        let mut text = Bytes::new();
        loop {
            match self.input.take_raw() {
                None => return Err(self.unfinished("unterminated quoted string")),
                Some(b'\'') => return Ok(text),
                Some(byte) => text.push(byte),
            }
        }
    }

    fn dollar(&mut self, parts: &mut Parts, until: Until) -> Parsed<()> {
        let opener = self.input.place();
        self.input.skip();
        match self.input.peek() {
            Some(b'(') => {
                self.input.skip();
                let part = self
                    .nested(Parser::parenthesised)
                    .map_err(|fault| fault.opened_at(opener))?;
                parts.0.push(part);
            }
            Some(b'{') => {
                self.input.skip();
                let parameter = self.nested(|parser| parser.braced(until))?;
                parts.0.push(Part::Parameter(Box::new(parameter)));
            }
            Some(b'\'') if !until.is_double() => {
                self.input.skip();
                let text = self.ansi_quoted()?;
                parts.0.push(Part::Quoted(text));
            }
            _ => match self.short_parameter() {
                Some(parameter) => parts.0.push(Part::Parameter(Box::new(parameter))),
                None => parts.text(b'$', until),
            },
        }
        Ok(())
    }

    /// Behind `$(`: arithmetic or commands.
    fn parenthesised(&mut self) -> Parsed<Part> {
        if self.input.peek() == Some(b'(') && self.looks_arithmetic()? {
            self.input.skip();
            return Ok(Part::Arithmetic(self.parts(Until::Arithmetic)?));
        }
        // Here-documents of the line around begin where that line ends.
        let outer = std::mem::take(&mut self.pending);
        let list = self.list_until_close()?;
        self.pending.splice(0..0, outer);
        Ok(Part::Command(list))
    }

    /// Whether the parenthesis behind `$(` is closed by `))`.
    fn looks_arithmetic(&self) -> Parsed<bool> {
        let text = self.input.ahead();
        let mut open = 0usize;
        let mut at = 1;
        while let Some(byte) = text.get(at) {
            match byte {
                b'\\' => at += 1,
                b'\'' | b'"' | b'`' => {
                    at += 1;
                    while text.get(at).is_some_and(|next| next != byte) {
                        at += 1 + usize::from(*byte != b'\'' && text[at] == b'\\');
                    }
                }
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' => {
                    let mut rest = &text[at + 1..];
                    while let Some(behind) = rest.strip_prefix(b"\\\n") {
                        rest = behind;
                    }
                    return Ok(rest.first() == Some(&b')'));
                }
                _ => {}
            }
            at += 1;
        }
        // Neither the one nor the other is closed.
        Err(self.unfinished("missing ')'"))
    }

    /// Behind a backquote: up to the one that is not escaped. What is left of the backslashes is read again.
    fn backquoted(&mut self, until: Until) -> Parsed<Part> {
        let line = self.input.line;
        let opener = self.input.place().saturating_sub(1);
        let mut text = Inner::default();
        loop {
            let place = self.input.place();
            match self.input.take_raw() {
                None => return Err(self.unfinished("missing '`'")),
                Some(b'`') => break,
                Some(b'\\') => match self.input.raw() {
                    Some(byte @ (b'$' | b'`' | b'\\')) => {
                        self.input.skip();
                        text.push(byte, place + 1);
                    }
                    Some(b'"') if until.is_double() => {
                        self.input.skip();
                        text.push(b'"', place + 1);
                    }
                    _ => text.push(b'\\', place),
                },
                Some(byte) => text.push(byte, place),
            }
        }
        let mut inner = self.inner(text, line)?;
        let list = self.nested(|_| inner.whole().map_err(|fault| fault.opened_at(opener).finished()))?;
        self.takes(inner.take_size())?;
        Ok(Part::Command(list))
    }

    /// Behind `$'`.
    fn ansi_quoted(&mut self) -> Parsed<Bytes> {
        let mut raw = Bytes::new();
        loop {
            match self.input.take_raw() {
                None => return Err(self.unfinished("unterminated quoted string")),
                Some(b'\'') => return Ok(crate::escape::ansi(&raw)),
                Some(b'\\') => {
                    raw.push(b'\\');
                    raw.extend(self.input.take_raw());
                }
                Some(byte) => raw.push(byte),
            }
        }
    }
}
