//! Tokens, one looked at ahead.

use super::command::leads_to_command;
use super::{Fault, Parsed, Parser};
use crate::ast::{Bytes, Word, is_name};

#[derive(Debug)]
pub(super) enum Token {
    Word(Word),
    /// A number right before `<` or `>`.
    Descriptor(usize),
    /// bash's `{name}` right before `<` or `>`.
    NamedDescriptor(Bytes),
    Operator(Operator),
    Newline,
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    AndIf,
    OrIf,
    Pipe,
    PipeBoth,
    Semicolon,
    Ampersand,
    DoubleSemicolon,
    FallThrough,
    GoOn,
    OpenParen,
    CloseParen,
    Less,
    Great,
    Append,
    Clobber,
    LessGreat,
    LessAnd,
    GreatAnd,
    Both,
    BothAppend,
    Here,
    HereStrip,
    HereString,
}

impl Operator {
    pub fn redirects(self) -> bool {
        use Operator::*;
        matches!(
            self,
            Less | Great
                | Append
                | Clobber
                | LessGreat
                | LessAnd
                | GreatAnd
                | Both
                | BothAppend
                | Here
                | HereStrip
                | HereString
        )
    }

    pub fn text(self) -> &'static str {
        use Operator::*;
        match self {
            AndIf => "&&",
            OrIf => "||",
            Pipe => "|",
            PipeBoth => "|&",
            Semicolon => ";",
            Ampersand => "&",
            DoubleSemicolon => ";;",
            FallThrough => ";&",
            GoOn => ";;&",
            OpenParen => "(",
            CloseParen => ")",
            Less => "<",
            Great => ">",
            Append => ">>",
            Clobber => ">|",
            LessGreat => "<>",
            LessAnd => "<&",
            GreatAnd => ">&",
            Both => "&>",
            BothAppend => "&>>",
            Here => "<<",
            HereStrip => "<<-",
            HereString => "<<<",
        }
    }
}

impl Parser {
    /// Looks at the next token.
    pub(super) fn peek(&mut self) -> Parsed<&Token> {
        if self.ahead.is_none() {
            self.read_ahead()?;
            // A word behind an alias that ends in a blank may be an alias too.
            if std::mem::take(&mut self.input.after_blank) {
                self.expand_alias()?;
            }
        }
        Ok(self.ahead.as_ref().unwrap_or(&Token::End))
    }

    /// Reads the next token, if it is not read yet.
    pub(super) fn read_ahead(&mut self) -> Parsed<()> {
        if self.ahead.is_none() {
            self.ahead = Some(self.token()?);
        }
        Ok(())
    }

    pub(super) fn take(&mut self) -> Parsed<Token> {
        self.peek()?;
        Ok(self.ahead.take().unwrap_or(Token::End))
    }

    pub(super) fn at(&mut self, operator: Operator) -> Parsed<bool> {
        Ok(matches!(self.peek()?, Token::Operator(found) if *found == operator))
    }

    /// Passes this operator if it is the next token.
    pub(super) fn eat(&mut self, operator: Operator) -> Parsed<bool> {
        let found = self.at(operator)?;
        if found {
            self.ahead = None;
        }
        Ok(found)
    }

    /// Passes newlines.
    pub(super) fn newlines(&mut self) -> Parsed<()> {
        while matches!(self.peek()?, Token::Newline) {
            self.ahead = None;
        }
        Ok(())
    }

    fn token(&mut self) -> Parsed<Token> {
        let token = self.next_token()?;
        self.after_word = match &token {
            Token::Word(word) => {
                let stays = word.literal().is_some_and(leads_to_command) || word.starts_assignment();
                self.after_word || !stays
            }
            Token::Operator(operator) => operator.redirects(),
            Token::Descriptor(_) | Token::NamedDescriptor(_) => self.after_word,
            Token::Newline | Token::End => false,
        };
        Ok(token)
    }

    fn next_token(&mut self) -> Parsed<Token> {
        self.blanks();
        self.token_at = self.input.place();
        let Some(byte) = self.input.peek() else {
            return Ok(Token::End);
        };
        if byte == b'\n' {
            self.input.skip();
            self.here_bodies()?;
            return Ok(Token::Newline);
        }
        if matches!(byte, b'<' | b'>') && self.input.peek_at(1) == Some(b'(') {
            self.only_bash(if byte == b'<' { "<(" } else { ">(" })?;
        } else if let Some(operator) = self.operator(byte) {
            if matches!(
                operator,
                Operator::Both | Operator::BothAppend | Operator::PipeBoth | Operator::GoOn
            ) {
                self.only_bash(operator.text())?;
            }
            return Ok(Token::Operator(operator));
        }
        let within = self.input.within();
        let at = self.token_at;
        let mut word = self.word()?;
        word.at = at;
        self.within = within;
        let before_redirect = matches!(self.input.peek(), Some(b'<' | b'>'));
        if let Some(digits) = word.literal().filter(|_| before_redirect)
            && digits.iter().all(u8::is_ascii_digit)
            && let Some(fd) = std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok())
        {
            return Ok(Token::Descriptor(fd));
        }
        if let Some(name) = word.literal().filter(|_| before_redirect && self.is_bash())
            && let Some(name) = name.strip_prefix(b"{").and_then(|name| name.strip_suffix(b"}"))
            && is_name(name)
        {
            return Ok(Token::NamedDescriptor(name.to_vec()));
        }
        Ok(Token::Word(word))
    }

    /// Passes blanks and a comment.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.input.peek() {
                Some(b' ' | b'\t') => self.input.skip(),
                Some(b'#') => {
                    while !matches!(self.input.raw(), None | Some(b'\n')) {
                        self.input.skip();
                    }
                    return;
                }
                _ => return,
            }
        }
    }

    fn operator(&mut self, first: u8) -> Option<Operator> {
        use Operator::*;
        if !is_operator(first) {
            return None;
        }
        self.input.skip();
        Some(match first {
            b'(' => OpenParen,
            b')' => CloseParen,
            b'|' if self.input.eat(b'|') => OrIf,
            b'|' if self.input.eat(b'&') => PipeBoth,
            b'|' => Pipe,
            b';' if self.input.eat(b';') => match self.input.eat(b'&') {
                true => GoOn,
                false => DoubleSemicolon,
            },
            b';' if self.input.eat(b'&') => FallThrough,
            b';' => Semicolon,
            b'&' if self.input.eat(b'&') => AndIf,
            b'&' if self.input.raw() == Some(b'>') && self.input.raw_at(1) == Some(b'>') => {
                self.input.skip();
                self.input.skip();
                BothAppend
            }
            // `&>|` and `&>&` are a background command before a redirection.
            b'&' if self.input.raw() == Some(b'>') && !matches!(self.input.raw_at(1), Some(b'&' | b'|')) => {
                self.input.skip();
                Both
            }
            b'&' => Ampersand,
            b'<' if self.input.eat(b'<') => {
                if self.input.eat(b'-') {
                    HereStrip
                } else if self.input.eat(b'<') {
                    HereString
                } else {
                    Here
                }
            }
            b'<' if self.input.eat(b'>') => LessGreat,
            b'<' if self.input.eat(b'&') => LessAnd,
            b'<' => Less,
            _ if self.input.eat(b'>') => Append,
            _ if self.input.eat(b'|') => Clobber,
            _ if self.input.eat(b'&') => GreatAnd,
            _ => Great,
        })
    }

    pub(super) fn eat_word(&mut self, text: &[u8]) -> Parsed<bool> {
        let found = matches!(self.peek()?, Token::Word(word) if word.literal() == Some(text));
        if found {
            self.ahead = None;
        }
        Ok(found)
    }

    pub(super) fn expect_word(&mut self, text: &[u8]) -> Parsed<()> {
        self.expand_alias()?;
        match self.eat_word(text)? {
            true => Ok(()),
            false => Err(self.unexpected()),
        }
    }

    pub(super) fn unexpected(&mut self) -> Fault {
        match self.take() {
            Ok(token) => self.unexpected_token(&token),
            Err(fault) => fault,
        }
    }

    pub(super) fn unexpected_token(&self, token: &Token) -> Fault {
        match token {
            Token::End => self.ended(),
            Token::Newline => self.fault("newline unexpected"),
            Token::Operator(operator) => self.fault(format!("'{}' unexpected", operator.text())),
            Token::Descriptor(_) | Token::NamedDescriptor(_) => self.fault("redirection unexpected"),
            Token::Word(word) => match word.literal() {
                Some(text) => self.fault(format!("'{}' unexpected", String::from_utf8_lossy(text))),
                None => self.fault("word unexpected"),
            },
        }
    }
}

/// Whether an operator begins with this byte; such a byte ends a word.
pub(super) fn is_operator(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'|' | b';' | b'&' | b'<' | b'>')
}
