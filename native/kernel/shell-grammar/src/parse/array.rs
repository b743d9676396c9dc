//! Assignments of bash: to elements of arrays, and of whole arrays.

use super::simple::Target;
use super::token::{Operator, Token};
use super::word::Until;
use super::{Parsed, Parser};
use crate::Dialect;
use crate::ast::{Assign, Assigned, Bytes, Element, Part, Word, in_name, starts_name};

/// How far the `]` of an index may be from its `[`. What is further away is no index, so that looking for it takes a
/// bounded time for each word.
const LONGEST_INDEX: usize = 1024;

impl Parser {
    /// The word as an assignment, or the word itself.
    pub(super) fn assignment(&mut self, word: Word) -> Parsed<Result<Assign, Word>> {
        let at = word.at;
        let plain = word.parts.len() == 1;
        let (Target { name, index, append }, value) = match word.into_target() {
            Ok(target) => target,
            Err(word) => return Ok(Err(word)),
        };
        if index.is_some() {
            self.only_bash("name[index]=value")?;
        }
        if append {
            self.only_bash("+=")?;
        }
        let opens = value.parts.is_empty() && self.ahead.is_none() && self.input.raw() == Some(b'(');
        if !opens || !(plain || index.is_some()) {
            let value = Assigned::Word(Word { at, ..value });
            return Ok(Ok(Assign {
                name,
                index,
                append,
                value,
            }));
        }
        if !self.is_bash() {
            self.peek()?;
            return Err(self.fault(Dialect::refuses("name=(..)")));
        }
        if index.is_some() {
            return Err(self.fault("an array cannot be an element of another"));
        }
        let value = Assigned::Array(self.array()?);
        Ok(Ok(Assign {
            name,
            index,
            append,
            value,
        }))
    }

    /// `( .. )` behind `name=`.
    fn array(&mut self) -> Parsed<Vec<Element>> {
        let opener = self.input.place();
        self.input.skip();
        let around = std::mem::replace(&mut self.in_array, true);
        let elements = self.nested(Parser::elements).map_err(|fault| fault.opened_at(opener));
        self.in_array = around;
        self.after_word = true;
        elements
    }

    fn elements(&mut self) -> Parsed<Vec<Element>> {
        let mut elements = Vec::new();
        loop {
            let word = match self.take()? {
                Token::Newline => continue,
                Token::Operator(Operator::CloseParen) => return Ok(elements),
                Token::Word(word) => word,
                other => return Err(self.unexpected_token(&other)),
            };
            self.takes(size_of::<Element>())?;
            elements.push(match word.index {
                None => Element {
                    index: None,
                    append: false,
                    value: self.braces(word)?,
                },
                Some(_) => match word.into_target() {
                    Ok((target, value)) => Element {
                        index: target.index,
                        append: target.append,
                        value,
                    },
                    Err(word) => Element {
                        index: None,
                        append: false,
                        value: word,
                    },
                },
            });
        }
    }

    /// The beginning of a word that is `name[index]=`: its parts, up to the bracket, and how many the index has.
    pub(super) fn indexed(&mut self) -> Parsed<Option<(Vec<Part>, usize)>> {
        let Some(length) = self.index_ahead() else {
            return Ok(None);
        };
        let mut name = Bytes::new();
        for _ in 0..=length {
            name.extend(self.input.take_raw());
        }
        let mut parts = vec![Part::Literal(name)];
        let index = self.nested(|parser| parser.parts(Until::Bracket))?;
        let count = index.len();
        parts.extend(index);
        // A literal of its own, which the rest of the word goes on with.
        parts.push(Part::Literal(b"]".to_vec()));
        Ok(Some((parts, count)))
    }

    /// How long the name is, if `name[..]=` follows.
    fn index_ahead(&self) -> Option<usize> {
        let byte = |at: usize| self.input.raw_at(at);
        let mut length = 0;
        match byte(0)? {
            first if starts_name(first) => {
                while byte(length).is_some_and(in_name) {
                    length += 1;
                }
            }
            b'[' if self.in_array => {}
            _ => return None,
        }
        if byte(length) != Some(b'[') {
            return None;
        }
        let mut at = length + 1;
        let mut open = 0usize;
        while at - length < LONGEST_INDEX {
            match byte(at)? {
                b'\n' => return None,
                b'\\' => at += 1,
                quote @ (b'\'' | b'"') => {
                    at += 1;
                    while at - length < LONGEST_INDEX && byte(at)? != quote {
                        at += 1 + usize::from(quote == b'"' && byte(at) == Some(b'\\'));
                    }
                }
                b'[' => open += 1,
                b']' if open > 0 => open -= 1,
                b']' => {
                    let assigns =
                        byte(at + 1) == Some(b'=') || (byte(at + 1) == Some(b'+') && byte(at + 2) == Some(b'='));
                    return assigns.then_some(length);
                }
                // An argument ends at a blank; an assignment does not, if it is bash's.
                b' ' | b'\t' | b';' | b'|' | b'&' if !self.is_bash() || (self.after_word && !self.in_array) => {
                    return None;
                }
                _ => {}
            }
            at += 1;
        }
        None
    }
}
