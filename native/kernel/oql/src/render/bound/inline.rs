//! The work of a paragraph: what its markup, links, footnotes and formulas scan.
//!
//! One pass from the end of the text to its start, so that at every place the nearest ends to its right are known.

use super::marks::{Closes, Marks};
use super::{MAX_DEPTH, Work, check_depth};
use crate::error::Error;

/// Prices in nanoseconds.
const MARK: u64 = 60;
const OBJECT: u64 = 700;
const BRACKET: u64 = 500;
const ANGLE: u64 = 200;
const TIMESTAMP: u64 = 1_500;
const BACKSLASH: u64 = 500;
const DOLLAR: u64 = 450;
const AT: u64 = 400;
/// A byte of a scan that looks at every byte, or at every bracket.
const SCANNED: u64 = 4;

/// How far to look back for the start of a name. No entity has a longer one.
const LONGEST_NAME: usize = 32;

/// The marks of markup in which other markup may stand. Those of code come after them.
const NESTING: &[u8; 4] = b"*+/_";

/// Takes the price of a text without blank lines, or refuses it.
pub(super) fn check(text: &str, line: usize, work: &mut Work) -> Result<(), Error> {
    let mut scan = Scan::new(text.as_bytes());
    for at in (0..text.len()).rev() {
        let price = scan.step(at);
        if price > 0 {
            work.spend(price, line)?;
        }
    }
    match scan.too_deep() {
        Some(at) => check_depth(MAX_DEPTH + 1, line + text[..at].matches('\n').count()),
        None => Ok(()),
    }
}

struct Scan<'a> {
    text: &'a [u8],
    marks: [Marks; 6],
    /// The ends of this line and of the next.
    newlines: [usize; 2],
    /// Closing brackets and braces without an opening one yet.
    brackets: Vec<usize>,
    braces: Vec<usize>,
    /// The nearest `[` or `]`, and the one after it.
    any_bracket: [usize; 2],
    /// Where the path of a link ends, and how long a description is read from there.
    path_end: (usize, usize),
    diary_end: usize,
    macro_end: usize,
    parens_end: usize,
    square_end: usize,
    /// Whether a mark here closes, and one right after it.
    closes: [Closes; 2],
    /// What could be open: from, to. The last one first.
    spans: Vec<(usize, usize)>,
}

impl<'a> Scan<'a> {
    fn new(text: &'a [u8]) -> Self {
        let end = text.len();
        Scan {
            text,
            marks: std::array::from_fn(|_| Marks::new(end)),
            newlines: [end, end],
            brackets: vec![],
            braces: vec![],
            any_bracket: [end, end],
            path_end: (end, 0),
            diary_end: end,
            macro_end: end,
            parens_end: end,
            square_end: end,
            closes: [Closes::Never; 2],
            spans: vec![],
        }
    }

    /// Reads the byte at `at`; gives the price of what could begin there.
    fn step(&mut self, at: usize) -> u64 {
        let rest = &self.text[at..];
        let end = self.text.len();
        let to = |end: usize| SCANNED * (end - at) as u64;
        self.closes = [Closes::Never, self.closes[0]];
        match rest[0] {
            b'\n' => {
                self.newlines = [at, self.newlines[0]];
                self.marks.iter_mut().for_each(Marks::newline);
                self.path_end = (at, 0);
                self.diary_end = at;
                0
            }
            b'*' => self.emphasis(0, at),
            b'+' => self.emphasis(1, at),
            b'/' => self.emphasis(2, at),
            b'_' => self.emphasis(3, at),
            b'=' => self.emphasis(4, at),
            b'~' => self.emphasis(5, at),
            b']' => {
                let description = match rest.get(1) {
                    Some(b'[') => self.any_bracket[1] - at,
                    _ => 0,
                };
                self.path_end = (at, description);
                self.any_bracket = [at, self.any_bracket[0]];
                self.brackets.push(at);
                0
            }
            b'[' => {
                let close = self.brackets.pop();
                self.any_bracket = [at, self.any_bracket[0]];
                match rest.get(1) {
                    Some(b'[') => BRACKET + to(self.path_end.0 + self.path_end.1),
                    Some(b'0'..=b'9') => TIMESTAMP,
                    Some(b'f') if rest.starts_with(b"[fn:") => {
                        self.spans.extend(close.map(|close| (at, close)));
                        BRACKET + OBJECT + to(close.unwrap_or(end))
                    }
                    _ => BRACKET,
                }
            }
            b'}' => {
                self.braces.push(at);
                0
            }
            b'{' => {
                let close = self.braces.pop();
                let index = at > 0 && matches!(self.text[at - 1], b'_' | b'^');
                if index {
                    self.spans.extend(close.map(|close| (at - 1, close)));
                }
                MARK + match (index, opens_macro(rest)) {
                    (true, _) => OBJECT + to(close.unwrap_or(end)),
                    (_, true) => OBJECT + to(self.macro_end),
                    _ => 0,
                }
            }
            b'<' => {
                self.path_end = (at, 0);
                match rest.get(1) {
                    Some(b'0'..=b'9') => TIMESTAMP,
                    Some(b'<') => ANGLE + OBJECT,
                    Some(b'%') => ANGLE + to(self.diary_end),
                    _ => ANGLE,
                }
            }
            b'>' => {
                self.path_end = (at, 0);
                self.diary_end = at;
                0
            }
            b')' => {
                self.diary_end = at;
                if rest.starts_with(b")}}}") {
                    self.macro_end = at;
                }
                0
            }
            b'\\' => {
                BACKSLASH
                    + match rest.get(1) {
                        Some(b'(') => to(self.parens_end),
                        Some(b'[') => to(self.square_end),
                        Some(b')') => {
                            self.parens_end = at;
                            0
                        }
                        Some(b']') => {
                            self.square_end = at;
                            0
                        }
                        _ => 0,
                    }
            }
            b'c' if rest.starts_with(b"call_") => 2 * OBJECT + to(self.newlines[0]),
            b's' if rest.starts_with(b"src_") => 2 * OBJECT + to(self.newlines[0]),
            b'$' => DOLLAR,
            b'@' => AT,
            b'^' => MARK,
            _ => 0,
        }
    }

    /// The last two kinds of marks are for code, in which nothing nests.
    fn emphasis(&mut self, kind: usize, at: usize) -> u64 {
        let mut price = MARK;
        if self.may_open(at) {
            let found = self.marks[kind].open(at, self.newlines[1]);
            price += found.price;
            if let Some(close) = found.close {
                price += OBJECT;
                if kind < NESTING.len() {
                    self.spans.push((at, close));
                }
            }
        }
        self.closes[0] = self.closes(at);
        self.marks[kind].see(at, self.closes[0]);
        price
    }

    /// Markup opens before text, at the start of something that contains text, and after what may stand before markup
    /// or may end another object.
    fn may_open(&self, at: usize) -> bool {
        if self.text.get(at + 1).is_none_or(u8::is_ascii_whitespace) {
            return false;
        }
        // Markup right inside markup opens if the outermost does. A run too long to nest is refused anyway.
        let outer = self.text[..at]
            .iter()
            .rev()
            .take(MAX_DEPTH)
            .take_while(|b| NESTING.contains(b))
            .count();
        let before = &self.text[..at - outer];
        let word = before
            .iter()
            .rev()
            .take(LONGEST_NAME)
            .take_while(|b| b.is_ascii_alphanumeric())
            .count();
        match before.last() {
            None => true,
            Some(_) if word > 0 => before[..before.len() - word].ends_with(b"\\"),
            Some(b':') => before.ends_with(b"::") || defines_footnote(before),
            Some(last) => last.is_ascii_whitespace() || b"-({\\\"])}>$@[<|".contains(last) || outer == MAX_DEPTH,
        }
    }

    /// Whether a mark closes markup: for sure, or only if it is the last one of a cell, a link, other markup.
    fn closes(&self, at: usize) -> Closes {
        if at == 0 || self.text[at - 1].is_ascii_whitespace() {
            return Closes::Never;
        }
        match self.text.get(at + 1) {
            None => Closes::Surely,
            Some(next) if next.is_ascii_whitespace() || b"-.,;:!?')}[".contains(next) => Closes::Surely,
            Some(b']' | b'>' | b'|') => Closes::Maybe,
            Some(next) if NESTING.contains(next) && self.closes[1] != Closes::Never => Closes::Maybe,
            Some(_) => Closes::Never,
        }
    }

    /// A place where more may be open than is allowed.
    fn too_deep(&self) -> Option<usize> {
        let mut open: Vec<usize> = vec![];
        self.spans.iter().rev().find_map(|&(from, to)| {
            open.retain(|&end| end > from);
            open.push(to);
            (open.len() > MAX_DEPTH).then_some(from)
        })
    }
}

/// Whether a text ends like `[fn:label:`.
fn defines_footnote(text: &[u8]) -> bool {
    let label = text
        .iter()
        .rev()
        .skip(1)
        .take(LONGEST_NAME)
        .take_while(|b| is_label(b))
        .count();
    label == LONGEST_NAME || text[..text.len() - 1 - label].ends_with(b"[fn:")
}

fn is_label(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// Whether a text starts like `{{{name(`.
fn opens_macro(text: &[u8]) -> bool {
    let Some(name) = text.strip_prefix(b"{{{") else {
        return false;
    };
    name.iter().find(|b| !is_label(b)) == Some(&b'(')
}
