//! Backslash escapes: in `$'..'`, in `echo` and `%b`, in a format of `printf`.

use crate::ast::Bytes;

/// What a backslash and the text behind it stand for, and how long that text is.
enum Escape {
    Byte(u8, usize),
    Text(Bytes, usize),
    /// `\c` of echo: nothing more is printed.
    Stop,
    /// Not an escape: the backslash stands for itself.
    Unknown,
}

/// `$'..'` without its quotes.
pub fn ansi(raw: &[u8]) -> Bytes {
    let (mut text, _) = replace(raw, |rest| match rest.first() {
        Some(b'\'') => Escape::Byte(b'\'', 1),
        Some(b'"') => Escape::Byte(b'"', 1),
        Some(b'e' | b'E') => Escape::Byte(0x1b, 1),
        Some(b'?') => Escape::Byte(b'?', 1),
        Some(b'c') if rest.len() > 1 => Escape::Byte(rest[1] & 0x1f, 2),
        Some(b'x') => digits(&rest[1..], 16, 2).map_or(Escape::Unknown, |(v, n)| Escape::Byte(v as u8, n + 1)),
        Some(b'u') => unicode(rest, 4),
        Some(b'U') => unicode(rest, 8),
        Some(b'0'..=b'7') => octal(rest, 3),
        _ => simple(rest),
    });
    // A word holds no zero byte: the text ends there, as in bash.
    if let Some(end) = text.iter().position(|byte| *byte == 0) {
        text.truncate(end);
    }
    text
}

/// As `echo` and `%b` read it: octal needs a leading zero. True when `\c` stops the output.
pub fn echo(raw: &[u8]) -> (Bytes, bool) {
    replace(raw, |rest| match rest.first() {
        Some(b'c') => Escape::Stop,
        Some(b'0') => digits(&rest[1..], 8, 3).map_or(Escape::Byte(0, 1), |(v, n)| Escape::Byte(v as u8, n + 1)),
        _ => simple(rest),
    })
}

/// As `echo -e` of bash reads it.
pub fn echo_e(raw: &[u8]) -> (Bytes, bool) {
    replace(raw, |rest| match rest.first() {
        Some(b'c') => Escape::Stop,
        Some(b'0') => digits(&rest[1..], 8, 3).map_or(Escape::Byte(0, 1), |(v, n)| Escape::Byte(v as u8, n + 1)),
        _ => beyond_posix(rest),
    })
}

/// What bash has besides: hexadecimal, Unicode and the escape character.
fn beyond_posix(rest: &[u8]) -> Escape {
    match rest.first() {
        Some(b'e' | b'E') => Escape::Byte(0x1b, 1),
        Some(b'x') => digits(&rest[1..], 16, 2).map_or(Escape::Unknown, |(v, n)| Escape::Byte(v as u8, n + 1)),
        Some(b'u') => unicode(rest, 4),
        Some(b'U') => unicode(rest, 8),
        _ => simple(rest),
    }
}

/// As `%b` reads it: like echo, and octal without the zero too.
pub fn percent_b(raw: &[u8]) -> (Bytes, bool) {
    replace(raw, |rest| match rest.first() {
        Some(b'c') => Escape::Stop,
        Some(b'0') => digits(&rest[1..], 8, 3).map_or(Escape::Byte(0, 1), |(v, n)| Escape::Byte(v as u8, n + 1)),
        Some(b'1'..=b'7') => octal(rest, 3),
        _ => beyond_posix(rest),
    })
}

/// As a format reads it.
pub fn format(raw: &[u8]) -> Bytes {
    replace(raw, |rest| match rest.first() {
        Some(b'0'..=b'7') => octal(rest, 3),
        Some(b'"') => Escape::Byte(b'"', 1),
        Some(b'\'') => Escape::Byte(b'\'', 1),
        _ => beyond_posix(rest),
    })
    .0
}

fn replace(raw: &[u8], escape: impl Fn(&[u8]) -> Escape) -> (Bytes, bool) {
    let mut text = Bytes::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        if byte != b'\\' {
            text.push(byte);
            continue;
        }
        let length = match escape(rest) {
            Escape::Byte(byte, length) => {
                text.push(byte);
                length
            }
            Escape::Text(bytes, length) => {
                text.extend(bytes);
                length
            }
            Escape::Stop => return (text, true),
            Escape::Unknown => {
                text.push(b'\\');
                0
            }
        };
        rest = &rest[length..];
    }
    (text, false)
}

fn simple(rest: &[u8]) -> Escape {
    let byte = match rest.first() {
        Some(b'a') => 7,
        Some(b'b') => 8,
        Some(b'f') => 12,
        Some(b'n') => b'\n',
        Some(b'r') => b'\r',
        Some(b't') => b'\t',
        Some(b'v') => 11,
        Some(b'\\') => b'\\',
        _ => return Escape::Unknown,
    };
    Escape::Byte(byte, 1)
}

fn octal(rest: &[u8], most: usize) -> Escape {
    digits(rest, 8, most).map_or(Escape::Unknown, |(value, length)| Escape::Byte(value as u8, length))
}

fn unicode(rest: &[u8], most: usize) -> Escape {
    match digits(&rest[1..], 16, most) {
        Some((value, length)) => {
            let char = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
            Escape::Text(char.to_string().into(), length + 1)
        }
        None => Escape::Unknown,
    }
}

/// The number that these digits are, and how many there are.
fn digits(text: &[u8], base: u32, most: usize) -> Option<(u32, usize)> {
    let mut value = 0u32;
    let mut length = 0;
    for byte in text.iter().take(most) {
        let Some(digit) = char::from(*byte).to_digit(base) else {
            break;
        };
        value = value.wrapping_mul(base).wrapping_add(digit);
        length += 1;
    }
    (length > 0).then_some((value, length))
}
