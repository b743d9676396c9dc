//! `instr`, `replace` and `trim` in time linear in their input.

use std::collections::HashSet;

use memchr::memmem;

/// The longest character, in bytes.
const LONGEST: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
    Both,
}

/// Where `part` begins in `text`, counted in bytes from 1; 0 when it does not.
pub(crate) fn byte_position(text: &[u8], part: &[u8]) -> usize {
    memmem::find(text, part).map_or(0, |at| at + 1)
}

/// Where `part` begins in `text`, counted in characters from 1; 0 when it does not.
pub(crate) fn character_position(text: &[u8], part: &[u8]) -> usize {
    memmem::find(text, part).map_or(0, |at| text[..at].iter().filter(|byte| starts(**byte)).count() + 1)
}

/// `text` with `new` for every `part`, or `None` when that is longer than `limit`. `part` is not empty.
pub(crate) fn replace(text: &[u8], part: &[u8], new: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = 0;
    for at in memmem::find_iter(text, part) {
        out.extend_from_slice(&text[rest..at]);
        out.extend_from_slice(new);
        rest = at + part.len();
        if out.len() > limit {
            return None;
        }
    }
    out.extend_from_slice(&text[rest..]);
    (out.len() <= limit).then_some(out)
}

/// `text` without the characters of `set` at its ends.
pub(crate) fn trim<'a>(mut text: &'a [u8], set: &[u8], side: Side) -> &'a [u8] {
    let set: HashSet<&[u8]> = characters(set).collect();
    if side != Side::Right {
        while let Some(first) = characters(text).next().filter(|first| set.contains(first)) {
            text = &text[first.len()..];
        }
    }
    if side != Side::Left {
        while let Some(last) = last_character(text).filter(|last| set.contains(last)) {
            text = &text[..text.len() - last.len()];
        }
    }
    text
}

fn characters(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (first, rest) = text.split_at(character_length(text));
        text = rest;
        (!first.is_empty()).then_some(first)
    })
}

fn last_character(text: &[u8]) -> Option<&[u8]> {
    let window = &text[text.len().saturating_sub(LONGEST)..];
    let start = window.iter().rposition(|byte| starts(*byte));
    text.len()
        .checked_sub(start.map_or(1, |start| window.len() - start))
        .map(|start| &text[start..])
}

/// How many bytes the first character has: up to the next byte that starts one, at most four, and 0 at the end.
pub(crate) fn character_length(text: &[u8]) -> usize {
    match text {
        [] => 0,
        [_, rest @ ..] => 1 + rest.iter().take(LONGEST - 1).take_while(|byte| !starts(**byte)).count(),
    }
}

fn starts(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}
