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

/// Whether something in it can only be written as an escape.
fn needs_escapes(text: &[u8]) -> bool {
    std::str::from_utf8(text).map_or(true, |text| text.chars().any(char::is_control))
}

/// `$'..'`.
fn ansi(text: &[u8]) -> Bytes {
    let mut quoted = b"$'".to_vec();
    for chunk in text.utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                '\x07' => quoted.extend(b"\\a"),
                '\x08' => quoted.extend(b"\\b"),
                '\t' => quoted.extend(b"\\t"),
                '\n' => quoted.extend(b"\\n"),
                '\x0b' => quoted.extend(b"\\v"),
                '\x0c' => quoted.extend(b"\\f"),
                '\r' => quoted.extend(b"\\r"),
                '\x1b' => quoted.extend(b"\\E"),
                '\'' => quoted.extend(b"\\'"),
                '\\' => quoted.extend(b"\\\\"),
                char if char.is_ascii_control() => quoted.extend(format!("\\{:03o}", u32::from(char)).bytes()),
                char => quoted.extend(char.encode_utf8(&mut [0; 4]).bytes()),
            }
        }
        for byte in chunk.invalid() {
            quoted.extend(format!("\\{byte:03o}").bytes());
        }
    }
    quoted.push(b'\'');
    quoted
}

/// `${x@Q}`.
pub(crate) fn for_bash(text: &[u8]) -> Bytes {
    match needs_escapes(text) {
        true => ansi(text),
        false => always(text),
    }
}

/// What `set` shows: quoted only if something in it would count.
pub(crate) fn for_bash_if_needed(text: &[u8]) -> Bytes {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+=./:,@%^#".contains(byte) || *byte >= 0x80;
    match needs_escapes(text) {
        true => ansi(text),
        false if text.iter().all(plain) => text.to_vec(),
        false => always(text),
    }
}

/// `printf %q`: backslashes.
pub(crate) fn backslashes(text: &[u8]) -> Bytes {
    if text.is_empty() {
        return b"''".to_vec();
    }
    if needs_escapes(text) {
        return ansi(text);
    }
    let mut quoted = Bytes::new();
    for (at, byte) in text.iter().enumerate() {
        let counts = match byte {
            b'~' | b'#' => at == 0 || (*byte == b'~' && matches!(text[at - 1], b':' | b'=')),
            byte => b" \t\n'\"\\|&;()<>!{}*[]?^$`,".contains(byte),
        };
        if counts {
            quoted.push(b'\\');
        }
        quoted.push(*byte);
    }
    quoted
}

/// As `declare -p` shows a value.
pub(crate) fn double(text: &[u8]) -> Bytes {
    if needs_escapes(text) {
        return ansi(text);
    }
    let mut quoted = vec![b'"'];
    for byte in text {
        if b"\"$`\\".contains(byte) {
            quoted.push(b'\\');
        }
        quoted.push(*byte);
    }
    quoted.push(b'"');
    quoted
}

/// A key as `declare -p` shows it.
pub(crate) fn key(text: &[u8]) -> Bytes {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+./:,%^@".contains(byte);
    match !text.is_empty() && text.iter().all(plain) {
        true => text.to_vec(),
        false => double(text),
    }
}
