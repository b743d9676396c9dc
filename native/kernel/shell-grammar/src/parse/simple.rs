//! The grammar of simple commands, functions and redirections.

use super::command::is_reserved;
use super::token::{Operator, Token};
use super::{Parsed, Parser};
use crate::Dialect;
use crate::ast::*;
use std::sync::Arc;

impl Parser {
    pub(super) fn simple(&mut self, line: u32) -> Parsed<Command> {
        let mut assigns = Vec::new();
        let mut words: Vec<Word> = Vec::new();
        let mut redirects = Vec::new();
        loop {
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            if words.is_empty() {
                self.expand_alias()?;
            }
            match self.peek()? {
                Token::Word(_) => {}
                // What an alias stood for.
                Token::Descriptor(_) | Token::NamedDescriptor(_) => continue,
                Token::Operator(operator) if operator.redirects() => continue,
                Token::Operator(Operator::OpenParen)
                    if words.len() == 1 && assigns.is_empty() && redirects.is_empty() =>
                {
                    let Some(name) = words[0].literal().map(<[u8]>::to_vec) else {
                        return Err(self.unexpected());
                    };
                    return self.function(line, name);
                }
                _ => break,
            }
            let Token::Word(word) = self.take()? else { break };
            if !words.is_empty() && !declares(&words, self.dialect) {
                words.push(self.braces(word)?);
                continue;
            }
            match self.assignment(word)? {
                Ok(assign) if words.is_empty() => assigns.push(assign),
                Ok(assign) => words.push(assign.into_word()),
                Err(word) => words.push(self.braces(word)?),
            }
        }
        if assigns.is_empty() && words.is_empty() && redirects.is_empty() {
            return Err(self.unexpected());
        }
        let redirected = redirects.len() * size_of::<Redirect>();
        self.takes(size_of::<Command>() + size_of::<AndOr>() + redirected)?;
        let kind = Kind::Simple(Simple { assigns, words });
        Ok(Command { line, kind, redirects })
    }

    pub(super) fn function(&mut self, line: u32, name: Bytes) -> Parsed<Command> {
        self.ahead = None;
        if !self.eat(Operator::CloseParen)? {
            return Err(self.unexpected());
        }
        if name.contains(&b'=') || is_reserved(&name, self.dialect) {
            return Err(self.fault("bad function name"));
        }
        self.function_body(line, name)
    }

    /// Behind `function`, which is the token ahead.
    pub(super) fn function_keyword(&mut self, line: u32) -> Parsed<Command> {
        self.ahead = None;
        let name = match self.take()? {
            Token::Word(word) => match word.literal() {
                Some(name) => name.to_vec(),
                None => return Err(self.fault("bad function name")),
            },
            other => return Err(self.unexpected_token(&other)),
        };
        // `function f ( .. )` has a subshell for a body, `function f() ..` has parentheses of its own.
        if self.at(Operator::OpenParen)? && self.input.peek() == Some(b')') {
            self.ahead = None;
            self.eat(Operator::CloseParen)?;
        }
        self.function_body(line, name)
    }

    fn function_body(&mut self, line: u32, name: Bytes) -> Parsed<Command> {
        self.blank_lines()?;
        let start = self.size;
        self.peek()?;
        let from = self.token_at;
        let body = self.command()?;
        if matches!(body.kind, Kind::Simple(_) | Kind::Function(..)) {
            return Err(self.fault("a function's body must be a compound command"));
        }
        // A token may be read ahead, which is no part of it.
        let to = match &self.ahead {
            Some(_) => self.token_at as usize,
            None => self.input.position(),
        };
        let mut text = name.clone();
        text.extend(b" () ");
        text.extend(self.input.text(from as usize, to).trim_ascii());
        let size = self.size - start + text.len();
        let function = Function { body, size, text, line };
        Ok(Command {
            line,
            kind: Kind::Function(name, Arc::new(function)),
            redirects: Vec::new(),
        })
    }

    pub(super) fn redirect(&mut self) -> Parsed<Option<Redirect>> {
        let (fd, name) = match self.peek()? {
            Token::Descriptor(fd) => (Some(*fd), None),
            Token::NamedDescriptor(name) => (None, Some(name.clone())),
            Token::Operator(operator) if operator.redirects() => (None, None),
            _ => return Ok(None),
        };
        if fd.is_some() || name.is_some() {
            self.ahead = None;
        }
        let Token::Operator(operator) = self.take()? else {
            return Err(self.fault("bad redirection"));
        };
        let word = match self.take()? {
            Token::Word(word) => word,
            // `>&2>x` and `<3<y`: a number before another redirection is still this one's word.
            Token::Descriptor(number) => Word::new(vec![Part::Literal(number.to_string().into())]),
            other => return Err(self.unexpected_token(&other)),
        };
        use Operator::*;
        let kind = match operator {
            Less => RedirectKind::File(Open::Read, word),
            Great => RedirectKind::File(Open::Write, word),
            Append => RedirectKind::File(Open::Append, word),
            Clobber => RedirectKind::File(Open::Clobber, word),
            LessGreat => RedirectKind::File(Open::ReadWrite, word),
            LessAnd => RedirectKind::Duplicate {
                input: true,
                target: word,
            },
            GreatAnd => RedirectKind::Duplicate {
                input: false,
                target: word,
            },
            Both => RedirectKind::Both(Open::Write, word),
            BothAppend => RedirectKind::Both(Open::Append, word),
            HereString => RedirectKind::HereString(word),
            _ => RedirectKind::Here(self.here_document(word, operator == HereStrip)),
        };
        Ok(Some(Redirect { fd, name, kind }))
    }
}

/// Whether the words begin a command whose arguments are read like assignments.
fn declares(words: &[Word], dialect: Dialect) -> bool {
    let mut names = words
        .iter()
        .map(Word::literal)
        .skip_while(|name| matches!(name, Some(b"command" | b"builtin")));
    match names.next().flatten() {
        Some(b"export" | b"readonly" | b"local") => true,
        Some(b"declare" | b"typeset") => dialect == Dialect::Bash,
        _ => false,
    }
}

impl Assign {
    /// As an argument.
    fn into_word(self) -> Word {
        let mut parts = vec![Part::Literal(self.name)];
        if let Some(index) = self.index {
            parts.push(Part::Literal(b"[".to_vec()));
            parts.extend(index);
            parts.push(Part::Literal(b"]".to_vec()));
        }
        parts.push(Part::Literal(if self.append { b"+=".to_vec() } else { b"=".to_vec() }));
        let at = match self.value {
            Assigned::Word(word) => {
                parts.extend(word.parts);
                word.at
            }
            Assigned::Array(elements) => {
                parts.push(Part::Array(elements));
                0
            }
        };
        Word {
            parts,
            assigns: true,
            at,
            index: None,
        }
    }
}

/// What a word assigns to, as far as its beginning says.
pub(super) struct Target {
    pub name: Bytes,
    pub index: Option<Vec<Part>>,
    pub append: bool,
}

impl Word {
    /// `NAME=value`, `NAME+=value` or `NAME[index]=value`: what it assigns to and the value; or the word itself.
    pub(super) fn into_target(mut self) -> Result<(Target, Word), Word> {
        if let Some(count) = self.index.take() {
            let mut parts = std::mem::take(&mut self.parts).into_iter();
            let mut name = match parts.next() {
                Some(Part::Literal(text)) => text,
                _ => Bytes::new(),
            };
            // The bracket that opens the index.
            name.pop();
            let index = parts.by_ref().take(count).collect();
            self.parts = parts.collect();
            let append = self.drop_operator();
            self.find_assigned_tildes();
            let index = Some(index);
            return Ok((Target { name, index, append }, self));
        }
        let (name, append) = match self.parts.first() {
            Some(Part::Literal(text)) => match text.iter().position(|byte| *byte == b'=') {
                Some(at) if is_name(&text[..at]) => (text[..at].to_vec(), false),
                Some(at) if at > 0 && text[at - 1] == b'+' && is_name(&text[..at - 1]) => {
                    (text[..at - 1].to_vec(), true)
                }
                _ => return Err(self),
            },
            _ => return Err(self),
        };
        if let Some(Part::Literal(text)) = self.parts.first_mut() {
            text.drain(..name.len());
        }
        self.drop_operator();
        self.find_assigned_tildes();
        let index = None;
        Ok((Target { name, index, append }, self))
    }

    /// Whether it can be an assignment.
    pub(super) fn starts_assignment(&self) -> bool {
        if self.index.is_some() {
            return true;
        }
        let Some(Part::Literal(text)) = self.parts.first() else {
            return false;
        };
        let name = text.split(|byte| *byte == b'=').next().unwrap_or_default();
        name.len() < text.len() && is_name(name.strip_suffix(b"+").unwrap_or(name))
    }

    /// Takes `]=`, `]+=`, `=` or `+=` off its beginning; true for those that append.
    fn drop_operator(&mut self) -> bool {
        let Some(Part::Literal(text)) = self.parts.first_mut() else {
            return false;
        };
        let equals = text.iter().position(|byte| *byte == b'=').unwrap_or(0);
        let append = equals > 0 && text[equals - 1] == b'+';
        text.drain(..=equals);
        if text.is_empty() {
            self.parts.remove(0);
        }
        append
    }
}
