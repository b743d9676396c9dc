//! `{a,b}` and `{1..9}`: one word becomes several.

use crate::ast::{Part, Sequence};
use crate::meter::Held;
use crate::shell::Trouble;
use std::borrow::Cow;

/// A word without braces.
pub(super) type Alternative<'a> = Vec<Cow<'a, Part>>;

/// What a piece of a word costs beside its bytes.
const OVERHEAD: usize = 64;

/// All words that a word with braces stands for, in order. They are paid for as they are made.
pub(super) fn alternatives<'a>(parts: &'a [Part], held: &mut Held) -> Result<Vec<Alternative<'a>>, Trouble> {
    let mut words: Vec<Alternative> = vec![Vec::new()];
    for part in parts {
        let choices = match part {
            Part::Braces(choices) => {
                let mut all = Vec::new();
                for choice in choices {
                    all.extend(alternatives(choice, held)?);
                }
                all
            }
            Part::Sequence(sequence) => members(sequence, held)?,
            part => {
                held.grow(words.len() * OVERHEAD)?;
                words.iter_mut().for_each(|word| word.push(Cow::Borrowed(part)));
                continue;
            }
        };
        let mut longer = Vec::new();
        for word in &words {
            for choice in &choices {
                held.grow((1 + word.len() + choice.len()) * OVERHEAD)?;
                held.meter().work(16)?;
                longer.push(word.iter().chain(choice).cloned().collect());
            }
        }
        words = longer;
    }
    Ok(words)
}

fn members<'a>(sequence: &Sequence, held: &mut Held) -> Result<Vec<Alternative<'a>>, Trouble> {
    let Sequence {
        first,
        last,
        step,
        width,
        letters,
    } = sequence.clone();
    let step = i128::from(step) * if first <= last { 1 } else { -1 };
    let mut members = Vec::new();
    let (mut at, last) = (i128::from(first), i128::from(last));
    while (step > 0 && at <= last) || (step < 0 && at >= last) {
        held.grow(2 * OVERHEAD + width)?;
        held.meter().work(16)?;
        let text = match letters {
            true => vec![at as u8],
            false if at < 0 => format!("-{:0width$}", -at, width = width.saturating_sub(1)).into(),
            false => format!("{at:0width$}").into(),
        };
        // What comes out of braces is not looked at for patterns again, but for a letter that is one.
        members.push(vec![Cow::Owned(Part::Literal(text))]);
        at += step;
    }
    Ok(members)
}
