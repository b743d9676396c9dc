//! The work of a section: its lines, what opens on them, and the markup between blank lines.

use super::super::tidy::{block_edge, is_headline, is_verbatim};
use super::blocks::{self, Opening};
use super::{Work, check_depth, inline};
use crate::error::Error;

/// Prices in nanoseconds.
const BYTE: u64 = 8;
const LINE: u64 = 150;
const BLANK_LINE: u64 = 100;
const HEADLINE: u64 = 1_700;
const TAG: u64 = 300;
const PARAGRAPH: u64 = 500;
const ITEM: u64 = 1_700;
/// A line that could begin something other than a paragraph.
const CANDIDATE: u64 = 800;
const CELL: u64 = 500;
const SCANNED_LINE: u64 = 100;
/// An attribute line, each time that orgize comes back to it.
const ATTRIBUTE: u64 = 1_500;

/// A headline, or the text between two of them.
pub(super) struct Section<'a> {
    text: &'a str,
    line: usize,
}

/// The headlines of a text and the sections between them, each with the number of its first line.
pub(super) fn sections(org: &str) -> impl Iterator<Item = Section<'_>> {
    let mut rest = org;
    let mut line = 1;
    std::iter::from_fn(move || {
        let mut lines = rest.split_inclusive('\n');
        let first = lines.next()?;
        let mut len = first.len();
        let mut count = 1;
        if !is_headline(first) {
            for next in lines.take_while(|next| !is_headline(next)) {
                len += next.len();
                count += 1;
            }
        }
        let (text, after) = rest.split_at(len);
        let section = Section { text, line };
        rest = after;
        line += count;
        Some(section)
    })
}

impl Section<'_> {
    /// Takes the price of the section, or refuses it.
    pub(super) fn check(&self, work: &mut Work) -> Result<(), Error> {
        if is_headline(self.text) {
            let tags = self.text.bytes().filter(|&b| b == b':').count() as u64;
            work.spend(HEADLINE + TAG * tags + BYTE * self.text.len() as u64, self.line)?;
            return inline::check(self.text.trim_start_matches('*'), self.line, work);
        }
        let mut openings = blocks::openings(self.text);
        let mut state = State::default();
        let mut at = 0;
        for (index, text) in self.text.split_inclusive('\n').enumerate() {
            let line = Line {
                text,
                at,
                number: self.line + index,
            };
            at += text.len();
            let opening = openings.pop_if(|opening| opening.at == line.at);
            work.spend(LINE + BYTE * text.len() as u64, line.number)?;
            if line.at < state.verbatim_until {
                continue;
            }
            if let Some(paragraph) = state.line(&line, opening, self.text.len(), work)? {
                inline::check(&self.text[paragraph.at..line.at], paragraph.number, work)?;
            }
        }
        state.end_attributes(work)?;
        match state.paragraph.take() {
            Some(paragraph) => inline::check(&self.text[paragraph.at..], paragraph.number, work),
            None => Ok(()),
        }
    }
}

struct Line<'a> {
    text: &'a str,
    at: usize,
    number: usize,
}

/// Where a stretch of lines without a blank one began.
#[derive(Clone, Copy)]
struct Start {
    at: usize,
    number: usize,
}

/// What may be open around a line.
enum Frame {
    /// An item of a list, until a line that is indented no more than this.
    Item(usize),
    /// A block, drawer or environment, until the line there.
    Block(usize),
}

#[derive(Default)]
struct State {
    frames: Vec<Frame>,
    paragraph: Option<Start>,
    /// The text before is shown as written, and orgize is known to skip it.
    verbatim_until: usize,
    attributes: Attributes,
    /// An attribute line may tie everything up to the next blank line into one paragraph.
    tied: bool,
}

/// Attribute lines in a row, and the blank lines after them. orgize comes back to each from each before it.
#[derive(Default)]
struct Attributes {
    lines: u64,
    bytes: u64,
    blank: u64,
    last: usize,
}

impl Attributes {
    /// How many stand right above the next line.
    fn right_above(&self) -> u64 {
        if self.blank == 0 { self.lines } else { 0 }
    }
}

impl State {
    /// Reads a line; gives back the start of the paragraph that it ends.
    fn line(
        &mut self,
        line: &Line,
        opening: Option<Opening>,
        section_end: usize,
        work: &mut Work,
    ) -> Result<Option<Start>, Error> {
        let trimmed = line.text.trim_ascii_start();
        if trimmed.is_empty() {
            work.spend(BLANK_LINE, line.number)?;
            self.attributes.blank += 1;
            self.tied = false;
            return Ok(self.paragraph.take());
        }
        let tied_to = self.attributes.right_above();
        if trimmed.starts_with("#+ATTR_") {
            self.attribute(line, work)?;
        } else {
            self.end_attributes(work)?;
        }
        self.close(line, trimmed, tied_to > 0);
        let surely_outside = self.frames.is_empty() && !self.tied;
        self.tied |= trimmed.starts_with("#+ATTR_");

        work.spend(price_of_start(trimmed), line.number)?;
        if starts_item(trimmed) {
            self.frames.push(Frame::Item(line.text.len() - trimmed.len()));
        }
        if let Some(opening) = opening {
            let scanned = opening.end.unwrap_or(section_end) - line.at;
            let price = SCANNED_LINE * opening.lines as u64 + scanned as u64;
            // From each attribute above a block that never closes, orgize looks for its end again.
            work.spend(price * (1 + tied_to), line.number)?;
            if let Some(end) = opening.end {
                if surely_outside && block_edge(line.text).is_some_and(|(_, name)| is_verbatim(name)) {
                    self.verbatim_until = end;
                    return Ok(self.paragraph.take());
                }
                self.frames.push(Frame::Block(end));
            }
        }
        check_depth(self.frames.len(), line.number)?;
        if self.paragraph.is_none() {
            work.spend(PARAGRAPH, line.number)?;
            self.paragraph = Some(Start {
                at: line.at,
                number: line.number,
            });
        }
        Ok(None)
    }

    /// Closes what surely does not reach this line. A line tied to attributes belongs where they stand.
    fn close(&mut self, line: &Line, trimmed: &str, after_attribute: bool) {
        self.frames
            .retain(|frame| !matches!(frame, Frame::Block(end) if *end <= line.at));
        let indent = line.text.len() - trimmed.len();
        while !after_attribute && matches!(self.frames.last(), Some(Frame::Item(item)) if *item >= indent) {
            self.frames.pop();
        }
    }

    fn attribute(&mut self, line: &Line, work: &mut Work) -> Result<(), Error> {
        if self.attributes.blank > 0 {
            self.end_attributes(work)?;
        }
        self.attributes.lines += 1;
        self.attributes.bytes += line.text.len() as u64;
        self.attributes.last = line.number;
        Ok(())
    }

    fn end_attributes(&mut self, work: &mut Work) -> Result<(), Error> {
        let Attributes {
            lines,
            bytes,
            blank,
            last,
        } = std::mem::take(&mut self.attributes);
        work.spend(lines * (ATTRIBUTE * (lines + blank) + 2 * bytes), last)
    }
}

fn starts_item(line: &str) -> bool {
    line.starts_with(|c: char| matches!(c, '-' | '+' | '*' | '0'..='9'))
}

/// What it costs to look at how a line starts, and to make what it makes.
fn price_of_start(line: &str) -> u64 {
    match line.as_bytes()[0] {
        _ if starts_item(line) => ITEM,
        b'|' => CANDIDATE + CELL * line.bytes().filter(|&b| b == b'|').count() as u64,
        b'[' | b'C' | b':' | b'#' | b'\\' => CANDIDATE,
        _ => 0,
    }
}
