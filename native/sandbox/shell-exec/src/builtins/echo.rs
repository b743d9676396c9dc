//! `echo`, as XSI has it: escapes count, and `-n` leaves the newline out. bash needs `-e` for escapes.

use super::{Done, Out};
use crate::ast::Bytes;
use crate::escape;
use crate::shell::Shell;
use crate::shopt::Opt;

pub(super) fn echo(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    if shell.is_bash() {
        return bash(shell.shopt.is(Opt::XpgEcho), &args[1..], out);
    }
    let args = &args[1..];
    let (newline, args) = match args.first() {
        Some(first) if first == b"-n" => (false, &args[1..]),
        _ => (true, args),
    };
    for (at, arg) in args.iter().enumerate() {
        if at > 0 {
            out.bytes.push(b' ');
        }
        let (text, stop) = escape::echo(arg);
        out.bytes.extend(text);
        if stop {
            return Ok(0);
        }
    }
    if newline {
        out.bytes.push(b'\n');
    }
    Ok(0)
}

/// As bash has it: options until the first word that is none.
fn bash(mut escapes: bool, mut args: &[Bytes], out: &mut Out) -> Done {
    let mut newline = true;
    while let Some((first, rest)) = args.split_first() {
        let letters = first.strip_prefix(b"-").unwrap_or_default();
        if letters.is_empty() || !letters.iter().all(|letter| b"neE".contains(letter)) {
            break;
        }
        for letter in letters {
            match letter {
                b'n' => newline = false,
                letter => escapes = *letter == b'e',
            }
        }
        args = rest;
    }
    for (at, arg) in args.iter().enumerate() {
        if at > 0 {
            out.bytes.push(b' ');
        }
        if !escapes {
            out.bytes.extend(arg);
            continue;
        }
        let (text, stop) = escape::echo_e(arg);
        out.bytes.extend(text);
        if stop {
            return Ok(0);
        }
    }
    if newline {
        out.bytes.push(b'\n');
    }
    Ok(0)
}
