//! Numbers that survive. Canonical JSON (RFC 8785) writes every number as a double, which holds whole numbers up to
//! 2^53 - 1. A larger one would be changed on the way to the disk, so it is refused.

use serde_json::{Number, Value};

/// The largest whole number that a double and its neighbours tell apart.
const SAFE: u64 = (1 << 53) - 1;

/// Where the first number lies that would not come back as it was sent.
///
/// The parser gives a literal too long for 64 bits as a double, which cannot be told from one that was meant: beyond
/// 2^53 every number is refused.
pub(crate) fn unsafe_number(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) if !survives(number) => Some(String::new()),
        Value::Array(list) => {
            let found = |(i, value): (usize, &Value)| Some(format!("/{i}{}", unsafe_number(value)?));
            list.iter().enumerate().find_map(found)
        }
        Value::Object(map) => map
            .iter()
            .find_map(|(key, value)| Some(format!("/{key}{}", unsafe_number(value)?))),
        _ => None,
    }
}

fn survives(number: &Number) -> bool {
    if let Some(whole) = number.as_u64() {
        return whole <= SAFE;
    }
    if let Some(whole) = number.as_i64() {
        return whole.unsigned_abs() <= SAFE;
    }
    number.as_f64().is_some_and(|float| float.abs() <= SAFE as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_beyond_two_to_the_53_are_found() {
        for (text, want) in [
            ("9007199254740991", None),
            ("-9007199254740991", None),
            ("9007199254740992", Some("")),
            ("-9007199254740992", Some("")),
            ("18446744073709551615", Some("")),
            ("123456789012345678901234567890", Some("")),
            ("1e300", Some("")),
            ("0.5", None),
            (r#"{"a": [1, {"b": 9007199254740993}]}"#, Some("/a/1/b")),
            (r#"{"a": "9007199254740993"}"#, None),
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(unsafe_number(&value).as_deref(), want, "{text}");
        }
    }
}
