//! `umask` and `times`.

use super::{Done, Out, options};
use crate::ast::Bytes;
use crate::shell::{Shell, lossy};

pub(super) fn umask(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let (letters, operands) = options(args, b"S")?;
    match operands.first() {
        None if letters.contains(&b'S') => out.line(symbolic(shell.umask)),
        None => out.line(format!("{:04o}", shell.umask)),
        Some(text) => {
            let bad = || format!("{}: bad mask", lossy(text));
            shell.umask = match text.first() {
                Some(b'0'..=b'9') => octal(text).ok_or_else(bad)?,
                _ => !apply(text, !shell.umask & 0o777).ok_or_else(bad)? & 0o777,
            };
        }
    }
    Ok(0)
}

fn octal(text: &[u8]) -> Option<u32> {
    let mode = u32::from_str_radix(std::str::from_utf8(text).ok()?, 8).ok()?;
    (mode <= 0o777).then_some(mode)
}

fn symbolic(mask: u32) -> String {
    let who = |name: char, shift: u32| {
        let bits = !mask >> shift;
        let letters = [(4, 'r'), (2, 'w'), (1, 'x')];
        let granted: String = letters
            .iter()
            .filter(|(bit, _)| bits & bit != 0)
            .map(|(_, letter)| letter)
            .collect();
        format!("{name}={granted}")
    };
    [who('u', 6), who('g', 3), who('o', 0)].join(",")
}

/// Changes what is granted by clauses such as `u=rwx,go-w`.
fn apply(text: &[u8], mut granted: u32) -> Option<u32> {
    for clause in text.split(|byte| *byte == b',') {
        let operator = clause.iter().position(|byte| b"+-=".contains(byte))?;
        let mut shifts = Vec::new();
        for who in &clause[..operator] {
            match who {
                b'u' => shifts.push(6),
                b'g' => shifts.push(3),
                b'o' => shifts.push(0),
                b'a' => shifts.extend([6, 3, 0]),
                _ => return None,
            }
        }
        if shifts.is_empty() {
            shifts = vec![6, 3, 0];
        }
        let mut rest = &clause[operator..];
        while let Some((operator, more)) = rest.split_first() {
            let end = more.iter().position(|byte| b"+-=".contains(byte)).unwrap_or(more.len());
            let before = granted;
            let mut bits = 0;
            let mut copied = None;
            for letter in &more[..end] {
                match letter {
                    b'r' => bits |= 4,
                    b'w' => bits |= 2,
                    b'x' | b'X' => bits |= 1,
                    b's' | b't' => {}
                    b'u' => copied = Some(before >> 6 & 7),
                    b'g' => copied = Some(before >> 3 & 7),
                    b'o' => copied = Some(before & 7),
                    _ => return None,
                }
            }
            let bits = copied.unwrap_or(bits);
            for shift in &shifts {
                granted = match operator {
                    b'+' => granted | bits << shift,
                    b'-' => granted & !(bits << shift),
                    _ => granted & !(7 << shift) | bits << shift,
                };
            }
            rest = &more[end..];
        }
    }
    Some(granted)
}

/// Nothing is measured here: who started the run knows how long it took.
pub(super) fn times(_: &mut Shell, _: &[Bytes], out: &mut Out) -> Done {
    out.line("0m0.000000s 0m0.000000s");
    out.line("0m0.000000s 0m0.000000s");
    Ok(0)
}
