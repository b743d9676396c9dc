//! Strings into pieces: records into fields, and `split`.

use crate::regex::{Cache, Regex};
use crate::utf8;
use std::borrow::Cow;
use std::rc::Rc;

/// What lies between fields.
#[derive(Clone, Debug)]
pub enum Separator {
    /// Blanks and line ends, and those at the ends do not count.
    Blanks,
    /// This byte.
    Byte(u8),
    /// Nothing: every character is a field.
    Chars,
    /// A match of this expression.
    Regex(Rc<Regex>),
    /// A comma; fields may be quoted.
    Csv,
}

impl Separator {
    /// What a value of FS, or the third argument of `split`, means. In a record that is a paragraph, a line end
    /// separates fields as well, unless FS is an expression.
    ///
    /// # Errors
    ///
    /// What is wrong with the expression.
    pub fn of(text: &[u8], paragraph: bool, regexes: &mut Cache) -> Result<Separator, String> {
        Ok(match text {
            b" " => Separator::Blanks,
            b"" => Separator::Chars,
            [byte] if byte.is_ascii() && !paragraph => Separator::Byte(*byte),
            text => {
                let source = match literal(text) {
                    Some(literal) if paragraph => [&literal, b"|\n".as_slice()].concat(),
                    Some(literal) => literal,
                    None => text.to_vec(),
                };
                Separator::Regex(regexes.get(&source)?)
            }
        })
    }

    /// Calls `field` with where each field begins and ends. Quoted fields of CSV are no pieces of the text, so [`csv`] gives those.
    #[inline]
    pub fn split(&self, text: &[u8], mut field: impl FnMut(usize, usize)) {
        match self {
            Separator::Blanks => blanks(text, field),
            _ if text.is_empty() => {}
            Separator::Byte(byte) => {
                let mut start = 0;
                for at in memchr::memchr_iter(*byte, text) {
                    field(start, at);
                    start = at + 1;
                }
                field(start, text.len());
            }
            Separator::Chars => {
                let mut at = 0;
                while at < text.len() {
                    let width = utf8::width(&text[at..]);
                    field(at, at + width);
                    at += width;
                }
            }
            Separator::Regex(regex) => {
                let (mut start, mut from) = (0, 0);
                while let Some((at, end)) = regex.find(text, from) {
                    if at == end {
                        // Nothing lies between two characters.
                        if at >= text.len() {
                            break;
                        }
                        from = at + utf8::width(&text[at..]);
                        continue;
                    }
                    field(start, at);
                    (start, from) = (end, end);
                }
                field(start, text.len());
            }
            Separator::Csv => Separator::Byte(b',').split(text, field),
        }
    }
}

/// The expression for one character that stands for itself.
fn literal(text: &[u8]) -> Option<Vec<u8>> {
    match text {
        b"\\" | b"^" => Some(vec![b'\\', text[0]]),
        [byte] if byte.is_ascii() => Some(vec![b'[', *byte, b']']),
        _ => None,
    }
}

#[inline]
fn blanks(text: &[u8], mut field: impl FnMut(usize, usize)) {
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n');
    let mut at = 0;
    loop {
        while at < text.len() && is_blank(text[at]) {
            at += 1;
        }
        if at >= text.len() {
            return;
        }
        let start = at;
        while at < text.len() && !is_blank(text[at]) {
            at += 1;
        }
        field(start, at);
    }
}

/// The fields of a line of comma-separated values: in a quoted one, two quotes are one.
pub fn csv<'a>(text: &'a [u8], mut field: impl FnMut(Cow<'a, [u8]>)) {
    if text.is_empty() {
        return;
    }
    let mut at = 0;
    loop {
        if text.get(at) == Some(&b'"') {
            let mut piece = Vec::new();
            at += 1;
            while let Some(&byte) = text.get(at) {
                at += 1;
                match byte {
                    b'"' if text.get(at) == Some(&b'"') => {
                        piece.push(b'"');
                        at += 1;
                    }
                    b'"' => break,
                    byte => piece.push(byte),
                }
            }
            let end = memchr::memchr(b',', &text[at..]).map_or(text.len(), |comma| at + comma);
            piece.extend_from_slice(&text[at..end]);
            field(Cow::Owned(piece));
            at = end;
        } else {
            let end = memchr::memchr(b',', &text[at..]).map_or(text.len(), |comma| at + comma);
            field(Cow::Borrowed(&text[at..end]));
            at = end;
        }
        if at >= text.len() {
            return;
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str, separator: &str, paragraph: bool) -> Vec<String> {
        let separator = Separator::of(separator.as_bytes(), paragraph, &mut Cache::default()).expect("a separator");
        let mut pieces = Vec::new();
        separator.split(text.as_bytes(), |start, end| pieces.push(text[start..end].to_owned()));
        pieces
    }

    #[test]
    fn fields() {
        for (text, separator, expected) in [
            ("  a b\tc\nd  ", " ", vec!["a", "b", "c", "d"]),
            ("", " ", vec![]),
            ("   ", " ", vec![]),
            ("a,b,,c", ",", vec!["a", "b", "", "c"]),
            (",", ",", vec!["", ""]),
            ("", ",", vec![]),
            ("a|b", "|", vec!["a", "b"]),
            ("a.b", ".", vec!["a", "b"]),
            ("a\\b", "\\", vec!["a", "b"]),
            ("a^b", "^", vec!["a", "b"]),
            ("a1b22c", "[0-9]+", vec!["a", "b", "c"]),
            (" a  b", " +", vec!["", "a", "b"]),
            ("abc", "", vec!["a", "b", "c"]),
            ("h\u{e9}", "", vec!["h", "\u{e9}"]),
            ("a\u{e9}b", "\u{e9}", vec!["a", "b"]),
            ("abc", "x*", vec!["abc"]),
            ("a b", "[ ]", vec!["a", "b"]),
            (" a b", "^ ", vec!["", "a b"]),
            ("aXXbXc", "XX|X", vec!["a", "b", "c"]),
        ] {
            assert_eq!(pieces(text, separator, false), expected, "{text:?} by {separator:?}");
        }
    }

    #[test]
    fn lines_of_a_paragraph_separate_fields_too() {
        for (separator, expected) in [
            (" ", vec!["a,b", "c", "d"]),
            (",", vec!["a", "b c", "d"]),
            ("[,]", vec!["a", "b c\nd"]),
            ("|", vec!["a,b c", "d"]),
            ("^", vec!["a,b c", "d"]),
            ("\\", vec!["a,b c", "d"]),
        ] {
            assert_eq!(pieces("a,b c\nd", separator, true), expected, "{separator}");
        }
    }

    #[test]
    fn comma_separated_values() {
        for (line, expected) in [
            ("a,b", vec!["a", "b"]),
            (",", vec!["", ""]),
            ("a,", vec!["a", ""]),
            ("\"a,b\",c", vec!["a,b", "c"]),
            ("\"a\"\"b\"", vec!["a\"b"]),
            ("\"\"", vec![""]),
            ("a\"\"b", vec!["a\"\"b"]),
            ("", vec![]),
            ("\"a", vec!["a"]),
        ] {
            let mut fields = Vec::new();
            csv(line.as_bytes(), |field| {
                fields.push(String::from_utf8_lossy(&field).into_owned())
            });
            assert_eq!(fields, expected, "{line}");
        }
    }
}
