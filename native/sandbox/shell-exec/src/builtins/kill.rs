//! `kill`: signals to the run's own jobs and shells.

use super::jobs::find;
use super::{Done, Out, number};
use crate::ast::Bytes;
use crate::shell::{Shell, lossy};
use crate::signal::Signal;

pub(super) fn kill(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let mut operands = &args[1..];
    // Nothing means to ask whether the process is there.
    let mut signal = Some(Signal::TERM);
    if let Some(first) = operands.first().filter(|first| first.len() > 1 && first[0] == b'-') {
        operands = &operands[1..];
        let name = match &first[1..] {
            b"-" => None,
            b"l" => return list(operands, out),
            b"s" | b"n" => {
                let (name, rest) = operands.split_first().ok_or_else(|| "a signal is needed".to_owned())?;
                operands = rest;
                Some(name.clone())
            }
            rest => match rest
                .strip_prefix(b"s")
                .filter(|name| Signal::parse(rest).is_none() && !name.is_empty())
            {
                Some(name) => Some(name.to_vec()),
                None => Some(rest.to_vec()),
            },
        };
        if let Some(name) = name {
            signal = match &name[..] {
                b"0" => None,
                name => match Signal::parse(name) {
                    Some(signal) => Some(signal),
                    None => return Err(format!("{}: bad signal", lossy(name)).into()),
                },
            };
        }
        if operands.first().is_some_and(|arg| arg == b"--") {
            operands = &operands[1..];
        }
    }
    if operands.is_empty() {
        return Err("a process is needed".to_owned().into());
    }
    let mut status = 0;
    for operand in operands {
        let process = match find(shell, operand) {
            Some(job) => shell.world.processes.get(job.process.pid),
            None if operand == b"0" => shell.world.processes.get(shell.pid),
            None => number(operand)
                .and_then(|pid| u32::try_from(pid).ok())
                .and_then(|pid| shell.world.processes.get(pid)),
        };
        match process {
            Some(process) => {
                if let Some(signal) = signal {
                    process.signal(signal);
                }
            }
            None => {
                out.complain(format!("{}: no such process", lossy(operand)));
                status = 1;
            }
        }
    }
    Ok(status)
}

/// `kill -l`: names of numbers, or all names.
fn list(operands: &[Bytes], out: &mut Out) -> Done {
    if operands.is_empty() {
        for signal in Signal::all() {
            out.line(signal.name());
        }
        return Ok(0);
    }
    for operand in operands {
        let found = match number(operand) {
            Some(status) => u8::try_from(status & 127).ok().and_then(Signal::numbered),
            None => Signal::parse(operand),
        };
        match found {
            Some(signal) if number(operand).is_some() => out.line(signal.name()),
            Some(signal) => out.line((signal.status() - 128).to_string()),
            None => return Err(format!("{}: bad signal", lossy(operand)).into()),
        }
    }
    Ok(0)
}
