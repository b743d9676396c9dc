//! Words and what they are made of: quoting, and where substitutions begin.

use super::input::Inner;
use super::token::is_operator;
use super::{Parsed, Parser};
use crate::ast::{Bytes, List, Part, Word};

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
    /// `;` outside parentheses: a part of `for ((..))`.
    Semicolon,
    /// `]` outside brackets, which is passed: an index.
    Bracket,
    /// `)` outside parentheses: an extended pattern.
    Group,
    /// A blank or a newline outside parentheses: the expression behind `=~`.
    Regex,
    /// The end of the text: a here-document.
    Here,
}

impl Until {
    /// Single quotes are text, and a backslash only counts before what it can protect.
    fn is_double(self) -> bool {
        !matches!(
            self,
            Until::WordEnd | Until::Brace | Until::Slash | Until::Bracket | Until::Group | Until::Regex
        )
    }

    /// The operators of patterns count.
    fn has_patterns(self) -> bool {
        matches!(self, Until::WordEnd | Until::Brace | Until::Slash | Until::Group)
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
        let indexed = self.indexed()?;
        let index = indexed.as_ref().map(|(_, count)| *count);
        let mut parts = Parts(indexed.map(|(parts, _)| parts).unwrap_or_default());
        self.add_parts(Until::WordEnd, &mut parts)?;
        let mut word = Word::new(parts.0);
        self.takes(size_of::<Word>() + word.parts.len() * 2 * size_of::<Part>())?;
        word.index = index;
        if index.is_none() {
            word.find_tilde();
        }
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
        self.add_parts(until, &mut parts)?;
        Ok(parts.0)
    }

    fn add_parts(&mut self, until: Until, parts: &mut Parts) -> Parsed<()> {
        let mut open = 0usize;
        loop {
            let Some(byte) = self.input.peek() else {
                return match until {
                    Until::WordEnd | Until::Here | Until::Regex => Ok(()),
                    Until::DoubleQuote => Err(self.unfinished("unterminated quoted string")),
                    Until::Arithmetic | Until::Semicolon => Err(self.unfinished("missing '))'")),
                    Until::Bracket => Err(self.unfinished("missing ']'")),
                    Until::Group => Err(self.unfinished("missing ')'")),
                    _ => Err(self.unfinished("missing '}'")),
                };
            };
            match (until, byte) {
                (Until::WordEnd, b' ' | b'\t' | b'\n') => return Ok(()),
                (Until::WordEnd, b'<' | b'>') if self.is_bash() && self.input.peek_at(1) == Some(b'(') => {
                    let opener = self.input.place();
                    self.input.skip();
                    self.input.skip();
                    let list = self.nested(Parser::commands_inside);
                    let list = list.map_err(|fault| fault.opened_at(opener))?;
                    parts.0.push(Part::Process {
                        input: byte == b'<',
                        list,
                    });
                }
                (Until::WordEnd, _) if is_operator(byte) => return Ok(()),
                (Until::Regex, b' ' | b'\t' | b'\n' | b';' | b'&' | b'<' | b'>') if open == 0 => return Ok(()),
                (Until::Regex, b')') if open == 0 => return Ok(()),
                (Until::Semicolon, b';') if open == 0 => return Ok(()),
                (Until::Bracket, b']') | (Until::Group, b')') if open == 0 => {
                    self.input.skip();
                    return Ok(());
                }
                (Until::Bracket, b'[') | (Until::Group | Until::Regex | Until::Semicolon, b'(') => {
                    open += 1;
                    self.input.skip();
                    parts.text(byte, until);
                }
                (Until::Bracket, b']') | (Until::Group | Until::Regex | Until::Semicolon, b')') => {
                    open = open.saturating_sub(1);
                    self.input.skip();
                    parts.text(byte, until);
                }
                (_, b'?' | b'*' | b'+' | b'@' | b'!')
                    if self.is_bash()
                        && until.has_patterns()
                        && self.input.peek_at(1) == Some(b'(')
                        && (byte != b'!' || !parts.0.is_empty() || self.after_word || until != Until::WordEnd) =>
                {
                    self.input.skip();
                    self.input.skip();
                    parts.literal(byte);
                    parts.literal(b'(');
                    let inside = self.nested(|parser| parser.parts(Until::Group))?;
                    parts.0.extend(inside);
                    parts.literal(b')');
                }
                (Until::DoubleQuote, b'"')
                | (Until::Brace | Until::QuotedBrace { .. } | Until::Slice | Until::Slash, b'}') => {
                    // A slice and a pattern tell the two ends apart by what is left standing.
                    if !matches!(until, Until::Slice | Until::Slash) {
                        self.input.skip();
                    }
                    return Ok(());
                }
                (Until::Slash, b'/') if !parts.0.is_empty() => return Ok(()),
                (Until::Slice, b':') if open == 0 => return Ok(()),
                (Until::Arithmetic, b')') if open == 0 => {
                    self.input.skip();
                    if !self.input.eat(b')') {
                        return Err(self.fault("missing '))'"));
                    }
                    return Ok(());
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
                (_, b'\\') => self.backslash(parts, until)?,
                (_, b'\'') if !until.is_double() => {
                    self.input.skip();
                    let text = self.single_quoted()?;
                    parts.0.push(Part::Quoted(text));
                }
                // In arithmetic, double quotes do nothing.
                (Until::Arithmetic | Until::Semicolon | Until::Slice, b'"') => self.input.skip(),
                (_, b'"') if !until.is_here() => {
                    self.input.skip();
                    let inside = self.nested(|parser| parser.parts(Until::DoubleQuote))?;
                    parts.0.push(Part::Double(inside));
                }
                (_, b'$') => self.dollar(parts, until)?,
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
        // What follows may have a meaning of its own in a regular expression.
        if until == Until::Regex
            && let Some(byte) = self.input.raw().filter(u8::is_ascii_alphanumeric)
        {
            self.input.skip();
            parts.literal(b'\\');
            parts.literal(byte);
            return Ok(());
        }
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
            // A text to translate; there is nothing to translate it with.
            Some(b'"') if self.is_bash() && !until.is_double() => {}
            Some(b'[') if self.is_bash() => {
                self.input.skip();
                let parts_inside = self.nested(|parser| parser.parts(Until::Bracket))?;
                parts.0.push(Part::Arithmetic(parts_inside));
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
        self.commands_inside().map(Part::Command)
    }

    /// Commands in a word, up to `)`.
    fn commands_inside(&mut self) -> Parsed<List> {
        // Here-documents of the line around begin where that line ends.
        let outer = std::mem::take(&mut self.pending);
        let in_array = std::mem::replace(&mut self.in_array, false);
        let after_word = std::mem::replace(&mut self.after_word, false);
        let list = self.list_until_close();
        self.in_array = in_array;
        self.after_word = after_word;
        let list = list?;
        self.pending.splice(0..0, outer);
        Ok(list)
    }

    /// Whether the parenthesis behind `$(` is closed by `))`.
    pub(super) fn looks_arithmetic(&self) -> Parsed<bool> {
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
