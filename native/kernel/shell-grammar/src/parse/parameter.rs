//! `$x` and `${x..}`.

use super::word::Until;
use super::{Parsed, Parser};
use crate::ast::{Bytes, End, Name, Op, Parameter, Replace, Test, Word, in_name, starts_name};

impl Parser {
    /// Behind `$`: a name, a digit or a special parameter.
    pub(super) fn short_parameter(&mut self) -> Option<Parameter> {
        let name = match self.input.peek()? {
            byte if starts_name(byte) => Name::Variable(self.name()),
            byte @ b'0'..=b'9' => {
                self.input.skip();
                Name::Positional(usize::from(byte - b'0'))
            }
            byte if is_special(byte) => {
                self.input.skip();
                Name::Special(byte)
            }
            _ => return None,
        };
        Some(Parameter { name, op: Op::Plain })
    }

    pub(super) fn name(&mut self) -> Bytes {
        let mut name = Bytes::new();
        while let Some(byte) = self.input.peek().filter(|byte| in_name(*byte)) {
            self.input.skip();
            name.push(byte);
        }
        name
    }

    /// Behind `${`.
    pub(super) fn braced(&mut self, around: Until) -> Parsed<Parameter> {
        if self.input.peek() == Some(b'#') && self.is_length() {
            self.input.skip();
            let Some(name) = self.long_name() else {
                return self.bad(around);
            };
            return match self.input.eat(b'}') {
                true => Ok(Parameter { name, op: Op::Length }),
                false => self.bad(around),
            };
        }
        let Some(name) = self.long_name() else {
            return self.bad(around);
        };
        let op = match self.input.peek() {
            None => return Err(self.unfinished("missing '}'")),
            Some(b'}') => {
                self.input.skip();
                Op::Plain
            }
            Some(b':') => {
                self.input.skip();
                match self.input.peek().and_then(test) {
                    Some(test) => {
                        self.input.skip();
                        self.test(test, true, around)?
                    }
                    None => self.slice()?,
                }
            }
            Some(byte @ (b'#' | b'%')) => {
                self.input.skip();
                Op::Trim {
                    end: if byte == b'#' { End::Prefix } else { End::Suffix },
                    longest: self.input.eat(byte),
                    pattern: self.brace_word(Until::Brace)?,
                }
            }
            Some(b'/') => {
                self.input.skip();
                self.replace(around)?
            }
            Some(byte) => match test(byte) {
                Some(test) => {
                    self.input.skip();
                    self.test(test, false, around)?
                }
                None => return self.bad(around),
            },
        };
        Ok(Parameter { name, op })
    }

    /// Whether `${#` asks for a length: `${#}`, `${#:-x}` and `${#-x}` are about `$#`.
    fn is_length(&self) -> bool {
        match self.input.peek_at(1) {
            Some(byte) if in_name(byte) => true,
            Some(byte) if is_special(byte) => self.input.peek_at(2) == Some(b'}'),
            _ => false,
        }
    }

    fn long_name(&mut self) -> Option<Name> {
        match self.input.peek()? {
            byte if starts_name(byte) => Some(Name::Variable(self.name())),
            byte if byte.is_ascii_digit() => {
                let digits = self.name();
                // More digits than fit name a parameter that nobody has set.
                digits
                    .iter()
                    .all(u8::is_ascii_digit)
                    .then(|| std::str::from_utf8(&digits).ok()?.parse().ok().or(Some(usize::MAX)))
                    .flatten()
                    .map(Name::Positional)
            }
            byte if is_special(byte) => {
                self.input.skip();
                Some(Name::Special(byte))
            }
            _ => None,
        }
    }

    fn test(&mut self, test: Test, colon: bool, around: Until) -> Parsed<Op> {
        let word = self.brace_word(inside(around))?;
        Ok(Op::Test { test, colon, word })
    }

    fn brace_word(&mut self, until: Until) -> Parsed<Word> {
        let mut word = Word::new(self.parts(until)?);
        if until == Until::Brace {
            word.find_tilde();
        }
        Ok(word)
    }

    fn slice(&mut self) -> Parsed<Op> {
        let offset = self.parts(Until::Slice)?;
        let length = match self.input.eat(b':') {
            true => Some(self.parts(Until::Slice)?),
            false => None,
        };
        match self.input.eat(b'}') {
            true => Ok(Op::Slice { offset, length }),
            false => {
                self.parts(Until::Brace)?;
                Ok(Op::Bad)
            }
        }
    }

    fn replace(&mut self, around: Until) -> Parsed<Op> {
        let how = match self.input.peek() {
            Some(b'/') => Replace::All,
            Some(b'#') => Replace::AtStart,
            Some(b'%') => Replace::AtEnd,
            _ => Replace::First,
        };
        if how != Replace::First {
            self.input.skip();
        }
        let pattern = Word::new(self.parts(Until::Slash)?);
        let with = match self.input.eat(b'/') {
            true => Word::new(self.parts(inside(around))?),
            false => {
                self.input.skip();
                Word::default()
            }
        };
        Ok(Op::Replace { how, pattern, with })
    }

    /// What no shell knows fails when it is expanded, not when it is read.
    fn bad(&mut self, around: Until) -> Parsed<Parameter> {
        self.parts(inside(around))?;
        Ok(Parameter {
            name: Name::Special(b'#'),
            op: Op::Bad,
        })
    }
}

/// The quoting of a word inside braces that stand in such a text.
fn inside(around: Until) -> Until {
    match around {
        Until::WordEnd | Until::Brace | Until::Slash => Until::Brace,
        Until::Here | Until::QuotedBrace { here: true } => Until::QuotedBrace { here: true },
        _ => Until::QuotedBrace { here: false },
    }
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}

fn test(byte: u8) -> Option<Test> {
    Some(match byte {
        b'-' => Test::Default,
        b'=' => Test::Assign,
        b'?' => Test::Error,
        b'+' => Test::Alternate,
        _ => return None,
    })
}
