//! `trap`.

use super::{Done, Halt, Out};
use crate::Dialect;
use crate::ast::Bytes;
use crate::quote;
use crate::shell::{Condition, Shell, lossy};
use crate::signal::Signal;
use std::sync::Arc;

pub(super) fn trap(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let mut operands = &args[1..];
    let mut shows = operands.is_empty();
    if let Some(first) = operands.first() {
        match &first[..] {
            b"--" => {
                operands = &operands[1..];
                shows = operands.is_empty();
            }
            b"-p" => {
                operands = &operands[1..];
                shows = true;
            }
            b"-l" if shell.is_bash() => {
                for signal in Signal::all() {
                    out.line(format!("{:2}) SIG{}", signal.status() - 128, signal.name()));
                }
                return Ok(0);
            }
            _ => {}
        }
    }
    if shows {
        show(shell, operands, out);
        return Ok(0);
    }
    // A number first, or a name alone: the conditions go back to what they were.
    let is_number = !operands[0].is_empty() && operands[0].iter().all(u8::is_ascii_digit);
    let resets = is_number || operands.len() == 1;
    let (action, conditions) = match resets {
        true => (None, operands),
        false => {
            let action = Some(&operands[0]).filter(|action| **action != b"-");
            (action, &operands[1..])
        }
    };
    if action.is_some_and(|action| action.len() > shell.world.limits.script) {
        return Err("the action is too long".to_owned().into());
    }
    let mut status = 0;
    for name in conditions {
        let Some(condition) = condition(shell, name) else {
            if matches!(&name.to_ascii_uppercase()[..], b"ERR" | b"DEBUG" | b"RETURN") {
                return Err(Halt::Refused(Dialect::refuses(&format!("trap .. {}", lossy(name)))));
            }
            out.complain(format!("{}: bad trap", lossy(name)));
            status = 1;
            continue;
        };
        let level = shell.frames.len();
        let traps = Arc::make_mut(&mut shell.traps);
        traps.inherited = None;
        if condition == Condition::Err {
            traps.err_level = level;
        }
        match action {
            Some(action) => {
                traps.actions.insert(condition, action.clone().into());
            }
            None => {
                traps.actions.remove(&condition);
            }
        }
    }
    shell.tell_process();
    Ok(status)
}

fn condition(shell: &Shell, name: &[u8]) -> Option<Condition> {
    let upper = name.to_ascii_uppercase();
    match name {
        b"0" | b"EXIT" | b"exit" => Some(Condition::Exit),
        _ if shell.is_bash() && upper == b"ERR" => Some(Condition::Err),
        _ if shell.is_bash() && upper == b"DEBUG" => Some(Condition::Debug),
        _ if shell.is_bash() && upper == b"RETURN" => Some(Condition::Return),
        name => Signal::parse(name).map(Condition::Signal),
    }
}

fn show(shell: &Shell, only: &[Bytes], out: &mut Out) {
    let actions = shell.traps.inherited.as_ref().unwrap_or(&shell.traps.actions);
    let only: Vec<_> = only.iter().filter_map(|name| condition(shell, name)).collect();
    for (condition, action) in actions {
        if !only.is_empty() && !only.contains(condition) {
            continue;
        }
        let name = match condition {
            Condition::Exit => "EXIT",
            Condition::Signal(signal) => signal.name(),
            Condition::Err => "ERR",
            Condition::Debug => "DEBUG",
            Condition::Return => "RETURN",
        };
        // bash writes the names of signals in full.
        let prefix: &[u8] = match condition {
            Condition::Signal(_) if shell.is_bash() => b"SIG",
            _ => b"",
        };
        let mut line = b"trap -- ".to_vec();
        line.extend(quote::always(action));
        line.push(b' ');
        line.extend(prefix);
        line.extend(name.bytes());
        out.line(line);
    }
}
