//! One SQL value as JSON, without losing a bit of it.
//!
//! A BLOB is `{"base64": ".."}`, and so is TEXT that is not UTF-8. An infinity, which JSON has no number for, is
//! `{"real": "Infinity"}`. SQLite has no NaN: it stores NULL.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rusqlite::types::ValueRef;

use crate::{Error, MAX_OUTPUT};

/// Appends `value` to `out`, which may not outgrow [`MAX_OUTPUT`].
pub(crate) fn append(out: &mut String, value: ValueRef<'_>) -> Result<(), Error> {
    match value {
        ValueRef::Null => out.push_str("null"),
        ValueRef::Integer(i) => out.push_str(&i.to_string()),
        ValueRef::Real(r) if r.is_finite() => out.push_str(&json(&r)),
        ValueRef::Real(r) if r > 0.0 => out.push_str(r#"{"real":"Infinity"}"#),
        ValueRef::Real(_) => out.push_str(r#"{"real":"-Infinity"}"#),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) if out.len() + bytes.len() > MAX_OUTPUT => {
            return Err(Error::OutputTooLarge);
        }
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => out.push_str(&json(text)),
            Err(_) => append_base64(out, bytes),
        },
        ValueRef::Blob(bytes) => append_base64(out, bytes),
    }
    if out.len() > MAX_OUTPUT {
        return Err(Error::OutputTooLarge);
    }
    Ok(())
}

fn json<T: serde::Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("a string or a finite number is JSON")
}

fn append_base64(out: &mut String, bytes: &[u8]) {
    out.push_str(r#"{"base64":""#);
    STANDARD.encode_string(bytes, out);
    out.push_str(r#""}"#);
}
