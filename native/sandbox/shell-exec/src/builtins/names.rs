//! `alias` and `unalias`.

use super::{Done, Out, options};
use crate::ast::Bytes;
use crate::quote;
use crate::shell::{Shell, lossy};
use std::sync::Arc;

pub(super) fn alias(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let (_, operands) = options(args, b"p")?;
    if operands.is_empty() {
        let mut all: Vec<_> = shell.aliases.iter().collect();
        all.sort();
        for (name, value) in all {
            out.line(shown(name, value));
        }
    }
    let mut status = 0;
    for operand in operands {
        match operand.iter().position(|byte| *byte == b'=').filter(|at| *at > 0) {
            Some(at) => {
                let (name, value) = (operand[..at].to_vec(), operand[at + 1..].to_vec());
                if operand.len() > LONGEST_ALIAS || shell.aliases.len() >= MOST_ALIASES {
                    return Err("too many or too long".to_owned().into());
                }
                Arc::make_mut(&mut shell.aliases).insert(name, value);
            }
            None => match shell.aliases.get(operand) {
                Some(value) => out.line(shown(operand, value)),
                None => {
                    out.complain(format!("{}: not found", lossy(operand)));
                    status = 1;
                }
            },
        }
    }
    Ok(status)
}

/// Aliases are not counted as memory, so there cannot be many, nor long ones.
const MOST_ALIASES: usize = 256;
const LONGEST_ALIAS: usize = 4096;

/// As a shell reads it back.
pub(super) fn shown(name: &[u8], value: &[u8]) -> Bytes {
    let mut text = name.to_vec();
    text.push(b'=');
    text.extend(quote::always(value));
    text
}

pub(super) fn unalias(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let (letters, names) = options(args, b"a")?;
    if letters.contains(&b'a') {
        shell.aliases = Arc::default();
        return Ok(0);
    }
    let mut status = 0;
    for name in names {
        if Arc::make_mut(&mut shell.aliases).remove(name).is_none() {
            out.complain(format!("{}: not found", lossy(name)));
            status = 1;
        }
    }
    Ok(status)
}
