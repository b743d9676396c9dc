//! Characters in bytes that are mostly UTF-8. A byte that is no part of a character counts as one.

/// Whether all bytes are ASCII, many at a time.
#[inline]
pub fn is_ascii(bytes: &[u8]) -> bool {
    const HIGH: u128 = 0x8080_8080_8080_8080_8080_8080_8080_8080;
    let (wide, rest) = bytes.as_chunks::<16>();
    wide.iter().all(|chunk| u128::from_le_bytes(*chunk) & HIGH == 0) && rest.iter().all(u8::is_ascii)
}

/// The length in bytes of the character that the bytes begin with; they are not empty.
#[inline]
pub fn width(bytes: &[u8]) -> usize {
    let wanted = match bytes[0] {
        0..=0x7f => return 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return 1,
    };
    match bytes.get(..wanted).map(std::str::from_utf8) {
        Some(Ok(_)) => wanted,
        _ => 1,
    }
}

/// How many characters there are.
pub fn count(bytes: &[u8]) -> usize {
    let (mut at, mut count) = (0, 0);
    while at < bytes.len() {
        at += width(&bytes[at..]);
        count += 1;
    }
    count
}

/// How many characters there are, quickly when all are ASCII.
#[inline]
pub fn length(bytes: &[u8]) -> usize {
    match is_ascii(bytes) {
        true => bytes.len(),
        false => count(bytes),
    }
}

/// Where the character with this number (from 0) begins, or the end.
pub fn offset(bytes: &[u8], number: usize) -> usize {
    let mut at = 0;
    for _ in 0..number {
        if at >= bytes.len() {
            break;
        }
        at += width(&bytes[at..]);
    }
    at
}

/// Adds the character with this code; one that is no character is added as a byte.
pub fn push(to: &mut Vec<u8>, code: u32) {
    match char::from_u32(code) {
        Some(char) => to.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
        None => to.push(code as u8),
    }
}

/// Changes the case of every character that has exactly one counterpart.
pub fn map_case<I: Iterator<Item = char>>(
    bytes: &[u8],
    is_ascii: bool,
    ascii: impl Fn(&u8) -> u8,
    change: impl Fn(char) -> I,
) -> Vec<u8> {
    if is_ascii {
        return bytes.iter().map(ascii).collect();
    }
    let mut changed = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            let mut counterpart = change(char);
            let one = match (counterpart.next(), counterpart.next()) {
                (Some(one), None) => one,
                _ => char,
            };
            changed.extend_from_slice(one.encode_utf8(&mut [0; 4]).as_bytes());
        }
        changed.extend_from_slice(chunk.invalid());
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_characters_count_one_each() {
        for (bytes, chars) in [
            (&b""[..], 0),
            (b"abc", 3),
            ("h\u{e9}\u{20ac}\u{1f600}".as_bytes(), 4),
            (b"\xff\xfe", 2),
            (b"\xc3", 1),
            (b"\xe2\x82x", 3),
            (b"\xc0\x80", 2),
        ] {
            assert_eq!(count(bytes), chars, "{bytes:?}");
        }
    }

    #[test]
    fn case_changes_one_character_to_one() {
        let upper = |text: &str| map_case(text.as_bytes(), false, u8::to_ascii_uppercase, char::to_uppercase);
        assert_eq!(upper("aZ\u{e9}\u{df}"), "AZ\u{c9}\u{df}".as_bytes());
    }
}
