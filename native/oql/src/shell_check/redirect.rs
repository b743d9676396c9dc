//! Redirections and here-documents.

use super::grammar::{Parser, Read};
use super::token::{ends_word, refuse};

/// A here-document that was announced and not yet read.
pub(super) struct HereDoc {
    delimiter: Vec<u8>,
    /// `<<-`: tabs before the delimiter do not count.
    strip_tabs: bool,
    /// The delimiter was quoted, so that the text expands nothing.
    quoted: bool,
}

impl Parser<'_> {
    /// Reads one redirection, if there is one.
    pub(super) fn redirection(&mut self) -> Read<bool> {
        let Some(operator) = self.redirection_operator() else {
            return Ok(false);
        };
        self.source.at = operator;
        if self.source.eat_both(b"<<") {
            let strip_tabs = self.source.eat(b'-');
            self.announce(strip_tabs)?;
            return Ok(true);
        }
        let operator = match () {
            _ if self.source.eat_both(b"<&") => "<&",
            _ if self.source.eat_both(b"<>") => "<>",
            _ if self.source.eat_both(b">&") => ">&",
            _ if self.source.eat_both(b">>") => ">>",
            _ if self.source.eat_both(b">|") => ">|",
            _ if self.source.eat(b'<') => "<",
            _ => {
                self.source.bump();
                ">"
            }
        };
        self.blanks();
        let offset = self.source.offset();
        if self.redirection_operator().is_none() && self.word()?.is_some() {
            return Ok(true);
        }
        refuse(offset, format!("expected a file after `{operator}`"))
    }

    /// Where the operator of a redirection stands, if one starts at the reader: digits may go before it.
    fn redirection_operator(&mut self) -> Option<usize> {
        self.source.peek();
        let mut at = self.source.at;
        while self.source.byte(at)?.is_ascii_digit() {
            at = self.source.joined(at + 1);
        }
        matches!(self.source.byte(at), Some(b'<' | b'>')).then_some(at)
    }

    /// Reads the delimiter. Nothing in it expands, so `$` is a letter like any other.
    fn announce(&mut self, strip_tabs: bool) -> Read {
        self.blanks();
        let start = self.source.offset();
        let numbers_redirection = self.redirection_operator().is_some();
        let mut delimiter = Vec::new();
        let (mut quoted, mut any) = (false, false);
        while let Some(b) = self.source.peek().filter(|&b| !ends_word(b)) {
            any = true;
            match b {
                b'\'' | b'"' => {
                    quoted = true;
                    self.delimiter_quote(b, &mut delimiter)?;
                }
                b'\\' => {
                    quoted = true;
                    self.source.bump();
                    delimiter.extend(self.source.raw());
                    self.source.bump();
                }
                _ => {
                    delimiter.push(b);
                    self.source.bump();
                }
            }
        }
        if !any || numbers_redirection {
            return refuse(start, "expected a delimiter after `<<`");
        }
        self.pending.push(HereDoc {
            delimiter,
            strip_tabs,
            quoted,
        });
        Ok(())
    }

    fn delimiter_quote(&mut self, quote: u8, delimiter: &mut Vec<u8>) -> Read {
        let opened = self.source.offset();
        self.source.bump();
        loop {
            let Some(b) = self.source.raw() else {
                let quote = char::from(quote).to_string();
                return self.unclosed(&quote, opened, &quote);
            };
            self.source.bump();
            if b == quote {
                return Ok(());
            }
            delimiter.push(b);
        }
    }

    /// Reads the texts of the announced here-documents; the reader is at the start of a line.
    pub(super) fn here_documents(&mut self) -> Read {
        for document in std::mem::take(&mut self.pending) {
            self.here_document(&document)?;
        }
        Ok(())
    }

    fn here_document(&mut self, document: &HereDoc) -> Read {
        let start = self.source.at;
        let mut line_start = start;
        // A line as the delimiter is compared with it: lines that a backslash joins are one.
        let mut line = Vec::new();
        // The end of the text ends a here-document too, as in every shell.
        while self.source.raw().is_some() {
            let read = self.source.line();
            let backslashes = read.iter().rev().take_while(|&&b| b == b'\\').count();
            line.extend_from_slice(read);
            if !document.quoted && backslashes % 2 == 1 {
                line.pop();
                continue;
            }
            let tabs = line.iter().take_while(|&&b| b == b'\t').count();
            if line[if document.strip_tabs { tabs } else { 0 }..] == document.delimiter {
                break;
            }
            line.clear();
            line_start = self.source.at;
        }
        let next = self.source.at;
        if !document.quoted {
            self.source.at = start;
            let end = self.source.limit(line_start);
            self.expansions()?;
            self.source.limit(end);
        }
        self.source.at = next;
        Ok(())
    }
}
