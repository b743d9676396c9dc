//! Copies of a few bytes.
//!
//! In WASM a copy of a length that is not known when the program is compiled is an instruction that calls the host. Fields
//! and separators are a few bytes each, and the call takes longer than the copy; so those are moved as whole numbers.

/// The longest string that [`padded`] takes.
pub const WIDE: usize = 16;

/// Up to [`WIDE`] bytes, with zeros behind them.
#[inline]
pub fn padded(bytes: &[u8]) -> [u8; WIDE] {
    // Two numbers, one from either end. Where they overlap they say the same.
    let joined = match bytes.len() {
        0 => 0,
        1..=3 => {
            let last = bytes.len() - 1;
            let middle = bytes.len() / 2;
            u128::from(bytes[0]) | u128::from(bytes[middle]) << (8 * middle) | u128::from(bytes[last]) << (8 * last)
        }
        4..=7 => match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) => {
                let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
                u128::from(u64::from(first) | u64::from(last) << (8 * (bytes.len() - 4)))
            }
            _ => 0,
        },
        _ => match (bytes.first_chunk(), bytes.last_chunk()) {
            (Some(first), Some(last)) => {
                let (first, last) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
                u128::from(first) | u128::from(last) << (8 * (bytes.len().min(WIDE) - 8))
            }
            _ => 0,
        },
    };
    joined.to_le_bytes()
}

/// Adds bytes to a buffer.
#[inline]
pub fn append(to: &mut Vec<u8>, bytes: &[u8]) {
    let length = to.len() + bytes.len();
    if bytes.len() <= WIDE {
        to.extend_from_slice(&padded(bytes));
        to.truncate(length);
    } else if bytes.len() <= 2 * WIDE {
        if let Some((first, rest)) = bytes.split_first_chunk::<WIDE>() {
            to.extend_from_slice(first);
            to.extend_from_slice(&padded(rest));
            to.truncate(length);
        }
    } else {
        to.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_copied_whole() {
        let bytes: Vec<u8> = (1..=100).collect();
        for length in 0..bytes.len() {
            let mut to = b"before".to_vec();
            append(&mut to, &bytes[..length]);
            assert_eq!(to, [b"before", &bytes[..length]].concat(), "{length}");
            if length <= WIDE {
                let mut expected = [0; WIDE];
                expected[..length].copy_from_slice(&bytes[..length]);
                assert_eq!(padded(&bytes[..length]), expected);
            }
        }
    }
}
