//! A spot in a text that a person can be pointed at.

use std::ops::Range;

/// One line of a text, and what to underline in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The name of the text, usually a path.
    pub name: String,
    /// Line number, from 1.
    pub line: usize,
    /// The line without its end.
    pub text: String,
    /// The bytes of `text` to underline.
    pub span: Range<usize>,
}

/// How much of a line is kept after the span; nobody reads a megabyte to find a caret.
const TAIL: usize = 200;

impl Place {
    /// Points at `phrase` if it stands at `column`, else at the word there. Columns count characters from 1.
    pub fn phrase(name: &str, line: usize, text: &str, column: usize, phrase: &str) -> Self {
        let start = byte_of(text, column);
        let rest = &text[start..];
        let length = if rest.starts_with(phrase) {
            phrase.len()
        } else {
            let ends = |c: char| c.is_whitespace() || c == ',';
            rest.find(ends).unwrap_or(rest.len())
        };
        Place::new(name, line, text, start..start + length)
    }

    /// Points at the one character at `column`, or just after the end.
    pub fn character(name: &str, line: usize, text: &str, column: usize) -> Self {
        let start = byte_of(text, column);
        let width = text[start..].chars().next().map_or(0, char::len_utf8);
        Place::new(name, line, text, start..start + width)
    }

    /// Points at a whole line, but for the blanks around it.
    pub fn line(name: &str, line: usize, text: &str) -> Self {
        let start = text.len() - text.trim_start().len();
        Place::new(name, line, text, start..text.trim_end().len().max(start))
    }

    fn new(name: &str, line: usize, text: &str, span: Range<usize>) -> Self {
        let end = text.floor_char_boundary(span.start.saturating_add(TAIL));
        Place {
            name: name.to_owned(),
            line,
            text: text[..end].to_owned(),
            span: span.start..span.end.min(end),
        }
    }
}

fn byte_of(text: &str, column: usize) -> usize {
    text.char_indices()
        .nth(column.saturating_sub(1))
        .map_or(text.len(), |(byte, _)| byte)
}
