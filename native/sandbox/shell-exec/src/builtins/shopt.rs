//! `shopt`.

use super::{Done, Out, options};
use crate::ast::Bytes;
use crate::options::{by_name, settable};
use crate::shell::{Shell, lossy};
use crate::shopt::Unchanged;

pub(super) fn shopt(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let (letters, names) = options(args, b"supqo")?;
    let has = |letter: u8| letters.contains(&letter);
    if has(b's') && has(b'u') {
        return Err("cannot set and unset shell options simultaneously".to_owned().into());
    }
    let change = if has(b's') {
        Some(true)
    } else if has(b'u') {
        Some(false)
    } else {
        None
    };
    if names.is_empty() {
        let all: Vec<(&str, bool)> = match has(b'o') {
            true => settable(shell.dialect)
                .map(|(flag, _, name)| (*name, shell.is(*flag)))
                .collect(),
            false => shell.shopt.all().collect(),
        };
        for (name, on) in all {
            if change.is_none_or(|wanted| wanted == on) && !has(b'q') {
                show(name, on, has(b'p'), has(b'o'), out);
            }
        }
        return Ok(0);
    }
    let mut status = 0;
    for name in names {
        let on = match has(b'o') {
            true => by_name(name, shell.dialect).map(|flag| shell.is(flag)),
            false => shell.shopt.named(name),
        };
        let Some(on) = on else {
            out.complain(format!("{}: invalid shell option name", lossy(name)));
            status = 1;
            continue;
        };
        match change {
            Some(wanted) if has(b'o') => {
                if let Some(flag) = by_name(name, shell.dialect) {
                    super::set::turn(shell, flag, wanted)?;
                }
            }
            Some(wanted) => {
                if shell.shopt.set(name, wanted) == Err(Unchanged::Unsupported) {
                    out.complain(format!("{}: not supported here", lossy(name)));
                    status = 1;
                }
            }
            None => {
                if !has(b'q') {
                    show(&lossy(name), on, has(b'p'), has(b'o'), out);
                }
                status |= u8::from(!on);
            }
        }
    }
    Ok(status)
}

fn show(name: &str, on: bool, to_read: bool, of_set: bool, out: &mut Out) {
    out.line(match (to_read, of_set) {
        (true, true) => format!("set {}o {name}", if on { '-' } else { '+' }),
        (true, false) => format!("shopt -{} {name}", if on { 's' } else { 'u' }),
        (false, _) => format!("{name:<15}\t{}", if on { "on" } else { "off" }),
    });
}
