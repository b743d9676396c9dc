//! Quoting text so that a shell reads it back.

use crate::ast::Bytes;

/// In single quotes.
pub(crate) fn always(text: &[u8]) -> Bytes {
    let mut quoted = vec![b'\''];
    for byte in text {
        match byte {
            b'\'' => quoted.extend(b"'\\''"),
            byte => quoted.push(*byte),
        }
    }
    quoted.push(b'\'');
    quoted
}

/// Only if something in it would count.
pub(crate) fn if_needed(text: &[u8]) -> Bytes {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+=./:,@%^".contains(byte) || *byte >= 0x80;
    match !text.is_empty() && text.iter().all(plain) {
        true => text.to_vec(),
        false => always(text),
    }
}
