//! The grammar of compound commands.

use super::token::{Operator, Token};
use super::word::Until;
use super::{Parsed, Parser};
use crate::ast::*;

impl Parser {
    pub(super) fn compound(&mut self, read: impl FnOnce(&mut Parser) -> Parsed<Kind>) -> Parsed<Kind> {
        let opener = self.token_at;
        self.ahead = None;
        self.nested(read).map_err(|fault| fault.opened_at(opener))
    }

    pub(super) fn group(&mut self) -> Parsed<Kind> {
        let list = self.body()?;
        self.expect_word(b"}")?;
        Ok(Kind::Group(list))
    }

    pub(super) fn conditional(&mut self) -> Parsed<Kind> {
        let mut branches = Vec::new();
        loop {
            let condition = self.body()?;
            self.expect_word(b"then")?;
            branches.push((condition, self.body()?));
            if self.eat_word(b"elif")? {
                continue;
            }
            let otherwise = match self.eat_word(b"else")? {
                true => Some(self.body()?),
                false => None,
            };
            self.expect_word(b"fi")?;
            return Ok(Kind::If(branches, otherwise));
        }
    }

    pub(super) fn conditional_loop(&mut self, until: bool) -> Parsed<Kind> {
        let condition = self.body()?;
        let body = self.do_group()?;
        Ok(Kind::Loop { until, condition, body })
    }

    pub(super) fn do_group(&mut self) -> Parsed<List> {
        if self.is_bash() && self.eat_word(b"{")? {
            let body = self.body()?;
            self.expect_word(b"}")?;
            return Ok(body);
        }
        self.expect_word(b"do")?;
        let body = self.body()?;
        self.expect_word(b"done")?;
        Ok(body)
    }

    pub(super) fn for_loop(&mut self) -> Parsed<Kind> {
        if self.at(Operator::OpenParen)? && self.input.peek() == Some(b'(') {
            self.only_bash("for ((")?;
            return self.arithmetic_for();
        }
        self.each().map(Kind::For)
    }

    /// Whether a `select` is more than a word that happens to be called so: in sh, that is a function's name.
    pub(super) fn selects(&self) -> bool {
        let blank = matches!(self.input.raw_at(0), Some(b' ' | b'\t'));
        blank && self.input.raw_at(1).is_some_and(starts_name)
    }

    pub(super) fn select(&mut self) -> Parsed<Kind> {
        self.each().map(Kind::Select)
    }

    /// `((first; condition; step))` and the body; the first parenthesis is the token ahead.
    fn arithmetic_for(&mut self) -> Parsed<Kind> {
        self.ahead = None;
        self.input.skip();
        let mut expressions = Vec::new();
        for _ in 0..2 {
            expressions.push(self.parts(Until::Semicolon)?);
            if !self.input.eat(b';') {
                return Err(self.fault("missing ';'"));
            }
        }
        expressions.push(self.parts(Until::Arithmetic)?);
        self.eat(Operator::Semicolon)?;
        self.newlines()?;
        let body = self.do_group()?;
        let mut expressions = expressions.into_iter();
        let mut next = || expressions.next().unwrap_or_default();
        let expressions = [next(), next(), next()];
        Ok(Kind::ForArithmetic(Box::new(ForArithmetic { expressions, body })))
    }

    fn each(&mut self) -> Parsed<For> {
        let name = match self.take()? {
            Token::Word(word) => match word.literal() {
                Some(name) if is_name(name) => name.to_vec(),
                _ => return Err(self.fault("bad for loop variable")),
            },
            other => return Err(self.unexpected_token(&other)),
        };
        let mut words = None;
        if !self.eat(Operator::Semicolon)? {
            self.blank_lines()?;
            if self.eat_word(b"in")? {
                let mut listed = Vec::new();
                while matches!(self.peek()?, Token::Word(_)) {
                    if let Token::Word(word) = self.take()? {
                        listed.push(self.braces(word)?);
                    }
                }
                words = Some(listed);
                if !self.eat(Operator::Semicolon)? && !matches!(self.peek()?, Token::Newline) {
                    return Err(self.unexpected());
                }
            }
        }
        self.newlines()?;
        let body = self.do_group()?;
        Ok(For { name, words, body })
    }

    pub(super) fn case(&mut self) -> Parsed<Kind> {
        let subject = match self.take()? {
            Token::Word(word) => word,
            other => return Err(self.unexpected_token(&other)),
        };
        self.newlines()?;
        self.expect_word(b"in")?;
        let mut items = Vec::new();
        loop {
            self.newlines()?;
            if self.eat_word(b"esac")? {
                return Ok(Kind::Case(subject, items));
            }
            let (item, last) = self.case_item()?;
            items.push(item);
            if last {
                self.expect_word(b"esac")?;
                return Ok(Kind::Case(subject, items));
            }
        }
    }

    pub(super) fn case_item(&mut self) -> Parsed<(CaseItem, bool)> {
        self.eat(Operator::OpenParen)?;
        let mut patterns = Vec::new();
        loop {
            match self.take()? {
                Token::Word(word) => patterns.push(word),
                other => return Err(self.unexpected_token(&other)),
            }
            if self.eat(Operator::Pipe)? {
                continue;
            }
            if self.eat(Operator::CloseParen)? {
                break;
            }
            return Err(self.unexpected());
        }
        let body = self.list()?;
        let (then, ended) = if self.eat(Operator::FallThrough)? {
            (Then::FallsThrough, true)
        } else if self.eat(Operator::GoOn)? {
            (Then::GoesOn, true)
        } else {
            (Then::Ends, self.eat(Operator::DoubleSemicolon)?)
        };
        let item = CaseItem { patterns, body, then };
        Ok((item, !ended))
    }
}
