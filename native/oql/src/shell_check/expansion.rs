//! What `$` and backquotes start, in words, quotes and here-documents.

use super::grammar::{Parser, Read};
use super::source::Source;
use super::token::refuse;
use super::word::in_name;

/// What surrounds an expansion.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    None,
    Double,
    /// A here-document or arithmetic: like double quotes, but `"` is text.
    Document,
}

impl Parser<'_> {
    /// Reads a here-document's text to its end.
    pub(super) fn expansions(&mut self) -> Read {
        let mut text = Vec::new();
        while let Some(b) = self.source.peek() {
            self.quoted_byte(b, Quoting::Document, &mut text)?;
            text.clear();
        }
        Ok(())
    }

    /// Reads one byte, escape or expansion of quoted text; says whether it expands.
    pub(super) fn quoted_byte(&mut self, b: u8, quoting: Quoting, text: &mut Vec<u8>) -> Read<bool> {
        match b {
            b'$' | b'`' => return self.expansion(quoting, text),
            b'\\' => {
                self.source.bump();
                let escaped = self.source.raw();
                if !matches!(escaped, Some(b'$' | b'`' | b'"' | b'\\')) {
                    text.push(b'\\');
                }
                text.extend(escaped);
            }
            _ => text.push(b),
        }
        self.source.bump();
        Ok(false)
    }

    /// Reads what a `$` or a backquote starts; a `$` that starts nothing is text. Says whether it expands.
    pub(super) fn expansion(&mut self, quoting: Quoting, text: &mut Vec<u8>) -> Read<bool> {
        let opened = self.source.offset();
        if self.source.eat(b'`') {
            self.nested(|p| p.backquotes(opened, quoting))?;
            return Ok(true);
        }
        self.source.bump();
        match self.source.peek() {
            Some(b'(') => self.nested(|p| p.parentheses(opened))?,
            Some(b'{') => self.nested(|p| p.braces(opened, quoting))?,
            Some(b) if in_name(b) || is_special(b) => self.source.bump(),
            _ => {
                text.push(b'$');
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads `$(..)` and `$((..))`, from the first `(` on.
    fn parentheses(&mut self, opened: usize) -> Read {
        self.source.bump();
        if self.source.eat(b'(') {
            return self.arithmetic(opened);
        }
        // Its here-documents are its own.
        let outer = std::mem::take(&mut self.pending);
        self.list(true)?;
        self.close_paren("$(", opened)?;
        self.pending = outer;
        Ok(())
    }

    /// `$((` always starts arithmetic: a subshell first in a substitution is written `$( (`.
    fn arithmetic(&mut self, opened: usize) -> Read {
        let mut parens = 0;
        let mut text = Vec::new();
        loop {
            match self.source.peek() {
                None => return self.unclosed("$((", opened, "))"),
                Some(b')') if parens == 0 => {
                    return match self.source.eat_both(b"))") {
                        true => Ok(()),
                        false => self.unclosed("$((", opened, "))"),
                    };
                }
                Some(b) => {
                    match b {
                        b'(' => parens += 1,
                        b')' => parens -= 1,
                        _ => {}
                    }
                    self.quoted_byte(b, Quoting::Document, &mut text)?;
                    text.clear();
                }
            }
        }
    }

    /// Reads `${..}` from the `{` on. Whether its operator exists is found out when it runs.
    fn braces(&mut self, opened: usize, quoting: Quoting) -> Read {
        self.source.bump();
        if self.source.peek().is_some_and(is_special) {
            self.source.bump();
        }
        while self.source.peek().is_some_and(in_name) {
            self.source.bump();
        }
        if self.source.eat_both(b":}") {
            let message = "expected an operator after `:` in `${`";
            return refuse(opened, message);
        }
        // Patterns have quotes of their own, even in quoted text.
        let quoting = match self.source.peek() {
            Some(b'#' | b'%' | b'/') => Quoting::None,
            _ => quoting,
        };
        let mut text = Vec::new();
        loop {
            match self.source.peek() {
                None => return self.unclosed("${", opened, "}"),
                Some(b'}') => {
                    self.source.bump();
                    return Ok(());
                }
                Some(b'\'') if quoting == Quoting::None => self.single_quotes(&mut text)?,
                Some(b'$') if quoting == Quoting::None && self.source.peek_second() == Some(b'\'') => {
                    self.dollar_quotes(&mut text)?;
                }
                Some(b'"') => {
                    self.double_quotes(&mut text)?;
                }
                Some(b) => {
                    self.quoted_byte(b, quoting, &mut text)?;
                }
            }
            text.clear();
        }
    }

    /// Reads up to the closing backquote; the text inside loses one layer of backslashes first.
    fn backquotes(&mut self, opened: usize, quoting: Quoting) -> Read {
        let (mut bytes, mut offsets) = (Vec::new(), Vec::new());
        let end = loop {
            let offset = self.source.offset();
            let Some(mut b) = self.source.raw() else {
                return refuse(opened, "a backquote is never closed");
            };
            self.source.bump();
            match (b, self.source.raw()) {
                (b'`', _) => break offset,
                (b'\\', Some(escaped @ (b'$' | b'`' | b'\\'))) => {
                    b = escaped;
                    self.source.bump();
                }
                (b'\\', Some(b'"')) if quoting == Quoting::Double => {
                    b = b'"';
                    self.source.bump();
                }
                _ => {}
            }
            bytes.push(b);
            offsets.push(offset);
        };
        let mut inner = Parser::new(Source::copied(bytes, offsets, end), self.depth);
        inner.program()?;
        self.adopt(inner);
        Ok(())
    }
}

/// The parameters that are not names.
fn is_special(b: u8) -> bool {
    matches!(b, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}
