//! `printf`, and numbers as strings by CONVFMT and OFMT.

use crate::number::{integer, write_integer};
use crate::text::Text;
use crate::utf8;
use crate::value::Value;
use std::io::Write;

/// The widest field and the longest fraction that a format may ask for: 16 MiB of blanks are a mistake.
const MOST: usize = 1 << 24;
/// The initial CONVFMT and OFMT.
pub const DEFAULT: &[u8] = b"%.6g";

/// Why a format cannot be followed.
#[derive(Debug, PartialEq)]
pub enum Trouble {
    /// A conversion has no argument.
    TooFewArguments,
    /// No such conversion.
    Unknown(Vec<u8>),
    /// A width or precision is out of bounds.
    TooWide,
}

/// The flags, width and precision of a conversion.
#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
}

/// A number as a string: an integer as itself, anything else by the format.
pub fn number(to: &mut Vec<u8>, value: f64, format: &[u8]) {
    if let Some(integer) = integer(value) {
        return write_integer(to, integer);
    }
    if !value.is_finite() {
        return not_finite(to, value);
    }
    if value.fract() == 0.0 {
        let _ = write!(to, "{value:.0}");
    } else if format == DEFAULT {
        let spec = Spec::default();
        general(to, value.abs(), 6, &spec, value.is_sign_negative(), b'e');
    } else if print(to, format, &[Value::Number(value)], DEFAULT).is_err() {
        to.extend_from_slice(format);
    }
}

fn not_finite(to: &mut Vec<u8>, value: f64) {
    if value.is_sign_negative() {
        to.push(b'-');
    }
    to.extend_from_slice(if value.is_nan() { b"nan" } else { b"inf" });
}

/// Writes the arguments as the format says.
pub fn print(to: &mut Vec<u8>, format: &[u8], arguments: &[Value], convfmt: &[u8]) -> Result<(), Trouble> {
    let mut arguments = arguments.iter();
    let mut rest = format;
    while let Some(at) = memchr::memchr(b'%', rest) {
        to.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let begin = rest;
        let mut spec = Spec::default();
        while let [flag @ (b'-' | b'+' | b' ' | b'#' | b'0' | b'\''), more @ ..] = rest {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternative = true,
                b'0' => spec.zeros = true,
                _ => {}
            }
            rest = more;
        }
        if let Some(width) = amount(&mut rest, &mut arguments)? {
            spec.left |= width < 0;
            spec.width = width.unsigned_abs() as usize;
        }
        if let [b'.', more @ ..] = rest {
            rest = more;
            // A negative precision counts as none.
            spec.precision = usize::try_from(amount(&mut rest, &mut arguments)?.unwrap_or(0)).ok();
        }
        while let [b'h' | b'l' | b'L' | b'q' | b'j' | b't' | b'z', more @ ..] = rest {
            rest = more;
        }
        let Some((&conversion, more)) = rest.split_first() else {
            // An unfinished conversion at the end stands for itself.
            to.push(b'%');
            to.extend_from_slice(begin);
            return Ok(());
        };
        rest = more;
        if conversion == b'%' {
            to.push(b'%');
            continue;
        }
        if !b"diouxXeEfFgGaAcs".contains(&conversion) {
            let length = begin.len() - rest.len();
            return Err(Trouble::Unknown([b"%", &begin[..length]].concat()));
        }
        let argument = arguments.next().ok_or(Trouble::TooFewArguments)?;
        convert(to, conversion, &spec, argument, convfmt);
    }
    to.extend_from_slice(rest);
    Ok(())
}

/// A width or precision: digits, `*`, or nothing.
fn amount<'a>(rest: &mut &[u8], arguments: &mut impl Iterator<Item = &'a Value>) -> Result<Option<i64>, Trouble> {
    if let [b'*', more @ ..] = rest {
        *rest = more;
        let given = arguments.next().ok_or(Trouble::TooFewArguments)?.number() as i64;
        return match given.unsigned_abs() as usize <= MOST {
            true => Ok(Some(given)),
            false => Err(Trouble::TooWide),
        };
    }
    let mut value = None;
    while let [digit @ b'0'..=b'9', more @ ..] = rest {
        let grown = value.unwrap_or(0) * 10 + i64::from(digit - b'0');
        if grown > MOST as i64 {
            return Err(Trouble::TooWide);
        }
        value = Some(grown);
        *rest = more;
    }
    Ok(value)
}

fn convert(to: &mut Vec<u8>, conversion: u8, spec: &Spec, argument: &Value, convfmt: &[u8]) {
    match conversion {
        b's' => match argument {
            Value::Text(text) => string(to, spec, text.bytes()),
            other => string(to, spec, &other.bytes(convfmt)),
        },
        b'c' => character(to, spec, argument),
        _ => {
            let value = argument.number();
            if !value.is_finite() {
                let sign = spec.plus && !value.is_sign_negative();
                let mut body = if sign { b"+".to_vec() } else { Vec::new() };
                not_finite(&mut body, value);
                if conversion.is_ascii_uppercase() {
                    body.make_ascii_uppercase();
                }
                return pad(to, spec, body.len(), &body);
            }
            match conversion {
                b'd' | b'i' => decimal(to, spec, value),
                b'o' | b'u' | b'x' | b'X' => unsigned(to, spec, value, conversion),
                _ => floating(to, spec, value, conversion),
            }
        }
    }
}

/// Blanks around what is this many characters wide.
fn pad(to: &mut Vec<u8>, spec: &Spec, chars: usize, body: &[u8]) {
    let blanks = spec.width.saturating_sub(chars);
    if !spec.left {
        to.resize(to.len() + blanks, b' ');
    }
    to.extend_from_slice(body);
    if spec.left {
        to.resize(to.len() + blanks, b' ');
    }
}

fn string(to: &mut Vec<u8>, spec: &Spec, bytes: &[u8]) {
    if spec.width == 0 && spec.precision.is_none() {
        return to.extend_from_slice(bytes);
    }
    let end = spec.precision.map_or(bytes.len(), |chars| utf8::offset(bytes, chars));
    let body = &bytes[..end];
    pad(to, spec, utf8::count(body), body);
}

fn character(to: &mut Vec<u8>, spec: &Spec, argument: &Value) {
    let mut body = Vec::new();
    match argument {
        Value::Text(text) if !argument.is_numeric() => {
            // The empty string shows as what ends a string in C.
            let bytes = if text.bytes().is_empty() { b"\0" } else { text.bytes() };
            body.extend_from_slice(&bytes[..utf8::offset(bytes, 1)]);
        }
        number => utf8::push(&mut body, number.number() as i64 as u32),
    }
    pad(to, spec, 1, &body);
}

/// Sign or prefix, then zeros or blanks, then digits.
fn digits(to: &mut Vec<u8>, spec: &Spec, prefix: &[u8], body: &[u8], zeros: bool) {
    let length = prefix.len() + body.len();
    if zeros && !spec.left {
        to.extend_from_slice(prefix);
        to.resize(to.len() + spec.width.saturating_sub(length), b'0');
        to.extend_from_slice(body);
    } else {
        pad(to, spec, length, &[prefix, body].concat());
    }
}

fn sign(spec: &Spec, negative: bool) -> &'static [u8] {
    match (negative, spec.plus, spec.space) {
        (true, ..) => b"-",
        (_, true, _) => b"+",
        (_, _, true) => b" ",
        _ => b"",
    }
}

fn decimal(to: &mut Vec<u8>, spec: &Spec, value: f64) {
    let value = value.trunc();
    let whole = integer(value);
    if let (Some(whole), 0, None, false, false) = (whole, spec.width, spec.precision, spec.plus, spec.space) {
        return write_integer(to, whole);
    }
    let mut body = Vec::new();
    match whole {
        Some(whole) => write_integer(&mut body, whole.abs()),
        None => {
            let _ = write!(body, "{:.0}", value.abs());
        }
    }
    lengthen(&mut body, spec);
    digits(
        to,
        spec,
        sign(spec, value < 0.0),
        &body,
        spec.zeros && spec.precision.is_none(),
    );
}

/// A precision of an integer is the least number of its digits; zero with precision zero has none.
fn lengthen(body: &mut Vec<u8>, spec: &Spec) {
    let Some(least) = spec.precision else { return };
    if least == 0 && body == b"0" {
        body.clear();
    }
    let missing = least.saturating_sub(body.len());
    body.splice(0..0, std::iter::repeat_n(b'0', missing));
}

fn unsigned(to: &mut Vec<u8>, spec: &Spec, value: f64, conversion: u8) {
    let value = value.trunc();
    let mut body = Vec::new();
    if value.abs() >= 18_446_744_073_709_551_616.0 {
        let _ = write!(body, "{value:.0}");
        return digits(to, spec, b"", &body, spec.zeros);
    }
    // A negative number is shown as its two's complement.
    let bits = if value < 0.0 { value as i64 as u64 } else { value as u64 };
    let _ = match conversion {
        b'o' => write!(body, "{bits:o}"),
        b'x' => write!(body, "{bits:x}"),
        b'X' => write!(body, "{bits:X}"),
        _ => write!(body, "{bits}"),
    };
    lengthen(&mut body, spec);
    let prefix: &[u8] = match conversion {
        b'x' if spec.alternative && bits != 0 => b"0x",
        b'X' if spec.alternative && bits != 0 => b"0X",
        b'o' if spec.alternative && body.first() != Some(&b'0') => b"0",
        _ => b"",
    };
    digits(to, spec, prefix, &body, spec.zeros && spec.precision.is_none());
}

fn floating(to: &mut Vec<u8>, spec: &Spec, value: f64, conversion: u8) {
    let negative = value.is_sign_negative();
    let size = value.abs();
    let precision = spec.precision.unwrap_or(6);
    let mut body = Vec::new();
    match conversion {
        b'f' | b'F' => {
            let _ = write!(body, "{size:.precision$}");
            if spec.alternative && precision == 0 {
                body.push(b'.');
            }
        }
        b'e' | b'E' => scientific(&mut body, size, precision, spec.alternative, conversion),
        b'a' | b'A' => hexadecimal(&mut body, size, spec.precision, conversion),
        _ => {
            let bare = Spec {
                alternative: spec.alternative,
                ..Spec::default()
            };
            let letter = if conversion == b'G' { b'E' } else { b'e' };
            general(&mut body, size, precision.max(1), &bare, false, letter);
        }
    }
    digits(to, spec, sign(spec, negative), &body, spec.zeros);
}

/// `d.dde+xx` in C's way: two digits of exponent at least, with a sign.
fn exponent(to: &mut Vec<u8>, exponent: i32, letter: u8) {
    to.push(letter);
    to.push(if exponent < 0 { b'-' } else { b'+' });
    let _ = write!(to, "{:02}", exponent.unsigned_abs());
}

fn scientific(to: &mut Vec<u8>, size: f64, precision: usize, point: bool, letter: u8) {
    let text = format!("{size:.precision$e}");
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    to.extend_from_slice(mantissa.as_bytes());
    if point && precision == 0 {
        to.push(b'.');
    }
    exponent(to, power.parse().unwrap_or(0), letter);
}

/// `%g`: so many significant digits, without zeros at the end, in whichever notation is shorter.
fn general(to: &mut Vec<u8>, size: f64, precision: usize, spec: &Spec, negative: bool, letter: u8) {
    if negative {
        to.push(b'-');
    }
    let text = format!("{size:.*e}", precision - 1);
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    let mut digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    if !spec.alternative {
        while digits.len() > 1 && digits.last() == Some(&b'0') {
            digits.pop();
        }
    }
    if power < -4 || power >= precision as i32 {
        to.push(digits[0]);
        if digits.len() > 1 || spec.alternative {
            to.push(b'.');
        }
        to.extend_from_slice(&digits[1..]);
        return exponent(to, power, letter);
    }
    if power < 0 {
        to.extend_from_slice(b"0.");
        to.resize(to.len() + (-power - 1) as usize, b'0');
        return to.extend_from_slice(&digits);
    }
    let before = power as usize + 1;
    if digits.len() <= before {
        let zeros = before - digits.len();
        to.extend_from_slice(&digits);
        to.resize(to.len() + zeros, b'0');
        if spec.alternative {
            to.push(b'.');
        }
    } else {
        to.extend_from_slice(&digits[..before]);
        to.push(b'.');
        to.extend_from_slice(&digits[before..]);
    }
}

/// `%a`: the bits as they are.
fn hexadecimal(to: &mut Vec<u8>, size: f64, precision: Option<usize>, conversion: u8) {
    const FRACTION: u32 = 52;
    const NIBBLES: usize = 13;
    let bits = size.to_bits();
    let biased = (bits >> FRACTION) as i32;
    let mut mantissa = bits & ((1 << FRACTION) - 1);
    let mut power = biased - 1023;
    match (biased, mantissa) {
        (0, 0) => power = 0,
        (0, _) => power = -1022,
        _ => mantissa |= 1 << FRACTION,
    }
    let mut shown = NIBBLES;
    if let Some(wanted) = precision.filter(|wanted| *wanted < NIBBLES) {
        let cut = 4 * (NIBBLES - wanted) as u32;
        let (rest, half) = (mantissa & ((1 << cut) - 1), 1 << (cut - 1));
        mantissa >>= cut;
        if rest > half || (rest == half && mantissa & 1 == 1) {
            mantissa += 1;
        }
        shown = wanted;
    }
    let whole = mantissa >> (4 * shown);
    let fraction = mantissa & !(whole << (4 * shown));
    let mut text = format!("0x{whole:x}");
    let mut tail = format!("{fraction:0shown$x}");
    match precision {
        None => tail.truncate(tail.trim_end_matches('0').len()),
        Some(0) => tail.clear(),
        Some(wanted) => tail.extend(std::iter::repeat_n('0', wanted.saturating_sub(shown))),
    }
    if !tail.is_empty() {
        text = format!("{text}.{tail}");
    }
    text = format!("{text}p{power:+}");
    match conversion {
        b'A' => to.extend_from_slice(text.to_ascii_uppercase().as_bytes()),
        _ => to.extend_from_slice(text.as_bytes()),
    }
}

/// What `sprintf` gives.
pub fn sprintf(arguments: &[Value], convfmt: &[u8]) -> Result<Text, Trouble> {
    let Some((format, rest)) = arguments.split_first() else {
        return Ok(Text::EMPTY);
    };
    let mut made = Vec::new();
    print(&mut made, &format.bytes(convfmt), rest, convfmt)?;
    Ok(Text::from_vec(made))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(format: &str, arguments: &[Value]) -> String {
        let mut to = Vec::new();
        print(&mut to, format.as_bytes(), arguments, DEFAULT).expect("a good format");
        String::from_utf8(to).expect("UTF-8")
    }

    /// The expected values are those of C's printf.
    #[test]
    fn conversions_of_numbers() {
        for (format, value, expected) in [
            ("%d", 3.99, "3"),
            ("%d", -3.99, "-3"),
            ("%5d|", 42.0, "   42|"),
            ("%-5d|", 42.0, "42   |"),
            ("%05d", -42.0, "-0042"),
            ("%+d", 42.0, "+42"),
            ("% d", 42.0, " 42"),
            ("%.3d", 7.0, "007"),
            ("%08.3d|", 7.0, "     007|"),
            ("%.0d|", 0.0, "|"),
            ("%i", 1e20, "100000000000000000000"),
            ("%x", 255.0, "ff"),
            ("%#X", 255.0, "0XFF"),
            ("%#o", 8.0, "010"),
            ("%x", -1.0, "ffffffffffffffff"),
            ("%u", 3e9, "3000000000"),
            ("%f", 3.14159265, "3.141593"),
            ("%.0f", 2.5, "2"),
            ("%.0f", 3.5, "4"),
            ("%8.2f|", 3.14159, "    3.14|"),
            ("%08.2f", -3.14159, "-0003.14"),
            ("%-8.2f|", 3.14159, "3.14    |"),
            ("%e", 12345.678, "1.234568e+04"),
            ("%.0e", 12345.678, "1e+04"),
            ("%E", 0.00012, "1.200000E-04"),
            ("%g", 100000.0, "100000"),
            ("%g", 1000000.0, "1e+06"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001, "1e-05"),
            ("%G", 1e-10, "1E-10"),
            ("%#g", 1.0, "1.00000"),
            ("%.3g", 1234.5, "1.23e+03"),
            ("%g", 0.0, "0"),
            ("%.10g", 0.1, "0.1"),
            ("%10g|", 0.5, "       0.5|"),
            ("%a", 1.0, "0x1p+0"),
            ("%a", 0.5, "0x1p-1"),
            ("%a", 3.14, "0x1.91eb851eb851fp+1"),
            ("%.2a", 3.14, "0x1.92p+1"),
            ("%5.1f%%", 12.34, " 12.3%"),
            ("%f", f64::INFINITY, "inf"),
            ("%+d", f64::INFINITY, "+inf"),
            ("%5d", f64::NEG_INFINITY, " -inf"),
            ("%ld", 5.0, "5"),
            ("%c", 65.0, "A"),
            ("%c", 233.0, "\u{e9}"),
            ("%c", 8364.0, "\u{20ac}"),
            ("%s", 0.1, "0.1"),
            ("%s", 1e6, "1000000"),
            ("100%", 1.0, "100%"),
            ("%5", 1.0, "%5"),
        ] {
            assert_eq!(shown(format, &[Value::Number(value)]), expected, "{format} of {value}");
        }
    }

    #[test]
    fn conversions_of_strings() {
        for (format, value, expected) in [
            ("%5s|", "ab", "   ab|"),
            ("%-5s|", "ab", "ab   |"),
            ("%.1s|", "ab", "a|"),
            ("%5.1s|", "\u{e9}a", "    \u{e9}|"),
            ("%c", "hello", "h"),
            ("%c", "\u{e9}t\u{e9}", "\u{e9}"),
            ("%3c|", "x", "  x|"),
            ("%c", "", "\0"),
            ("%d", "12abc", "12"),
            ("%s%%", "a", "a%"),
        ] {
            assert_eq!(
                shown(format, &[Value::text(value.as_bytes())]),
                expected,
                "{format} of {value}"
            );
        }
        assert_eq!(
            shown(
                "%*d|%-*d|%.*f",
                &[5.0, 42.0, 5.0, 42.0, 2.0, 3.14159].map(Value::Number)
            ),
            "   42|42   |3.14"
        );
        assert_eq!(shown("%*d|", &[-5.0, 42.0].map(Value::Number)), "42   |");
    }

    #[test]
    fn a_format_that_cannot_be_followed_is_an_error() {
        let failed = |format: &str| print(&mut Vec::new(), format.as_bytes(), &[], DEFAULT).unwrap_err();
        assert_eq!(failed("%s"), Trouble::TooFewArguments);
        assert_eq!(failed("%*d"), Trouble::TooFewArguments);
        assert_eq!(failed("%k"), Trouble::Unknown(b"%k".to_vec()));
        assert_eq!(failed("%99999999999d"), Trouble::TooWide);
    }

    #[test]
    fn numbers_as_strings() {
        for (value, format, expected) in [
            (1.0, "%.6g", "1"),
            (-0.0, "%.6g", "0"),
            (0.1 + 0.2, "%.6g", "0.3"),
            (1.0 / 3.0, "%.6g", "0.333333"),
            (-1.5, "%.6g", "-1.5"),
            (1e30, "%.6g", "1000000000000000019884624838656"),
            (9007199254740993.0, "%.6g", "9007199254740992"),
            (123456789.125, "%.6g", "1.23457e+08"),
            (3.14159, "%.2f", "3.14"),
            (17.0, "%.2f", "17"),
            (f64::NAN, "%.6g", "nan"),
        ] {
            let mut to = Vec::new();
            number(&mut to, value, format.as_bytes());
            assert_eq!(String::from_utf8_lossy(&to), expected);
        }
    }
}
