//! `sub`, `gsub` and `gensub`.

use super::Machine;
use crate::copy::append;
use crate::regex::{Regex, Span};
use crate::text::Text;
use crate::utf8;
use crate::value::Value;

/// Which matches are replaced.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    All,
    /// Counted from 1.
    Number(usize),
}

/// A part of what is put in place of a match.
enum Part {
    Text(Vec<u8>),
    /// What a group took; 0 is all of the match.
    Group(usize),
}

/// What is put in place of a match.
enum Replacement<'a> {
    /// The same each time.
    Fixed(&'a [u8]),
    Parts(Vec<Part>),
}

impl Replacement<'_> {
    /// What `sub` and `gsub` mean by these bytes.
    fn plain(bytes: &[u8]) -> Replacement<'_> {
        match memchr::memchr2(b'&', b'\\', bytes) {
            None => Replacement::Fixed(bytes),
            Some(_) => Replacement::Parts(plain(bytes)),
        }
    }

    fn needs_groups(&self) -> bool {
        match self {
            Replacement::Fixed(_) => false,
            Replacement::Parts(parts) => parts.iter().any(|part| matches!(part, Part::Group(1..))),
        }
    }
}

/// `&` is the match, `\&` an ampersand, `\\&` a backslash and the match. Any other backslash is one.
fn plain(replacement: &[u8]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text = Vec::new();
    let mut at = 0;
    while let Some(&byte) = replacement.get(at) {
        match (byte, &replacement[at + 1..]) {
            (b'\\', [b'\\', b'&', ..]) => {
                text.push(b'\\');
                at += 1;
            }
            (b'\\', [b'&', ..]) => {
                text.push(b'&');
                at += 1;
            }
            (b'\\', [b'\\', b'\\', b'&', ..]) => {
                text.extend_from_slice(b"\\&");
                at += 3;
            }
            (b'\\', [b'\\', ..]) => {
                text.extend_from_slice(b"\\\\");
                at += 1;
            }
            (b'&', _) => {
                parts.push(Part::Text(std::mem::take(&mut text)));
                parts.push(Part::Group(0));
            }
            _ => text.push(byte),
        }
        at += 1;
    }
    parts.push(Part::Text(text));
    parts
}

/// The same with `\0` to `\9`, for `gensub`.
fn with_groups(replacement: &[u8]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text = Vec::new();
    let mut at = 0;
    while let Some(&byte) = replacement.get(at) {
        let group = match (byte, replacement.get(at + 1)) {
            (b'\\', Some(digit @ b'0'..=b'9')) => {
                at += 1;
                Some(usize::from(digit - b'0'))
            }
            (b'\\', Some(b'&' | b'\\')) => {
                at += 1;
                text.push(replacement[at]);
                None
            }
            (b'&', _) => Some(0),
            _ => {
                text.push(byte);
                None
            }
        };
        if let Some(group) = group {
            parts.push(Part::Text(std::mem::take(&mut text)));
            parts.push(Part::Group(group));
        }
        at += 1;
    }
    parts.push(Part::Text(text));
    parts
}

/// Replaces matches, of which the first is known, and answers how many were. What was replaced is written with all that
/// is around it, unless nothing was.
fn replace(
    regex: &Regex,
    subject: &[u8],
    first: Span,
    replacement: &Replacement,
    which: Which,
    to: &mut Vec<u8>,
) -> usize {
    let needs_groups = replacement.needs_groups();
    let (mut copied, mut count, mut seen) = (0, 0, 0);
    let mut last_end = None;
    let mut found = Some(first);
    while let Some((start, end)) = found {
        // Right behind a match there is no empty one.
        if start < end || last_end != Some(start) {
            seen += 1;
            if which == Which::All || which == Which::Number(seen) {
                count += 1;
                append(to, &subject[copied..start]);
                let groups = match needs_groups {
                    true => regex.groups(subject, (start, end)),
                    false => Vec::new(),
                };
                write(to, replacement, subject, (start, end), &groups);
                copied = end;
            }
            if which == Which::Number(seen) {
                break;
            }
        }
        last_end = Some(end);
        let from = match start == end {
            true if end >= subject.len() => break,
            true => end + utf8::width(&subject[end..]),
            false => end,
        };
        found = regex.find(subject, from);
    }
    if count > 0 {
        append(to, &subject[copied..]);
    }
    count
}

fn write(to: &mut Vec<u8>, replacement: &Replacement, subject: &[u8], whole: Span, groups: &[Option<Span>]) {
    let parts = match replacement {
        Replacement::Fixed(bytes) => return append(to, bytes),
        Replacement::Parts(parts) => parts,
    };
    for part in parts {
        let span = match part {
            Part::Text(text) => {
                append(to, text);
                continue;
            }
            Part::Group(0) => Some(whole),
            Part::Group(number) => groups.get(*number).copied().flatten(),
        };
        if let Some((start, end)) = span {
            append(to, &subject[start..end]);
        }
    }
}

impl Machine<'_> {
    /// `target replacement -> count`, with the result pending.
    pub(super) fn substitute(&mut self, regex: &Regex, all: bool) -> Value {
        let replacement = self.pop();
        let target = self.pop();
        let subject = target.bytes(&self.convfmt);
        let Some(first) = regex.find(&subject, 0) else {
            return Value::Number(0.0);
        };
        let which = if all { Which::All } else { Which::Number(1) };
        let replacement = replacement.bytes(&self.convfmt);
        self.line.clear();
        let count = replace(
            regex,
            &subject,
            first,
            &Replacement::plain(&replacement),
            which,
            &mut self.line,
        );
        self.pending = Text::new(&self.line);
        Value::Number(count as f64)
    }

    /// `replacement -> count`; the record is what comes out.
    pub(super) fn substitute_record(&mut self, all: bool) {
        let replacement = self.pop();
        let regex = self.regex.take();
        let subject = self.record.text(&self.ofs, &self.convfmt);
        let found = regex.and_then(|regex| regex.find(subject, 0).map(|first| (regex, first)));
        let Some((regex, first)) = found else {
            return self.push_number(0.0);
        };
        let which = if all { Which::All } else { Which::Number(1) };
        let replacement = replacement.bytes(&self.convfmt);
        self.line.clear();
        let count = replace(
            &regex,
            subject,
            first,
            &Replacement::plain(&replacement),
            which,
            &mut self.line,
        );
        self.record.exchange(&mut self.line);
        self.push_number(count as f64);
    }

    /// `target replacement how -> text`
    pub(super) fn gensub(&mut self, regex: &Regex) -> Value {
        let how = self.pop();
        let replacement = self.pop();
        let target = self.pop();
        let subject = self.bytes_of(&target);
        let which = match self.bytes_of(&how).first() {
            Some(b'g' | b'G') => Which::All,
            _ => Which::Number(how.number().max(1.0) as usize),
        };
        let replacement = Replacement::Parts(with_groups(&self.bytes_of(&replacement)));
        let mut result = Vec::with_capacity(subject.len() + 16);
        let count = match regex.find(&subject, 0) {
            Some(first) => replace(regex, &subject, first, &replacement, which, &mut result),
            None => 0,
        };
        match count {
            0 => Value::text(&subject),
            _ => Value::Text(Text::from_vec(result)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn substituted(regex: &str, replacement: &str, subject: &str, which: Which, groups: bool) -> String {
        let regex = Regex::new(regex.as_bytes()).expect("an expression");
        let replacement = match groups {
            true => Replacement::Parts(with_groups(replacement.as_bytes())),
            false => Replacement::plain(replacement.as_bytes()),
        };
        let mut result = Vec::new();
        let Some(first) = regex.find(subject.as_bytes(), 0) else {
            return subject.to_owned();
        };
        match replace(&regex, subject.as_bytes(), first, &replacement, which, &mut result) {
            0 => subject.to_owned(),
            _ => String::from_utf8(result).expect("UTF-8"),
        }
    }

    #[test]
    fn gsub_replaces_every_match() {
        for (regex, replacement, subject, expected) in [
            ("a", "b", "banana", "bbnbnb"),
            ("x*", "-", "abc", "-a-b-c-"),
            ("b*", "X", "abc", "XaXcX"),
            ("^a", "b", "aaa", "baa"),
            ("$", "!", "abc", "abc!"),
            ("^", ">", "abc", ">abc"),
            ("", "-", "ab", "-a-b-"),
            ("b", "[&]", "abc", "a[b]c"),
            ("b", "[\\&]", "abc", "a[&]c"),
            ("b", "[\\\\&]", "abc", "a[\\b]c"),
            ("b", "[\\\\\\&]", "abc", "a[\\&]c"),
            ("b", "\\\\", "abc", "a\\\\c"),
            ("b", "\\q", "abc", "a\\qc"),
            ("[0-9]+", "", "a1b22c", "abc"),
            ("a", "", "aaa", ""),
            ("x*", "-", "\u{e9}", "-\u{e9}-"),
            ("a|ab", "X", "abab", "XX"),
            (" +$", "", "a b  ", "a b"),
        ] {
            assert_eq!(
                substituted(regex, replacement, subject, Which::All, false),
                expected,
                "{regex} in {subject}"
            );
        }
    }

    #[test]
    fn gensub_knows_groups_and_numbers() {
        for (regex, replacement, subject, which, expected) in [
            ("(a+)(b+)", "\\2\\1", "xaabby", Which::All, "xbbaay"),
            ("a", "[\\0]", "banana", Which::Number(2), "ban[a]na"),
            ("a", "x", "banana", Which::Number(9), "banana"),
            ("(a)|(b)", "<\\1\\2>", "ab", Which::All, "<a><b>"),
            ("a", "\\\\", "a", Which::All, "\\"),
        ] {
            assert_eq!(substituted(regex, replacement, subject, which, true), expected);
        }
    }
}
