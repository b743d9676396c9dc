//! The text of an expression as a tree.

use crate::utf8;
use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition,
};

/// How deep groups may be nested.
const MOST_NESTED: usize = 200;
/// The largest count in `{n,m}`.
const MOST_REPEATED: u32 = 32_767;

/// What a character is.
#[derive(Clone, Copy, PartialEq)]
pub enum Dialect {
    /// Whatever UTF-8 says.
    Utf8,
    /// The same, and every byte beyond ASCII: for subjects that are not UTF-8 throughout.
    Bytes,
}

pub struct Tree {
    pub hir: Hir,
    /// Whether it has something that stands for any character.
    pub wants_utf8: bool,
}

impl Tree {
    /// The string that it is, if it is nothing else.
    pub fn literal(&self) -> Option<Vec<u8>> {
        match self.hir.kind() {
            HirKind::Literal(literal) => Some(literal.0.to_vec()),
            _ => None,
        }
    }

    /// The string behind `^`, if it is nothing else.
    pub fn prefix(&self) -> Option<Vec<u8>> {
        match self.hir.kind() {
            HirKind::Concat(parts) => match parts.as_slice() {
                [first, second] => match (first.kind(), second.kind()) {
                    (HirKind::Look(Look::Start), HirKind::Literal(literal)) => Some(literal.0.to_vec()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether taking as much as possible from the left gives the longest match: so it is when no more than one part can
    /// vary in length, and that one is a repeated character.
    pub fn greedy_is_longest(&self) -> bool {
        let parts = match self.hir.kind() {
            HirKind::Concat(parts) => parts.as_slice(),
            _ => std::slice::from_ref(&self.hir),
        };
        let varies = |part: &Hir| {
            let properties = part.properties();
            properties.minimum_len() != properties.maximum_len() || properties.maximum_len().is_none()
        };
        let mut varying = parts.iter().filter(|part| varies(part));
        let first = varying.next();
        let simple = first.is_none_or(|part| match part.kind() {
            HirKind::Class(_) => true,
            HirKind::Repetition(repeated) => matches!(repeated.sub.kind(), HirKind::Class(_) | HirKind::Literal(_)),
            _ => false,
        });
        simple && varying.next().is_none()
    }

    /// The same, and nothing behind it.
    pub fn to_the_end(&self) -> Hir {
        Hir::concat(vec![self.hir.clone(), Hir::look(Look::End)])
    }
}

/// Reads an expression.
///
/// # Errors
///
/// What is wrong with it.
pub fn parse(source: &[u8], dialect: Dialect) -> Result<Tree, String> {
    let mut parser = Parser {
        source,
        at: 0,
        dialect,
        groups: 0,
        wants_utf8: false,
    };
    let hir = parser.alternation(0)?;
    match parser.peek() {
        None => Ok(Tree {
            hir,
            wants_utf8: parser.wants_utf8,
        }),
        Some(_) => Err("unmatched )".into()),
    }
}

struct Parser<'a> {
    source: &'a [u8],
    at: usize,
    dialect: Dialect,
    groups: u32,
    wants_utf8: bool,
}

/// What a backslash and a character stand for.
enum Escape {
    Byte(u8),
    Char(char),
    Part(Hir),
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.source.get(self.at).copied()
    }

    fn alternation(&mut self, depth: usize) -> Result<Hir, String> {
        if depth > MOST_NESTED {
            return Err("groups nested too deep".into());
        }
        let mut alternatives = vec![self.sequence(depth)?];
        while self.peek() == Some(b'|') {
            self.at += 1;
            alternatives.push(self.sequence(depth)?);
        }
        Ok(match alternatives.len() {
            1 => alternatives.remove(0),
            _ => Hir::alternation(alternatives),
        })
    }

    fn sequence(&mut self, depth: usize) -> Result<Hir, String> {
        let mut parts = Vec::new();
        // Behind nothing, or behind an anchor, a repetition has nothing to repeat and stands for itself.
        let mut repeatable = false;
        while let Some(byte) = self.peek() {
            let part = match byte {
                b'|' => break,
                b')' if depth > 0 => break,
                b')' => return Err("unmatched )".into()),
                b'^' => {
                    self.at += 1;
                    repeatable = false;
                    parts.push(Hir::look(Look::Start));
                    continue;
                }
                b'$' => {
                    self.at += 1;
                    Hir::look(Look::End)
                }
                b'*' | b'+' | b'?' if !repeatable => self.character(),
                b'(' => self.group(depth)?,
                b'[' => self.bracket()?,
                b'.' => {
                    self.at += 1;
                    self.any(&[])
                }
                b'\\' => match self.escape() {
                    Escape::Byte(byte) => Hir::literal([byte]),
                    Escape::Char(char) => Hir::literal(char.encode_utf8(&mut [0; 4]).as_bytes()),
                    Escape::Part(hir) => hir,
                },
                _ => self.character(),
            };
            parts.push(self.repeated(part)?);
            repeatable = true;
        }
        Ok(Hir::concat(parts))
    }

    /// One character as itself.
    fn character(&mut self) -> Hir {
        let width = utf8::width(&self.source[self.at..]);
        self.at += width;
        Hir::literal(&self.source[self.at - width..self.at])
    }

    fn group(&mut self, depth: usize) -> Result<Hir, String> {
        self.at += 1;
        self.groups += 1;
        let index = self.groups;
        let sub = self.alternation(depth + 1)?;
        if self.peek() != Some(b')') {
            return Err("unmatched (".into());
        }
        self.at += 1;
        Ok(Hir::capture(Capture {
            index,
            name: None,
            sub: Box::new(sub),
        }))
    }

    fn repeated(&mut self, mut part: Hir) -> Result<Hir, String> {
        let mut nested = 0;
        loop {
            let (min, max, length) = match self.peek() {
                Some(b'*') => (0, None, 1),
                Some(b'+') => (1, None, 1),
                Some(b'?') => (0, Some(1), 1),
                Some(b'{') => match self.interval()? {
                    Some(interval) => interval,
                    None => return Ok(part),
                },
                _ => return Ok(part),
            };
            self.at += length;
            nested += 1;
            if nested > MOST_NESTED {
                return Err("repetitions nested too deep".into());
            }
            part = Hir::repetition(Repetition {
                min,
                max,
                greedy: true,
                sub: Box::new(part),
            });
        }
    }

    /// `{n}`, `{n,}`, `{n,m}`, `{,m}` and their length; any other brace stands for itself.
    fn interval(&self) -> Result<Option<(u32, Option<u32>, usize)>, String> {
        let rest = &self.source[self.at + 1..];
        let Some(end) = memchr::memchr(b'}', rest) else {
            return Ok(None);
        };
        let count = |digits: &[u8]| -> Option<u32> {
            let digits = std::str::from_utf8(digits).ok()?;
            digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(())?;
            match digits.parse() {
                Ok(count) => Some(count),
                Err(_) => (!digits.is_empty()).then_some(u32::MAX),
            }
        };
        let body = &rest[..end];
        let bounds = match memchr::memchr(b',', body) {
            None => count(body).map(|count| (count, Some(count))),
            Some(at) => match (count(&body[..at]), &body[at + 1..]) {
                (Some(min), b"") => Some((min, None)),
                (Some(min), max) => count(max).map(|max| (min, Some(max))),
                (None, max) if at == 0 && !max.is_empty() => count(max).map(|max| (0, Some(max))),
                _ => None,
            },
        };
        let Some((min, max)) = bounds else { return Ok(None) };
        if min > MOST_REPEATED || max.is_some_and(|max| max > MOST_REPEATED) {
            return Err("repetition count too large".into());
        }
        if max.is_some_and(|max| max < min) {
            return Err("invalid repetition count".into());
        }
        Ok(Some((min, max, end + 2)))
    }

    /// A backslash and what follows it. Before an ordinary character it says nothing.
    fn escape(&mut self) -> Escape {
        self.at += 1;
        let Some(byte) = self.peek() else {
            return Escape::Byte(b'\\');
        };
        let word = [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
        let space = [('\t', '\r'), (' ', ' ')];
        let part = match byte {
            b'y' => Hir::look(Look::WordAscii),
            b'B' => Hir::look(Look::WordAsciiNegate),
            b'<' => Hir::look(Look::WordStartAscii),
            b'>' => Hir::look(Look::WordEndAscii),
            b'`' => Hir::look(Look::Start),
            b'\'' => Hir::look(Look::End),
            b'w' => class(&word),
            b'W' => {
                self.at += 1;
                return Escape::Part(self.any(&word));
            }
            b's' => class(&space),
            b'S' => {
                self.at += 1;
                return Escape::Part(self.any(&space));
            }
            _ => return self.character_escape(),
        };
        self.at += 1;
        Escape::Part(part)
    }

    /// An escape that is one character, inside brackets or outside.
    fn character_escape(&mut self) -> Escape {
        let rest = &self.source[self.at..];
        let (value, length) = escaped(rest);
        self.at += length;
        match value {
            Some(byte) => Escape::Byte(byte),
            None => match std::str::from_utf8(&rest[..length])
                .ok()
                .and_then(|text| text.chars().next())
            {
                Some(char) => Escape::Char(char),
                None => Escape::Byte(rest[0]),
            },
        }
    }

    /// Any character but these.
    fn any(&mut self, but: &[(char, char)]) -> Hir {
        self.wants_utf8 = true;
        let mut set = ClassUnicode::new(but.iter().map(|&(start, end)| ClassUnicodeRange::new(start, end)));
        set.negate();
        self.with_bytes(set, 0x80..=0xff)
    }

    fn with_bytes(&self, set: ClassUnicode, bytes: std::ops::RangeInclusive<u8>) -> Hir {
        let chars = Hir::class(Class::Unicode(set));
        if self.dialect == Dialect::Utf8 {
            return chars;
        }
        let bytes = ClassBytes::new([ClassBytesRange::new(*bytes.start(), *bytes.end())]);
        Hir::alternation(vec![chars, Hir::class(Class::Bytes(bytes))])
    }

    fn bracket(&mut self) -> Result<Hir, String> {
        let unfinished = || "nonterminated character class".to_owned();
        self.at += 1;
        let negated = self.peek() == Some(b'^');
        self.at += usize::from(negated);
        let mut chars: Vec<(char, char)> = Vec::new();
        let mut bytes: Vec<u8> = Vec::new();
        let mut first = true;
        loop {
            let byte = self.peek().ok_or_else(unfinished)?;
            if byte == b']' && !first {
                self.at += 1;
                break;
            }
            first = false;
            if byte == b'['
                && self.source.get(self.at + 1) == Some(&b':')
                && let Some(ranges) = self.named()?
            {
                chars.extend_from_slice(ranges);
                continue;
            }
            let start = self.member()?.ok_or_else(unfinished)?;
            let is_range = self.peek() == Some(b'-') && self.source.get(self.at + 1).is_some_and(|next| *next != b']');
            if !is_range {
                match start {
                    Member::Char(char) => chars.push((char, char)),
                    Member::Byte(byte) => bytes.push(byte),
                }
                continue;
            }
            self.at += 1;
            let end = self.member()?.ok_or_else(unfinished)?;
            match (start, end) {
                (Member::Char(start), Member::Char(end)) if start <= end => chars.push((start, end)),
                (Member::Byte(start), Member::Byte(end)) if start <= end => bytes.extend(start..=end),
                // A range that runs backwards holds nothing.
                _ => {}
            }
        }
        Ok(self.set(&chars, &bytes, negated))
    }

    fn set(&mut self, chars: &[(char, char)], bytes: &[u8], negated: bool) -> Hir {
        if negated {
            return self.any(chars);
        }
        if chars.is_empty() && bytes.is_empty() {
            // Only a range that runs backwards leaves a set without members. Awk has always passed over such a set.
            return Hir::empty();
        }
        let chars = class(chars);
        if bytes.is_empty() {
            return chars;
        }
        let bytes = ClassBytes::new(bytes.iter().map(|&byte| ClassBytesRange::new(byte, byte)));
        Hir::alternation(vec![chars, Hir::class(Class::Bytes(bytes))])
    }

    /// One member of a bracket expression: a character, an escape, `[.x.]` or `[=x=]`.
    fn member(&mut self) -> Result<Option<Member>, String> {
        let rest = &self.source[self.at..];
        if let [b'[', kind @ (b'.' | b'='), inner @ ..] = rest {
            let close = [*kind, b']'];
            let end = memchr::memmem::find(inner, &close).ok_or("nonterminated character class")?;
            let name = std::str::from_utf8(&inner[..end]).unwrap_or_default();
            let mut chars = name.chars();
            return match (chars.next(), chars.next()) {
                (Some(char), None) => {
                    self.at += end + 4;
                    Ok(Some(Member::Char(char)))
                }
                _ => Err("invalid collation character".into()),
            };
        }
        if let [b'\\', _, ..] = rest {
            self.at += 1;
            return Ok(Some(match self.character_escape() {
                Escape::Byte(byte) if byte.is_ascii() => Member::Char(char::from(byte)),
                Escape::Byte(byte) => Member::Byte(byte),
                Escape::Char(char) => Member::Char(char),
                Escape::Part(_) => return Ok(None),
            }));
        }
        let Some(&byte) = rest.first() else { return Ok(None) };
        let width = utf8::width(rest);
        self.at += width;
        let char = std::str::from_utf8(&rest[..width])
            .ok()
            .and_then(|text| text.chars().next());
        Ok(Some(char.map_or(Member::Byte(byte), Member::Char)))
    }

    /// `[:alpha:]`; without the end of a name the bracket stands for itself.
    fn named(&mut self) -> Result<Option<&'static [(char, char)]>, String> {
        let inner = &self.source[self.at + 2..];
        let Some(end) = memchr::memmem::find(inner, b":]") else {
            return Ok(None);
        };
        if !inner[..end].iter().all(u8::is_ascii_alphabetic) {
            return Ok(None);
        }
        let ranges: &[(char, char)] = match &inner[..end] {
            b"alpha" => &[('A', 'Z'), ('a', 'z')],
            b"digit" => &[('0', '9')],
            b"alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
            b"upper" => &[('A', 'Z')],
            b"lower" => &[('a', 'z')],
            b"space" => &[('\t', '\r'), (' ', ' ')],
            b"blank" => &[('\t', '\t'), (' ', ' ')],
            b"punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
            b"print" => &[(' ', '~')],
            b"graph" => &[('!', '~')],
            b"cntrl" => &[('\0', '\x1f'), ('\x7f', '\x7f')],
            b"xdigit" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
            _ => return Err("invalid character class name".into()),
        };
        self.at += end + 4;
        Ok(Some(ranges))
    }
}

enum Member {
    Char(char),
    Byte(u8),
}

fn class(ranges: &[(char, char)]) -> Hir {
    let ranges = ranges.iter().map(|&(start, end)| ClassUnicodeRange::new(start, end));
    Hir::class(Class::Unicode(ClassUnicode::new(ranges)))
}

/// The byte that an escape stands for and the length of what is behind the backslash; no byte for a character that
/// stands for itself.
fn escaped(rest: &[u8]) -> (Option<u8>, usize) {
    let byte = match rest[0] {
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'0'..=b'7' => {
            let digits = rest.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
            let (value, length) = digits.fold((0_u32, 0), |(value, length), digit| {
                (value * 8 + u32::from(digit - b'0'), length + 1)
            });
            return (Some(value as u8), length);
        }
        b'x' => {
            let digits = rest[1..]
                .iter()
                .take(2)
                .map_while(|byte| char::from(*byte).to_digit(16));
            let (value, length) = digits.fold((0, 0), |(value, length), digit| (value * 16 + digit, length + 1));
            return match length {
                0 => (None, 1),
                _ => (Some(value as u8), 1 + length),
            };
        }
        _ => return (None, utf8::width(rest)),
    };
    (Some(byte), 1)
}
