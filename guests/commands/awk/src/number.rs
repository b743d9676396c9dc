//! Numbers read from strings and written as strings.

/// Powers of ten that a double holds exactly.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];
/// From here on a double no longer holds every integer.
const EXACT_INTEGERS: u64 = 1 << 53;
/// More digits than this may not fit a `u64`.
const SAFE_DIGITS: usize = 19;

#[inline]
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// The number that the bytes begin with, behind blanks, and where it ends; (0, 0) when there is none. Decimal only:
/// neither `0x10` nor `inf` is a number of the input, but `+inf` and `-nan` are, as POSIX asks of a sign.
pub fn prefix(bytes: &[u8]) -> (f64, usize) {
    let mut at = 0;
    while at < bytes.len() && is_space(bytes[at]) {
        at += 1;
    }
    let start = at;
    let negative = bytes.get(at) == Some(&b'-');
    let signed = negative || bytes.get(at) == Some(&b'+');
    at += usize::from(signed);
    let (mut mantissa, mut digits, mut scale) = (0_u64, 0_usize, 0_i32);
    let mut seen = false;
    let mut point = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'0'..=b'9' => {
                seen = true;
                if digits > 0 || byte != b'0' {
                    digits += 1;
                }
                mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
                scale -= i32::from(point);
            }
            b'.' if !point => point = true,
            _ => break,
        }
        at += 1;
    }
    if !seen {
        return match signed {
            true => special(bytes, at, negative),
            false => (0.0, 0),
        };
    }
    let mut exponent = 0_i32;
    if let Some(b'e' | b'E') = bytes.get(at) {
        let mut end = at + 1;
        let down = bytes.get(end) == Some(&b'-');
        if down || bytes.get(end) == Some(&b'+') {
            end += 1;
        }
        if bytes.get(end).is_some_and(u8::is_ascii_digit) {
            while let Some(digit) = bytes.get(end).filter(|byte| byte.is_ascii_digit()) {
                exponent = exponent.saturating_mul(10).saturating_add(i32::from(digit - b'0'));
                end += 1;
            }
            exponent = if down { -exponent } else { exponent };
            at = end;
        }
    }
    let scale = exponent.saturating_add(scale);
    let size = scale.unsigned_abs() as usize;
    let value = if digits <= SAFE_DIGITS && mantissa <= EXACT_INTEGERS && size < EXACT.len() {
        // Both are exact, so the quotient or the product is rounded once, as it should be.
        let whole = mantissa as f64;
        let value = if scale < 0 {
            whole / EXACT[size]
        } else {
            whole * EXACT[size]
        };
        if negative { -value } else { value }
    } else {
        let text = std::str::from_utf8(&bytes[start..at]).unwrap_or_default();
        text.parse().unwrap_or(0.0)
    };
    (value, at)
}

/// `inf` and `nan`, behind a sign.
fn special(bytes: &[u8], at: usize, negative: bool) -> (f64, usize) {
    let Some(word) = bytes.get(at..at + 3) else {
        return (0.0, 0);
    };
    if bytes.get(at + 3).is_some_and(u8::is_ascii_alphanumeric) {
        return (0.0, 0);
    }
    let value = match word.to_ascii_lowercase().as_slice() {
        b"inf" => f64::INFINITY,
        b"nan" => f64::NAN,
        _ => return (0.0, 0),
    };
    (value.copysign(if negative { -1.0 } else { 1.0 }), at + 3)
}

/// The value of a string as a number: that of what it begins with.
#[inline]
pub fn of(bytes: &[u8]) -> f64 {
    prefix(bytes).0
}

/// The value of a string that is a number and nothing else, but for blanks around it.
#[inline]
pub fn whole(bytes: &[u8]) -> Option<f64> {
    // Most strings that are no numbers are words; one look is enough for them.
    match bytes.first() {
        None | Some(b'a'..=b'z' | b'A'..=b'Z') => return None,
        _ => {}
    }
    let (value, end) = prefix(bytes);
    (end > 0 && bytes[end..].iter().all(|&byte| is_space(byte))).then_some(value)
}

/// Whether the number is an integer that converts to `i64` without loss.
#[inline]
pub fn integer(value: f64) -> Option<i64> {
    let whole = value as i64;
    (whole as f64 == value && whole.unsigned_abs() <= EXACT_INTEGERS).then_some(whole)
}

/// Writes an integer.
#[inline]
pub fn write_integer(to: &mut Vec<u8>, value: i64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        at -= 1;
        digits[at] = b'-';
    }
    to.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_have_values() {
        for (text, value, end) in [
            ("", 0.0, 0),
            ("12", 12.0, 2),
            ("  -12.50x", -12.5, 8),
            (".5e1", 5.0, 4),
            ("5.", 5.0, 2),
            (".", 0.0, 0),
            ("1e", 1.0, 1),
            ("1e+", 1.0, 1),
            ("1e5", 1e5, 3),
            ("0x10", 0.0, 1),
            ("inf", 0.0, 0),
            ("+inf", f64::INFINITY, 4),
            ("-inf", f64::NEG_INFINITY, 4),
            ("+info", 0.0, 0),
            ("1e400", f64::INFINITY, 5),
            ("1e-400", 0.0, 6),
            ("123456789012345678901234567890", 123456789012345678901234567890.0, 30),
            ("0.1", 0.1, 3),
            ("00000000000000000000000000000007", 7.0, 32),
            ("1.7976931348623157e308", f64::MAX, 22),
            ("9007199254740993", 9007199254740992.0, 16),
        ] {
            assert_eq!(prefix(text.as_bytes()), (value, end), "{text}");
        }
    }

    #[test]
    fn only_a_number_alone_looks_like_one() {
        for (text, value) in [
            ("10", Some(10.0)),
            (" 10 ", Some(10.0)),
            ("10x", None),
            ("", None),
            (" ", None),
            ("nan", None),
            ("1e3", Some(1000.0)),
            ("+5", Some(5.0)),
            ("0x1", None),
            ("--1", None),
        ] {
            assert_eq!(whole(text.as_bytes()), value, "{text:?}");
        }
    }

    #[test]
    fn integers_are_written_whole() {
        for value in [0, 7, -7, 10, 1234567890123, i64::MIN, i64::MAX] {
            let mut text = Vec::new();
            write_integer(&mut text, value);
            assert_eq!(text, value.to_string().into_bytes());
        }
    }
}
