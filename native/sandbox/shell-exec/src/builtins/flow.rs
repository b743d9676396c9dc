//! Status and control flow.

use super::{Done, Halt, Out, number};
use crate::ast::Bytes;
use crate::shell::{Shell, Stop, lossy};

pub(super) fn succeed(_: &mut Shell, _: &[Bytes], _: &mut Out) -> Done {
    Ok(0)
}

pub(super) fn fail(_: &mut Shell, _: &[Bytes], _: &mut Out) -> Done {
    Ok(1)
}

pub(super) fn leave_loop(shell: &mut Shell, args: &[Bytes], _: &mut Out) -> Done {
    loops(shell, args).and_then(|levels| match levels {
        0 => Ok(0),
        levels => Err(Halt::Stop(Stop::Break(levels))),
    })
}

pub(super) fn continue_loop(shell: &mut Shell, args: &[Bytes], _: &mut Out) -> Done {
    loops(shell, args).and_then(|levels| match levels {
        0 => Ok(0),
        levels => Err(Halt::Stop(Stop::Continue(levels))),
    })
}

/// How many loops are meant: no more than there are.
fn loops(shell: &mut Shell, args: &[Bytes]) -> Result<usize, Halt> {
    let levels = match operand(args) {
        None => 1,
        Some(text) => match number(text) {
            None | Some(0) => return Err(format!("{}: bad number", lossy(text)).into()),
            Some(levels) => levels,
        },
    };
    shell.status = 0;
    Ok(match shell.loops {
        0 => usize::from(shell.in_loop),
        loops => levels.min(loops),
    })
}

pub(super) fn return_(shell: &mut Shell, args: &[Bytes], _: &mut Out) -> Done {
    let last = shell.status;
    if shell.is_bash() && shell.returns == 0 {
        return Err("can only `return' from a function or sourced script".to_owned().into());
    }
    status(shell, args, last)?;
    Err(Halt::Stop(match shell.returns {
        0 => Stop::Exit,
        _ => Stop::Return,
    }))
}

pub(super) fn exit(shell: &mut Shell, args: &[Bytes], _: &mut Out) -> Done {
    let last = shell.acting.unwrap_or(shell.status);
    status(shell, args, last)?;
    Err(Halt::Stop(Stop::Exit))
}

/// The status that is asked for, or the last one.
fn status(shell: &mut Shell, args: &[Bytes], last: u8) -> Result<(), Halt> {
    shell.status = match operand(args) {
        None => last,
        Some(text) => match signed(text) {
            Some(number) => (number & 255) as u8,
            None if shell.is_bash() => {
                // The shell ends all the same.
                shell.status = 2;
                return Err(Halt::Stop(Stop::Exit));
            }
            None => return Err(format!("{}: bad number", lossy(text)).into()),
        },
    };
    Ok(())
}

/// A number that may be below zero: its last eight bits count.
fn signed(text: &[u8]) -> Option<i64> {
    match text {
        [b'-', digits @ ..] => Some(-i64::try_from(number(digits)?).ok()?),
        [b'+', digits @ ..] => i64::try_from(number(digits)?).ok(),
        digits => i64::try_from(number(digits)?).ok(),
    }
}

fn operand(args: &[Bytes]) -> Option<&Bytes> {
    match args.get(1) {
        Some(arg) if arg == b"--" => args.get(2),
        arg => arg,
    }
}
