//! The grammar of simple commands, functions and redirections.

use super::command::is_reserved;
use super::token::{Operator, Token};
use super::{Parsed, Parser};
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
                Token::Descriptor(_) => continue,
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
            if !words.is_empty() && !declares(&words) {
                words.push(word);
                continue;
            }
            match word.into_assignment() {
                Ok(assign) if words.is_empty() => assigns.push(assign),
                Ok(assign) => words.push(assign.into_word()),
                Err(word) => words.push(word),
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
        if name.contains(&b'=') || is_reserved(&name) {
            return Err(self.fault("bad function name"));
        }
        self.blank_lines()?;
        let start = self.size;
        let body = self.command()?;
        if matches!(body.kind, Kind::Simple(_) | Kind::Function(..)) {
            return Err(self.fault("a function's body must be a compound command"));
        }
        let size = self.size - start;
        Ok(Command {
            line,
            kind: Kind::Function(name, Arc::new(Function { body, size })),
            redirects: Vec::new(),
        })
    }

    pub(super) fn redirect(&mut self) -> Parsed<Option<Redirect>> {
        let fd = match self.peek()? {
            Token::Descriptor(fd) => Some(*fd),
            Token::Operator(operator) if operator.redirects() => None,
            _ => return Ok(None),
        };
        if fd.is_some() {
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
        Ok(Some(Redirect { fd, kind }))
    }
}

/// Whether the words begin a command whose arguments are read like assignments.
fn declares(words: &[Word]) -> bool {
    let mut names = words
        .iter()
        .map(Word::literal)
        .skip_while(|name| *name == Some(b"command"));
    matches!(names.next().flatten(), Some(b"export" | b"readonly" | b"local"))
}

impl Assign {
    /// As an argument.
    fn into_word(self) -> Word {
        let mut name = self.name;
        name.push(b'=');
        let mut parts = vec![Part::Literal(name)];
        parts.extend(self.value.parts);
        Word {
            parts,
            assigns: true,
            at: self.value.at,
        }
    }
}

impl Word {
    /// `NAME=value`, or the word itself.
    pub(super) fn into_assignment(mut self) -> Result<Assign, Word> {
        let name = match self.parts.first() {
            Some(Part::Literal(text)) => match text.iter().position(|byte| *byte == b'=') {
                Some(at) if is_name(&text[..at]) => text[..at].to_vec(),
                _ => return Err(self),
            },
            _ => return Err(self),
        };
        if let Some(Part::Literal(text)) = self.parts.first_mut() {
            text.drain(..=name.len());
            if text.is_empty() {
                self.parts.remove(0);
            }
        }
        self.find_assigned_tildes();
        Ok(Assign { name, value: self })
    }
}
