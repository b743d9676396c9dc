//! Upper and lower case.

use super::pattern::{self, Pattern};
use crate::Error;
use crate::ast::Bytes;
use crate::meter::Meter;

/// A whole text as the attributes `u`, `l` and `c` have it.
pub(crate) fn changed(text: &[u8], case: u8) -> Bytes {
    let mut first = true;
    map(text, |char| {
        let start = std::mem::replace(&mut first, false);
        match case {
            b'u' => upper(char),
            b'l' => lower(char),
            _ if start => upper(char),
            _ => lower(char),
        }
    })
}

/// `${x^p}` and its kin: the characters that the pattern matches, or any.
pub(super) fn converted(
    text: &[u8],
    to: u8,
    all: bool,
    wanted: Option<&Pattern>,
    meter: &Meter,
) -> Result<Bytes, Error> {
    let chars = pattern::chars(text);
    let mut result = Vec::with_capacity(chars.len());
    for (at, char) in chars.iter().enumerate() {
        let fits = match wanted {
            _ if at > 0 && !all => false,
            None => true,
            Some(pattern) => pattern.matches(&pattern::text(&[*char]), meter)?,
        };
        result.push(match char::from_u32(*char).filter(|_| fits) {
            None => *char,
            Some(letter) => u32::from(match to {
                b'^' => upper(letter),
                b',' => lower(letter),
                _ if letter.is_uppercase() => lower(letter),
                _ => upper(letter),
            }),
        });
    }
    Ok(pattern::text(&result))
}

fn map(text: &[u8], mut change: impl FnMut(char) -> char) -> Bytes {
    let chars: Vec<_> = pattern::chars(text)
        .into_iter()
        .map(|code| char::from_u32(code).map_or(code, |char| u32::from(change(char))))
        .collect();
    pattern::text(&chars)
}

/// One character for one: where there would be more, it stays as it is.
fn upper(char: char) -> char {
    let mut mapped = char.to_uppercase();
    mapped.next().filter(|_| mapped.next().is_none()).unwrap_or(char)
}

fn lower(char: char) -> char {
    let mut mapped = char.to_lowercase();
    mapped.next().filter(|_| mapped.next().is_none()).unwrap_or(char)
}
