//! The grammar of commands.

use super::token::{Operator, Token};
use super::{Parsed, Parser};
use crate::Dialect;
use crate::ast::*;
use std::sync::Arc;

const RESERVED: &[&[u8]] = &[
    b"!", b"{", b"}", b"case", b"do", b"done", b"elif", b"else", b"esac", b"fi", b"for", b"if", b"in", b"then",
    b"until", b"while",
];

/// The words that bash keeps for itself besides.
const RESERVED_BY_BASH: &[&[u8]] = &[b"[[", b"]]", b"coproc", b"function", b"select", b"time"];

/// How much of a background command `jobs` shows.
const JOB_TEXT: usize = 200;

/// Whether the grammar keeps this word for itself.
pub fn is_reserved(word: &[u8], dialect: Dialect) -> bool {
    RESERVED.contains(&word) || (dialect == Dialect::Bash && RESERVED_BY_BASH.contains(&word))
}

/// Words that a command follows.
pub(super) fn leads_to_command(word: &[u8]) -> bool {
    matches!(
        word,
        b"!" | b"{" | b"do" | b"elif" | b"else" | b"if" | b"then" | b"until" | b"while" | b"time"
    )
}

/// Words that end a list of commands.
fn closes(word: &[u8]) -> bool {
    matches!(
        word,
        b"}" | b"do" | b"done" | b"elif" | b"else" | b"esac" | b"fi" | b"then"
    )
}

impl Parser {
    /// One line of commands.
    pub(super) fn complete_command(&mut self) -> Parsed<Option<List>> {
        self.blank_lines()?;
        if matches!(self.peek()?, Token::End) {
            return Ok(None);
        }
        let mut items = Vec::new();
        loop {
            let more = self.item(&mut items)?;
            match self.peek()? {
                Token::Newline => {
                    self.ahead = None;
                    return Ok(Some(List { items: items.into() }));
                }
                Token::End => {
                    self.here_bodies()?;
                    return Ok(Some(List { items: items.into() }));
                }
                _ if more => {}
                _ => return Err(self.unexpected()),
            }
        }
    }

    /// All commands up to the end of the text.
    pub(super) fn whole(&mut self) -> Parsed<List> {
        let list = self.list()?;
        match self.peek()? {
            Token::End => self.here_bodies().map(|()| list),
            _ => Err(self.unexpected()),
        }
    }

    /// Commands up to `)`, which is passed.
    pub(super) fn list_until_close(&mut self) -> Parsed<List> {
        let list = self.list()?;
        match self.eat(Operator::CloseParen)? {
            true => Ok(list),
            false => Err(self.unexpected()),
        }
    }

    /// Commands up to a word or an operator that none can begin with.
    pub(super) fn list(&mut self) -> Parsed<List> {
        let mut items = Vec::new();
        loop {
            self.blank_lines()?;
            if self.at_list_end()? {
                return Ok(List { items: items.into() });
            }
            let separated = self.item(&mut items)?;
            if !separated && !matches!(self.peek()?, Token::Newline) {
                return Ok(List { items: items.into() });
            }
        }
    }

    /// A list that must not be empty.
    pub(super) fn body(&mut self) -> Parsed<List> {
        let list = self.list()?;
        match list.items.is_empty() {
            true => Err(self.unexpected()),
            false => Ok(list),
        }
    }

    /// Passes newlines, and aliases that stand for nothing.
    pub(super) fn blank_lines(&mut self) -> Parsed<()> {
        self.newlines()?;
        self.expand_alias()?;
        self.newlines()
    }

    pub(super) fn at_list_end(&mut self) -> Parsed<bool> {
        self.expand_alias()?;
        Ok(match self.peek()? {
            Token::End => true,
            Token::Operator(operator) => matches!(
                operator,
                Operator::CloseParen | Operator::DoubleSemicolon | Operator::FallThrough | Operator::GoOn
            ),
            Token::Word(word) => word.literal().is_some_and(closes),
            _ => false,
        })
    }

    /// One and-or list and what ends it; true when that is `;` or `&`.
    pub(super) fn item(&mut self, items: &mut Vec<Item>) -> Parsed<bool> {
        let start = self.input.position();
        let first_word = self.ahead_text();
        let and_or = Arc::new(self.and_or()?);
        let (background, separated) = match self.peek()? {
            Token::Operator(Operator::Ampersand) => {
                let mut text = first_word;
                text.extend_from_slice(self.input.text(start, self.input.position()));
                let end = text.iter().rposition(|byte| *byte == b'&').unwrap_or(text.len());
                text.truncate(end);
                let text = text.trim_ascii();
                (Some(text[..text.len().min(JOB_TEXT)].to_vec()), true)
            }
            Token::Operator(Operator::Semicolon) => (None, true),
            _ => (None, false),
        };
        if separated {
            self.ahead = None;
        }
        items.push(Item { and_or, background });
        Ok(separated)
    }

    /// The text of the token that is already read.
    pub(super) fn ahead_text(&self) -> Bytes {
        match &self.ahead {
            Some(Token::Word(word)) => word.literal().unwrap_or_default().to_vec(),
            Some(Token::Operator(operator)) => operator.text().into(),
            _ => Bytes::new(),
        }
    }

    pub(super) fn and_or(&mut self) -> Parsed<AndOr> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            let link = match self.peek()? {
                Token::Operator(Operator::AndIf) => Link::And,
                Token::Operator(Operator::OrIf) => Link::Or,
                _ => return Ok(AndOr { first, rest }),
            };
            self.ahead = None;
            self.blank_lines()?;
            rest.push((link, self.pipeline()?));
        }
    }

    pub(super) fn pipeline(&mut self) -> Parsed<Pipeline> {
        self.expand_alias()?;
        let mut negated = false;
        let mut timed = false;
        loop {
            if self.eat_word(b"!")? {
                negated = !negated;
                // POSIX has one `!`.
                if !self.is_bash() {
                    break;
                }
            } else if self.is_bash() && self.eat_word(b"time")? {
                timed = true;
                self.eat_word(b"-p")?;
                self.eat_word(b"--")?;
            } else {
                break;
            }
        }
        let mut commands = vec![self.command()?];
        loop {
            let both = self.eat(Operator::PipeBoth)?;
            if !both && !self.eat(Operator::Pipe)? {
                break;
            }
            if both && let Some(command) = commands.last_mut() {
                // `|&` is `2>&1 |`.
                command.redirects.push(Redirect {
                    fd: Some(2),
                    name: None,
                    kind: RedirectKind::Duplicate {
                        input: false,
                        target: Word::new(vec![Part::Literal(b"1".to_vec())]),
                    },
                });
            }
            self.blank_lines()?;
            commands.push(self.command()?);
        }
        Ok(Pipeline {
            negated,
            timed,
            commands,
        })
    }

    pub(super) fn command(&mut self) -> Parsed<Command> {
        self.expand_alias()?;
        let line = self.input.line;
        let (dialect, bash) = (self.dialect, self.is_bash());
        let arithmetic = self.at(Operator::OpenParen)? && self.at_arithmetic()?;
        let selects = self.selects();
        let kind = match self.peek()? {
            Token::Operator(Operator::OpenParen) if arithmetic => self.compound(Parser::arithmetic_command)?,
            Token::Operator(Operator::OpenParen) => self.compound(|parser| {
                let list = parser.list_until_close()?;
                match list.items.is_empty() {
                    true => Err(parser.fault("')' unexpected")),
                    false => Ok(Kind::Subshell(list)),
                }
            })?,
            Token::Word(word) => match word.literal() {
                Some(b"{") => self.compound(Parser::group)?,
                Some(b"if") => self.compound(Parser::conditional)?,
                Some(b"for") => self.compound(Parser::for_loop)?,
                Some(b"case") => self.compound(Parser::case)?,
                Some(b"while") => self.compound(|parser| parser.conditional_loop(false))?,
                Some(b"until") => self.compound(|parser| parser.conditional_loop(true))?,
                Some(b"[[") => {
                    self.only_bash("[[")?;
                    self.compound(Parser::condition_command)?
                }
                Some(b"function") => {
                    self.only_bash("function")?;
                    return self.function_keyword(line);
                }
                Some(b"select") if bash => self.compound(Parser::select)?,
                Some(b"select") if selects => return Err(self.fault(Dialect::refuses("select"))),
                Some(b"coproc") if bash => return Err(self.fault("coproc is not supported here")),
                Some(text) if is_reserved(text, dialect) => return Err(self.unexpected()),
                _ => return self.simple(line),
            },
            Token::Descriptor(_) | Token::NamedDescriptor(_) => return self.simple(line),
            Token::Operator(operator) if operator.redirects() => return self.simple(line),
            _ => return Err(self.unexpected()),
        };
        let mut redirects = Vec::new();
        while let Some(redirect) = self.redirect()? {
            redirects.push(redirect);
        }
        Ok(Command { line, kind, redirects })
    }
}
