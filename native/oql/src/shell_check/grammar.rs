//! Lists, pipelines, simple commands and functions.

use super::redirect::HereDoc;
use super::source::Source;
use super::token::refuse;
use super::word::RawWord;
use super::{MAX_NESTING, SyntaxError, Word};
use std::collections::BTreeSet;

pub(super) type Read<T = ()> = Result<T, SyntaxError>;

/// Reserved words that end a list.
const CLOSING: [&str; 8] = ["}", "do", "done", "elif", "else", "esac", "fi", "then"];

pub(super) struct Parser<'a> {
    pub(super) source: Source<'a>,
    pub(super) depth: usize,
    /// Here-documents whose text starts after the next new line.
    pub(super) pending: Vec<HereDoc>,
    commands: Vec<Word>,
    functions: BTreeSet<String>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(source: Source<'a>, depth: usize) -> Self {
        Parser {
            source,
            depth,
            pending: Vec::new(),
            commands: Vec::new(),
            functions: BTreeSet::new(),
        }
    }

    pub(super) fn program(&mut self) -> Read {
        self.list(true)?;
        match self.source.peek() {
            None => Ok(()),
            Some(_) => self.unexpected(),
        }
    }

    pub(super) fn found(self) -> (Vec<Word>, BTreeSet<String>) {
        (self.commands, self.functions)
    }

    /// Takes over what another parser found.
    pub(super) fn adopt(&mut self, other: Parser<'_>) {
        self.commands.extend(other.commands);
        self.functions.extend(other.functions);
    }

    /// Goes one level deeper, if there is one.
    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == MAX_NESTING {
            let offset = self.source.offset();
            return refuse(offset, format!("nested deeper than {MAX_NESTING} levels"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Commands up to something that ends them, which is left to the caller.
    pub(super) fn list(&mut self, may_be_empty: bool) -> Read {
        let mut may_end = may_be_empty;
        loop {
            self.line_breaks()?;
            if may_end && self.at_list_end() {
                return Ok(());
            }
            self.and_or()?;
            may_end = true;
            self.blanks();
            match (self.source.peek(), self.source.peek_second()) {
                (Some(b';'), Some(b';')) => return Ok(()),
                (Some(b';' | b'&'), _) => self.source.bump(),
                (Some(b'\n'), _) => {}
                _ => return Ok(()),
            }
        }
    }

    fn at_list_end(&mut self) -> bool {
        match self.source.peek() {
            None | Some(b')') => true,
            Some(b';') => self.source.peek_second() == Some(b';'),
            _ => self.reserved().is_some_and(|word| CLOSING.contains(&word)),
        }
    }

    fn and_or(&mut self) -> Read {
        let mut after = "";
        loop {
            self.pipeline(after)?;
            self.blanks();
            after = match () {
                _ if self.source.eat_both(b"&&") => "&&",
                _ if self.source.eat_both(b"||") => "||",
                _ => return Ok(()),
            };
            self.line_breaks()?;
        }
    }

    fn pipeline(&mut self, mut after: &'static str) -> Read {
        if self.eat_reserved("!") {
            self.blanks();
            after = "!";
        }
        loop {
            self.command(after)?;
            self.blanks();
            if self.source.peek() != Some(b'|') || self.source.peek_second() == Some(b'|') {
                return Ok(());
            }
            self.source.bump();
            self.line_breaks()?;
            after = "|";
        }
    }

    fn command(&mut self, after: &str) -> Read {
        if self.at_compound() {
            return self.compound();
        }
        if self.reserved().is_none() && self.simple()? {
            return Ok(());
        }
        if after.is_empty() {
            return self.unexpected();
        }
        let offset = self.source.offset();
        refuse(offset, format!("expected a command after `{after}`"))
    }

    /// Assignments, redirections and words; false when there is none of them.
    fn simple(&mut self) -> Read<bool> {
        let mut any = false;
        let mut first = None;
        let mut plain = true;
        loop {
            self.blanks();
            if self.redirection()? {
                plain = false;
            } else if let Some(word) = self.word()? {
                plain &= first.is_none() && !word.assignment;
                if first.is_none() && !word.assignment {
                    first = Some(word);
                }
            } else if self.source.peek() == Some(b'(') && any {
                return match first {
                    Some(name) if plain => self.function(name).map(|()| true),
                    _ => self.unexpected(),
                };
            } else {
                break;
            }
            any = true;
        }
        if let Some(name) = first.and_then(|word| word.certain()) {
            self.commands.push(name);
        }
        Ok(any)
    }

    fn function(&mut self, name: RawWord) -> Read {
        self.source.bump();
        self.blanks();
        if !self.source.eat(b')') {
            return self.unexpected();
        }
        if !name.is_name() {
            return refuse(name.offset, "a function's name has only letters, digits and `_`");
        }
        self.functions.extend(name.certain().map(|word| word.name));
        self.line_breaks()?;
        if !self.at_compound() {
            let offset = self.source.offset();
            return refuse(
                offset,
                "expected `{` or another compound command as the function's body",
            );
        }
        self.compound()
    }
}
