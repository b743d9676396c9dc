//! What a variable holds.

use crate::format;
use crate::number;
use crate::text::Text;
use std::borrow::Cow;
use std::cmp::Ordering;

/// A scalar.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// Never assigned: both the empty string and zero.
    #[default]
    Unset,
    /// A number.
    Number(f64),
    /// A string.
    Text(Text),
}

// The stack of the machine and the arrays hold a great many of these.
#[cfg(target_pointer_width = "32")]
const _: () = assert!(size_of::<Value>() == 16);

impl Value {
    /// A string that the program made.
    #[inline]
    pub fn text(bytes: &[u8]) -> Value {
        Value::Text(Text::new(bytes))
    }

    /// A string from outside, which is a number if it looks like one.
    #[inline]
    pub fn input(bytes: &[u8]) -> Value {
        Value::Text(Text::input(bytes))
    }

    /// 1 or 0.
    #[inline]
    pub fn truth(is: bool) -> Value {
        Value::Number(f64::from(u8::from(is)))
    }

    /// Its value as a number.
    #[inline]
    pub fn number(&self) -> f64 {
        match self {
            Value::Number(number) => *number,
            Value::Unset => 0.0,
            Value::Text(text) => number::of(text.bytes()),
        }
    }

    /// Whether a condition takes it for true.
    #[inline]
    pub fn is_true(&self) -> bool {
        match self {
            Value::Number(number) => *number != 0.0,
            Value::Unset => false,
            Value::Text(text) if text.is_input() => match number::whole(text.bytes()) {
                Some(number) => number != 0.0,
                None => !text.bytes().is_empty(),
            },
            Value::Text(text) => !text.bytes().is_empty(),
        }
    }

    /// Its bytes as a string; numbers that are no integers by the format, which is that of CONVFMT.
    #[inline]
    pub fn bytes(&self, format: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Value::Text(text) => Cow::Borrowed(text.bytes()),
            Value::Unset => Cow::Borrowed(b""),
            Value::Number(number) => {
                let mut bytes = Vec::with_capacity(24);
                format::number(&mut bytes, *number, format);
                Cow::Owned(bytes)
            }
        }
    }

    /// Itself as a string.
    #[inline]
    pub fn into_text(self, format: &[u8]) -> Text {
        match self {
            Value::Text(text) => text,
            other => Text::new(&other.bytes(format)),
        }
    }

    /// Its value when it counts as a number in a comparison.
    #[inline]
    fn numeric(&self) -> Option<f64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Unset => Some(0.0),
            Value::Text(text) if text.is_input() => number::whole(text.bytes()),
            Value::Text(_) => None,
        }
    }

    /// Numbers compare as numbers when both are, everything else as strings. None is what a NaN gives.
    #[inline]
    pub fn compare(&self, other: &Value, format: &[u8]) -> Option<Ordering> {
        if let (Value::Number(a), Value::Number(b)) = (self, other) {
            return a.partial_cmp(b);
        }
        match (self.numeric(), other.numeric()) {
            (Some(a), Some(b)) => a.partial_cmp(&b),
            _ => Some(self.bytes(format).as_ref().cmp(other.bytes(format).as_ref())),
        }
    }

    /// Whether it is a number, or a string from outside that looks like one.
    pub fn is_numeric(&self) -> bool {
        !matches!(self, Value::Unset) && self.numeric().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(a: &Value, b: &Value) -> Option<Ordering> {
        a.compare(b, b"%.6g")
    }

    #[test]
    fn only_numbers_and_input_that_looks_like_them_compare_as_numbers() {
        use Ordering::{Equal, Greater, Less};
        let (n, s, i) = (
            Value::Number,
            |t: &str| Value::text(t.as_bytes()),
            |t: &str| Value::input(t.as_bytes()),
        );
        for (a, b, result) in [
            (n(10.0), n(9.0), Greater),
            (i("10"), n(9.0), Greater),
            (i("10"), i("9"), Greater),
            (s("10"), n(9.0), Less),
            (s("10"), i("9"), Less),
            (i("abc"), n(9.0), Greater),
            (i("1e1"), i("10"), Equal),
            (Value::Unset, n(0.0), Equal),
            (Value::Unset, s(""), Equal),
            (Value::Unset, i("0"), Equal),
            (Value::Unset, s("0"), Less),
            (n(0.1), s("0.1"), Equal),
        ] {
            assert_eq!(order(&a, &b), Some(result), "{a:?} {b:?}");
        }
        assert_eq!(order(&n(f64::NAN), &n(1.0)), None);
    }

    #[test]
    fn what_is_true() {
        for (value, is) in [
            (Value::Unset, false),
            (Value::Number(0.0), false),
            (Value::Number(-0.5), true),
            (Value::text(b""), false),
            (Value::text(b"0"), true),
            (Value::input(b"0"), false),
            (Value::input(b" 0.0 "), false),
            (Value::input(b"0x"), true),
        ] {
            assert_eq!(value.is_true(), is, "{value:?}");
        }
    }
}
