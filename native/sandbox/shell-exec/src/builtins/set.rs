//! `set` and `shift`.

use super::{Done, Out, number};
use crate::ast::Bytes;
use crate::options::{Flag, SETTABLE, by_letter, by_name};
use crate::quote;
use crate::shell::{Shell, lossy};

pub(super) fn set(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    if args.len() == 1 {
        for (name, variable) in shell.variables.sorted() {
            if let Some(value) = variable.value() {
                let mut line = name.clone();
                line.push(b'=');
                line.extend(quote::always(value));
                out.line(line);
            }
        }
        return Ok(0);
    }
    let mut rest = args[1..].iter();
    while let Some(arg) = rest.clone().next() {
        let on = match arg.first() {
            Some(b'-') => true,
            Some(b'+') => false,
            _ => break,
        };
        rest.next();
        if arg == b"--" {
            shell.set_positional(rest.cloned().collect())?;
            return Ok(0);
        }
        if arg == b"-" {
            shell.options.set(Flag::XTrace, false);
            shell.options.set(Flag::Verbose, false);
            break;
        }
        for letter in &arg[1..] {
            if *letter == b'o' {
                match rest.next() {
                    Some(name) => match by_name(name) {
                        Some(flag) => turn(shell, flag, on)?,
                        None => return Err(format!("{}: bad option", lossy(name)).into()),
                    },
                    None => list(shell, on, out),
                }
                continue;
            }
            match by_letter(*letter) {
                Some(flag) => turn(shell, flag, on)?,
                None => return Err(format!("-{}: bad option", char::from(*letter)).into()),
            }
        }
    }
    if rest.len() > 0 {
        shell.set_positional(rest.cloned().collect())?;
    }
    Ok(0)
}

fn turn(shell: &mut Shell, flag: Flag, on: bool) -> Result<(), String> {
    // The rest of the script would be passed over, and a check that does not run proves nothing. `sh -n FILE` is another
    // thing: it asks about a file.
    if flag == Flag::NoExec && on && shell.world.sealed {
        return Err("-n: a check has to run".to_owned());
    }
    shell.options.set(flag, on);
    Ok(())
}

/// `set -o` for people, `set +o` for a shell to read.
fn list(shell: &Shell, for_people: bool, out: &mut Out) {
    for (flag, _, name) in SETTABLE {
        let on = shell.options.is(*flag);
        out.line(match for_people {
            true => format!("{name:<16}{}", if on { "on" } else { "off" }),
            false => format!("set {}o {name}", if on { '-' } else { '+' }),
        });
    }
}

pub(super) fn shift(shell: &mut Shell, args: &[Bytes], _: &mut Out) -> Done {
    let count = match args.get(1).filter(|arg| *arg != b"--").or(args.get(2)) {
        None => 1,
        Some(text) => number(text).ok_or_else(|| format!("{}: bad number", lossy(text)))?,
    };
    if count > shell.args().len() {
        return Err("can't shift that many".to_owned().into());
    }
    shell.shift(count);
    Ok(0)
}
