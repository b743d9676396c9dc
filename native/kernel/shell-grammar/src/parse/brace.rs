//! Brace expansion: `{a,b}` and `{1..9}`.
//!
//! Where the braces are is a matter of grammar; how many words they become is counted when they do.

use super::{Parsed, Parser};
use crate::ast::{Part, Sequence, Word};
use crate::{Bound, Dialect};

/// A word, letter by letter where it is not quoted.
enum Unit {
    Byte(u8),
    Part(Part),
}

/// A brace that is closed.
#[derive(Clone)]
struct Pair {
    close: usize,
    /// The commas between, at this level.
    commas: Vec<usize>,
}

impl Parser {
    /// A word of a command, with its braces found. In sh they would mean themselves, which nobody who writes them wants.
    pub(super) fn braces(&self, mut word: Word) -> Parsed<Word> {
        if !may_expand(&word) {
            return Ok(word);
        }
        let units = units(std::mem::take(&mut word.parts));
        let pairs = pairs(&units, self.limits.nesting)?;
        let mut units: Vec<Option<Unit>> = units.into_iter().map(Some).collect();
        let count = units.len();
        let (parts, found) = build(&mut units, &pairs, 0, count);
        word.parts = parts;
        if !found {
            return Ok(word);
        }
        match self.is_bash() {
            true => {
                if let Some(Part::Braces(choices)) = word.parts.first_mut() {
                    choices.iter_mut().for_each(find_tilde);
                }
                Ok(word)
            }
            false => Err(self.fault(Dialect::refuses(if word.parts.iter().any(is_sequence) {
                "{first..last}"
            } else {
                "{a,b}"
            }))),
        }
    }
}

fn is_sequence(part: &Part) -> bool {
    matches!(part, Part::Sequence(_))
}

fn find_tilde(parts: &mut Vec<Part>) {
    let mut word = Word::new(std::mem::take(parts));
    word.find_tilde();
    *parts = word.parts;
}

/// Whether a closer look is worth it.
fn may_expand(word: &Word) -> bool {
    let has = |wanted: &dyn Fn(&[u8]) -> bool| {
        word.parts
            .iter()
            .any(|part| matches!(part, Part::Literal(text) if wanted(text)))
    };
    has(&|text| text.contains(&b'{'))
        && has(&|text| text.contains(&b'}'))
        && has(&|text| text.contains(&b',') || text.windows(2).any(|two| two == b".."))
}

fn units(parts: Vec<Part>) -> Vec<Unit> {
    let mut units = Vec::new();
    for part in parts {
        match part {
            Part::Literal(text) => units.extend(text.into_iter().map(Unit::Byte)),
            part => units.push(Unit::Part(part)),
        }
    }
    units
}

/// The braces that are closed, by where they open.
fn pairs(units: &[Unit], deepest: usize) -> Result<Vec<Option<Pair>>, Bound> {
    let mut pairs = vec![None; units.len()];
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    for (at, unit) in units.iter().enumerate() {
        match unit {
            Unit::Byte(b'{') => open.push((at, Vec::new())),
            Unit::Byte(b'}') => {
                if let Some((start, commas)) = open.pop() {
                    if open.len() >= deepest {
                        return Err(Bound::TooDeep);
                    }
                    pairs[start] = Some(Pair { close: at, commas });
                }
            }
            Unit::Byte(b',') => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
            }
            _ => {}
        }
    }
    Ok(pairs)
}

/// The parts of a stretch, and whether there is anything to expand in it.
fn build(units: &mut [Option<Unit>], pairs: &[Option<Pair>], from: usize, to: usize) -> (Vec<Part>, bool) {
    let mut parts: Vec<Part> = Vec::new();
    let mut found = false;
    let mut at = from;
    while at < to {
        if let Some(pair) = pairs[at].as_ref().filter(|pair| pair.close < to) {
            if !pair.commas.is_empty() {
                let mut choices = Vec::new();
                let mut start = at + 1;
                for end in pair.commas.iter().copied().chain([pair.close]) {
                    choices.push(build(units, pairs, start, end).0);
                    start = end + 1;
                }
                parts.push(Part::Braces(choices));
                found = true;
                at = pair.close + 1;
                continue;
            }
            if let Some(sequence) = sequence(&units[at + 1..pair.close]) {
                parts.push(Part::Sequence(sequence));
                found = true;
                at = pair.close + 1;
                continue;
            }
        }
        match units[at].take() {
            Some(Unit::Byte(byte)) => match parts.last_mut() {
                Some(Part::Literal(text)) => text.push(byte),
                _ => parts.push(Part::Literal(vec![byte])),
            },
            Some(Unit::Part(part)) => parts.push(part),
            None => {}
        }
        at += 1;
    }
    // What stands in a pair without commas was walked over with the rest.
    (parts, found)
}

/// `first..last` and `first..last..step`.
fn sequence(units: &[Option<Unit>]) -> Option<Sequence> {
    let mut text = String::new();
    for unit in units {
        match unit {
            Some(Unit::Byte(byte)) if byte.is_ascii() => text.push(char::from(*byte)),
            _ => return None,
        }
    }
    let mut pieces = text.split("..");
    let (first, last, step) = (pieces.next()?, pieces.next()?, pieces.next());
    if pieces.next().is_some() {
        return None;
    }
    let step = match step {
        None => 1,
        Some(step) => step.parse::<i64>().ok()?.unsigned_abs().max(1),
    };
    let letter = |text: &str| match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(i64::from(*letter)),
        _ => None,
    };
    if let (Some(first), Some(last)) = (letter(first), letter(last)) {
        return Some(Sequence {
            first,
            last,
            step,
            width: 0,
            letters: true,
        });
    }
    let number = |text: &str| -> Option<i64> {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
    };
    let padded = |text: &str| {
        let digits = text.trim_start_matches(['-', '+']);
        digits.len() > 1 && digits.starts_with('0')
    };
    let width = match padded(first) || padded(last) {
        true => first.len().max(last.len()),
        false => 0,
    };
    Some(Sequence {
        first: number(first)?,
        last: number(last)?,
        step,
        width,
        letters: false,
    })
}
