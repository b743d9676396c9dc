//! `[[ .. ]]` and `(( .. ))`.

use super::token::{Operator, Token};
use super::word::Until;
use super::{Parsed, Parser};
use crate::Dialect;
use crate::ast::{Bytes, Condition, Kind, Part, Word};

impl Parser {
    /// Whether the parenthesis ahead begins `((` that `))` closes. Two subshells, one inside the other, are written with a
    /// blank between.
    pub(super) fn at_arithmetic(&mut self) -> Parsed<bool> {
        if self.input.peek() != Some(b'(') {
            return Ok(false);
        }
        match self.is_bash() {
            true => self.looks_arithmetic(),
            false if self.looks_arithmetic().unwrap_or(false) => Err(self.fault(Dialect::refuses("(("))),
            false => Ok(false),
        }
    }

    /// Behind the first parenthesis of `((`.
    pub(super) fn arithmetic_command(&mut self) -> Parsed<Kind> {
        self.input.skip();
        Ok(Kind::Arithmetic(self.parts(Until::Arithmetic)?))
    }

    /// Behind `[[`.
    pub(super) fn condition_command(&mut self) -> Parsed<Kind> {
        let condition = self.any_of()?;
        self.newlines()?;
        match self.eat_word(b"]]")? {
            true => Ok(Kind::Condition(condition)),
            false => Err(self.unexpected()),
        }
    }

    fn any_of(&mut self) -> Parsed<Condition> {
        let mut all = vec![self.all_of()?];
        loop {
            self.newlines()?;
            if !self.eat(Operator::OrIf)? {
                break;
            }
            all.push(self.all_of()?);
        }
        Ok(match all.len() {
            1 => all.remove(0),
            _ => Condition::Or(all),
        })
    }

    fn all_of(&mut self) -> Parsed<Condition> {
        let mut all = vec![self.negated()?];
        loop {
            self.newlines()?;
            if !self.eat(Operator::AndIf)? {
                break;
            }
            all.push(self.negated()?);
        }
        Ok(match all.len() {
            1 => all.remove(0),
            _ => Condition::And(all),
        })
    }

    fn negated(&mut self) -> Parsed<Condition> {
        let mut negated = false;
        loop {
            self.newlines()?;
            if !self.eat_word(b"!")? {
                break;
            }
            negated = !negated;
        }
        let condition = self.question()?;
        Ok(match negated {
            true => Condition::Not(Box::new(condition)),
            false => condition,
        })
    }

    fn question(&mut self) -> Parsed<Condition> {
        self.takes(size_of::<Condition>())?;
        if self.eat(Operator::OpenParen)? {
            let condition = self.nested(Parser::any_of)?;
            self.newlines()?;
            return match self.eat(Operator::CloseParen)? {
                true => Ok(condition),
                false => Err(self.unexpected()),
            };
        }
        let first = self.operand()?;
        if let Some([b'-', letter]) = first.literal()
            && is_unary(*letter)
        {
            let letter = *letter;
            // `-f = x` compares: the letter is an operand there.
            let compares = matches!(self.peek()?, Token::Word(word) if word.literal().is_some_and(is_binary));
            if !compares {
                let operand = self.operand()?;
                return Ok(Condition::Unary(letter, operand));
            }
        }
        let operator: Bytes = match self.peek()? {
            Token::Operator(operator @ (Operator::Less | Operator::Great)) => operator.text().into(),
            Token::Word(word) => match word.literal() {
                Some(b"]]") | None => return self.word_alone(first),
                Some(text) if is_binary(text) => text.to_vec(),
                Some(_) => return Err(self.unexpected()),
            },
            Token::Newline => return Err(self.unexpected()),
            _ => return self.word_alone(first),
        };
        self.ahead = None;
        if operator == b"=~" {
            self.blanks();
            self.token_at = self.input.place();
            let parts = self.parts(Until::Regex)?;
            if parts.is_empty() {
                return Err(self.unexpected());
            }
            return Ok(Condition::Binary(first, operator, Word::new(parts)));
        }
        let second = self.operand()?;
        Ok(Condition::Binary(first, operator, second))
    }

    fn word_alone(&mut self, word: Word) -> Parsed<Condition> {
        match self.peek()? {
            Token::Word(next) if next.literal() != Some(b"]]") => Err(self.unexpected()),
            _ => Ok(Condition::Word(word)),
        }
    }

    fn operand(&mut self) -> Parsed<Word> {
        match self.take()? {
            Token::Word(word) if word.literal() != Some(b"]]") => Ok(word),
            Token::Descriptor(number) => Ok(Word::new(vec![Part::Literal(number.to_string().into())])),
            other => Err(self.unexpected_token(&other)),
        }
    }
}

fn is_unary(letter: u8) -> bool {
    b"abcdefghknoprstuvwxzGLNORS".contains(&letter)
}

fn is_binary(text: &[u8]) -> bool {
    matches!(
        text,
        b"=" | b"==" | b"!=" | b"=~" | b"-eq" | b"-ne" | b"-lt" | b"-le" | b"-gt" | b"-ge" | b"-nt" | b"-ot" | b"-ef"
    )
}
