//! Bytes into records.

use crate::regex::{Cache, Regex};
use std::io::{self, Read};
use std::rc::Rc;

const BUFFER: usize = 64 << 10;

/// What ends a record.
#[derive(Clone, Debug)]
pub enum Terminator {
    Byte(u8),
    /// Empty lines; a record is a paragraph.
    Paragraph,
    Regex(Rc<Regex>),
    /// A line end outside quotes.
    Csv,
}

impl Terminator {
    /// What a value of RS means.
    ///
    /// # Errors
    ///
    /// What is wrong with the expression.
    pub fn of(text: &[u8], regexes: &mut Cache) -> Result<Terminator, String> {
        Ok(match text {
            b"" => Terminator::Paragraph,
            [byte] => Terminator::Byte(*byte),
            text => Terminator::Regex(regexes.get(text)?),
        })
    }
}

/// Something that records are read from.
pub struct Reader {
    source: Box<dyn Read>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    is_over: bool,
}

impl Reader {
    /// Reads from this.
    pub fn new(source: Box<dyn Read>) -> Reader {
        Reader {
            source,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            is_over: false,
        }
    }

    fn unread(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Reads some more; false means that there is no more.
    fn more(&mut self) -> io::Result<bool> {
        if self.is_over {
            return Ok(false);
        }
        if self.start > 1 {
            self.buffer.copy_within(self.start - 1..self.end, 0);
            self.end -= self.start - 1;
            self.start = 1;
        }
        if self.buffer.len() - self.end < BUFFER / 2 {
            let grown = (self.buffer.len() * 2).max(BUFFER);
            self.buffer.resize(grown, 0);
        }
        let got = loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.end += got;
        self.is_over = got == 0;
        Ok(got > 0)
    }

    /// Takes a record of this length, and as many bytes behind it away.
    #[inline]
    fn take(&mut self, length: usize, behind: usize, into: &mut Vec<u8>) {
        into.clear();
        into.extend_from_slice(&self.buffer[self.start..self.start + length]);
        self.start += length + behind;
    }

    /// What is left at the end, if it is anything.
    fn rest(&mut self, into: &mut Vec<u8>) -> bool {
        let length = self.end - self.start;
        self.take(length, 0, into);
        length > 0
    }

    /// Reads a record; false means that there was none.
    #[inline]
    pub fn read(&mut self, terminator: &Terminator, into: &mut Vec<u8>) -> io::Result<bool> {
        match terminator {
            Terminator::Byte(byte) => self.until(*byte, into),
            Terminator::Paragraph => self.paragraph(into),
            Terminator::Regex(regex) => self.until_match(regex, into),
            Terminator::Csv => self.csv(into),
        }
    }

    #[inline]
    fn until(&mut self, byte: u8, into: &mut Vec<u8>) -> io::Result<bool> {
        let mut seen = 0;
        loop {
            let unread = self.unread();
            if let Some(at) = memchr::memchr(byte, &unread[seen..]) {
                self.take(seen + at, 1, into);
                return Ok(true);
            }
            seen = unread.len();
            if !self.more()? {
                return Ok(self.rest(into));
            }
        }
    }

    fn paragraph(&mut self, into: &mut Vec<u8>) -> io::Result<bool> {
        loop {
            let newlines = self.unread().iter().take_while(|byte| **byte == b'\n').count();
            self.start += newlines;
            if self.start < self.end || !self.more()? {
                break;
            }
        }
        let mut seen = 0;
        loop {
            let unread = self.unread();
            if let Some(at) = memchr::memmem::find(&unread[seen..], b"\n\n") {
                self.take(seen + at, 2, into);
                return Ok(true);
            }
            seen = unread.len().saturating_sub(1);
            if !self.more()? {
                let found = self.rest(into);
                if into.last() == Some(&b'\n') {
                    into.pop();
                }
                return Ok(found);
            }
        }
    }

    fn until_match(&mut self, regex: &Regex, into: &mut Vec<u8>) -> io::Result<bool> {
        loop {
            // With the byte before, if there is one: `^` is the beginning of the input.
            let before = self.start.min(1);
            let subject = &self.buffer[self.start - before..self.end];
            let found = first_match(regex, subject, before);
            // A match at the end of what was read may go on.
            match found {
                Some((start, end)) if end < subject.len() || self.is_over => {
                    self.take(start - before, end - start, into);
                    return Ok(true);
                }
                _ => {}
            }
            if !self.more()? && found.is_none() {
                return Ok(self.rest(into));
            }
        }
    }

    fn csv(&mut self, into: &mut Vec<u8>) -> io::Result<bool> {
        let (mut seen, mut quoted) = (0, false);
        loop {
            let unread = self.unread();
            while let Some(at) = memchr::memchr2(b'\n', b'"', &unread[seen..]) {
                let at = seen + at;
                seen = at + 1;
                if unread[at] == b'"' {
                    quoted = !quoted;
                } else if !quoted {
                    self.take(at, 1, into);
                    trim_return(into);
                    return Ok(true);
                }
            }
            seen = unread.len();
            if !self.more()? {
                let found = self.rest(into);
                trim_return(into);
                return Ok(found);
            }
        }
    }
}

/// The first match that is not empty: an empty one ends no record.
fn first_match(regex: &Regex, subject: &[u8], mut from: usize) -> Option<(usize, usize)> {
    while let Some((start, end)) = regex.find(subject, from) {
        if start < end {
            return Some((start, end));
        }
        if start >= subject.len() {
            return None;
        }
        from = start + 1;
    }
    None
}

fn trim_return(line: &mut Vec<u8>) {
    if line.last() == Some(&b'\r') {
        line.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, so that every way to be cut in two is tried.
    struct Slow(Vec<u8>, usize);

    impl Read for Slow {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            match self.0.get(self.1) {
                Some(byte) => {
                    into[0] = *byte;
                    self.1 += 1;
                    Ok(1)
                }
                None => Ok(0),
            }
        }
    }

    fn records(text: &str, terminator: &Terminator) -> Vec<String> {
        let mut sources: Vec<Box<dyn Read>> = vec![
            Box::new(io::Cursor::new(text.as_bytes().to_vec())),
            Box::new(Slow(text.as_bytes().to_vec(), 0)),
        ];
        let mut both = sources.drain(..).map(|source| {
            let (mut reader, mut record, mut records) = (Reader::new(source), Vec::new(), Vec::new());
            while reader.read(terminator, &mut record).expect("no error") {
                records.push(String::from_utf8_lossy(&record).into_owned());
            }
            records
        });
        let (at_once, slowly) = (both.next().unwrap(), both.next().unwrap());
        assert_eq!(at_once, slowly);
        at_once
    }

    #[test]
    fn records_end_where_rs_says() {
        for (rs, text, expected) in [
            ("\n", "a\nb\n", vec!["a", "b"]),
            ("\n", "a\n\nb", vec!["a", "", "b"]),
            ("\n", "", vec![]),
            (";", "a;b;c\n", vec!["a", "b", "c\n"]),
            (";", "a;", vec!["a"]),
            ("", "\n\na\nb\n\n\n\nc\n", vec!["a\nb", "c"]),
            ("", "a\n\n", vec!["a"]),
            ("", "\n\n", vec![]),
            ("[0-9]+", "a1b22c", vec!["a", "b", "c"]),
            ("ab|abc", "xabcy", vec!["x", "y"]),
            ("\n\n+", "a\n\n\nb", vec!["a", "b"]),
            ("x*", "abc", vec!["abc"]),
            ("12", "a12b12", vec!["a", "b"]),
            ("^a", "aaa1", vec!["", "aa1"]),
        ] {
            let terminator = Terminator::of(rs.as_bytes(), &mut Cache::default()).expect("a separator");
            assert_eq!(records(text, &terminator), expected, "{text:?} by {rs:?}");
        }
        assert_eq!(records("a,\"b\nc\"\r\nd\n", &Terminator::Csv), ["a,\"b\nc\"", "d"]);
    }
}
