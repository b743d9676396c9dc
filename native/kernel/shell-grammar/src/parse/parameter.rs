//! `$x` and `${x..}`.

use super::word::Until;
use super::{Parsed, Parser};
use crate::ast::{Bytes, End, Index, Name, Op, Parameter, Replace, Test, Word, in_name, starts_name};

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
        Some(plain(name))
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
            if self.at_index(&name) && !self.is_bash() {
                return self.bash(around);
            }
            let index = self.index(&name)?;
            return match self.input.eat(b'}') {
                true => Ok(Parameter {
                    index,
                    op: Op::Length,
                    ..plain(name)
                }),
                false => self.bad(around),
            };
        }
        let indirect = self.input.peek() == Some(b'!') && self.is_indirect();
        if indirect {
            if !self.is_bash() {
                return self.bash(around);
            }
            self.input.skip();
        }
        let Some(name) = self.long_name() else {
            return self.bad(around);
        };
        if indirect
            && let Some(star @ (b'*' | b'@')) = self.input.peek()
            && self.input.peek_at(1) == Some(b'}')
            && matches!(name, Name::Variable(_))
        {
            self.input.skip();
            self.input.skip();
            let op = Op::Names(star == b'@');
            return Ok(Parameter { op, ..plain(name) });
        }
        if self.at_index(&name) && !self.is_bash() {
            return self.bash(around);
        }
        let index = self.index(&name)?;
        if indirect && matches!(index, Some(Index::All(_))) && self.input.peek() == Some(b'}') {
            self.input.skip();
            let op = Op::Keys;
            return Ok(Parameter {
                index,
                op,
                ..plain(name)
            });
        }
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
            Some(b'^' | b',' | b'~' | b'@') if !self.is_bash() => return self.bash(around),
            Some(to @ (b'^' | b',' | b'~')) => {
                self.input.skip();
                Op::Case {
                    to,
                    all: self.input.eat(to),
                    pattern: self.brace_word(Until::Brace)?,
                }
            }
            Some(b'@') => {
                self.input.skip();
                match self.input.peek() {
                    Some(letter) if b"QEPAKakuUL".contains(&letter) && self.input.peek_at(1) == Some(b'}') => {
                        self.input.skip();
                        self.input.skip();
                        Op::Transform(letter)
                    }
                    _ => return self.bad(around),
                }
            }
            Some(byte) => match test(byte) {
                Some(test) => {
                    self.input.skip();
                    self.test(test, false, around)?
                }
                None => return self.bad(around),
            },
        };
        Ok(Parameter {
            name,
            index,
            indirect,
            op,
        })
    }

    /// Whether `${!` asks for another parameter: `${!}`, `${!-x}` and `${!:-x}` are about `$!`.
    fn is_indirect(&self) -> bool {
        match self.input.peek_at(1) {
            Some(byte) if in_name(byte) => true,
            Some(b'#' | b'@' | b'*') => self.input.peek_at(2) == Some(b'}'),
            _ => false,
        }
    }

    fn at_index(&mut self, name: &Name) -> bool {
        matches!(name, Name::Variable(_)) && self.input.peek() == Some(b'[')
    }

    /// `[..]` behind a name.
    fn index(&mut self, name: &Name) -> Parsed<Option<Index>> {
        if !self.at_index(name) {
            return Ok(None);
        }
        self.input.skip();
        if let Some(all @ (b'@' | b'*')) = self.input.peek()
            && self.input.peek_at(1) == Some(b']')
        {
            self.input.skip();
            self.input.skip();
            return Ok(Some(Index::All(all == b'*')));
        }
        Ok(Some(Index::At(self.parts(Until::Bracket)?)))
    }

    /// What only bash has fails when sh expands it.
    fn bash(&mut self, around: Until) -> Parsed<Parameter> {
        self.parts(inside(around))?;
        Ok(Parameter {
            op: Op::Bash,
            ..plain(Name::Special(b'#'))
        })
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
        // An end alone can be replaced: `${x/#/before}`.
        let only_end = matches!(how, Replace::AtStart | Replace::AtEnd) && self.input.peek() == Some(b'/');
        let pattern = match only_end {
            true => Word::default(),
            false => Word::new(self.parts(Until::Slash)?),
        };
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
            op: Op::Bad,
            ..plain(Name::Special(b'#'))
        })
    }
}

fn plain(name: Name) -> Parameter {
    Parameter {
        name,
        index: None,
        indirect: false,
        op: Op::Plain,
    }
}

/// The quoting of a word inside braces that stand in such a text.
fn inside(around: Until) -> Until {
    match around {
        Until::WordEnd | Until::Brace | Until::Slash | Until::Bracket | Until::Group | Until::Regex => Until::Brace,
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
