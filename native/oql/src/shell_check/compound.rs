//! Compound commands: groups, subshells, conditions, loops and cases.

use super::grammar::{Parser, Read};
use super::token::refuse;

impl Parser<'_> {
    pub(super) fn at_compound(&mut self) -> bool {
        self.source.peek() == Some(b'(')
            || matches!(self.reserved(), Some("{" | "if" | "while" | "until" | "for" | "case"))
    }

    pub(super) fn compound(&mut self) -> Read {
        let opened = self.source.offset();
        self.nested(|p| match p.reserved() {
            Some("{") => {
                p.eat_reserved("{");
                p.list(false)?;
                p.close("{", opened, "}")
            }
            Some("if") => p.if_clause(opened),
            Some("for") => p.for_clause(opened),
            Some("case") => p.case_clause(opened),
            Some(word @ ("while" | "until")) => {
                p.eat_reserved(word);
                p.list(false)?;
                p.body(word, opened)
            }
            _ => {
                p.source.bump();
                p.list(false)?;
                p.close_paren("(", opened)
            }
        })?;
        loop {
            self.blanks();
            if !self.redirection()? {
                return Ok(());
            }
        }
    }

    fn if_clause(&mut self, opened: usize) -> Read {
        self.eat_reserved("if");
        loop {
            self.list(false)?;
            self.close("if", opened, "then")?;
            self.list(false)?;
            if !self.eat_reserved("elif") {
                break;
            }
        }
        if self.eat_reserved("else") {
            self.list(false)?;
        }
        self.close("if", opened, "fi")
    }

    fn for_clause(&mut self, opened: usize) -> Read {
        self.eat_reserved("for");
        self.blanks();
        let offset = self.source.offset();
        let variable = self.word()?;
        if !variable.is_some_and(|word| word.is_name()) {
            return refuse(offset, "expected a variable's name after `for`");
        }
        self.line_breaks()?;
        if self.eat_reserved("in") {
            loop {
                self.blanks();
                if self.word()?.is_none() {
                    break;
                }
            }
            if !matches!(self.source.peek(), None | Some(b';' | b'\n')) {
                return self.unexpected();
            }
        }
        if self.source.peek_second() != Some(b';') {
            self.source.eat(b';');
        }
        self.line_breaks()?;
        self.body("for", opened)
    }

    fn body(&mut self, opener: &str, opened: usize) -> Read {
        self.close(opener, opened, "do")?;
        self.list(false)?;
        self.close(opener, opened, "done")
    }

    fn case_clause(&mut self, opened: usize) -> Read {
        self.eat_reserved("case");
        self.blanks();
        if self.word()?.is_none() {
            return self.unexpected();
        }
        self.line_breaks()?;
        self.close("case", opened, "in")?;
        loop {
            self.line_breaks()?;
            if self.reserved() == Some("esac") || self.source.peek().is_none() {
                return self.close("case", opened, "esac");
            }
            self.patterns()?;
            self.list(true)?;
            if !self.source.eat_both(b";;") {
                return self.close("case", opened, "esac");
            }
        }
    }

    fn patterns(&mut self) -> Read {
        let opened = self.source.offset();
        self.source.eat(b'(');
        loop {
            self.blanks();
            if self.word()?.is_none() {
                return self.unexpected();
            }
            self.blanks();
            if self.source.peek_second() == Some(b'|') || !self.source.eat(b'|') {
                return self.close_paren("case", opened);
            }
        }
    }
}
