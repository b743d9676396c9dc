//! `set` and `shift`.

use super::{Done, Halt, Out, number};
use crate::Dialect;
use crate::ast::Bytes;
use crate::options::{Flag, by_letter, by_name, settable};
use crate::quote;
use crate::shell::{Shell, lossy};

pub(super) fn set(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    if args.len() == 1 {
        let bash = shell.is_bash();
        for (name, variable) in shell.variables.sorted() {
            if bash && variable.is_set() {
                let value = match variable.array() {
                    Some(_) => shell.shown_value(name, variable),
                    None => quote::for_bash_if_needed(variable.value().unwrap_or_default()),
                };
                out.line([&name[..], b"=", &value].concat());
                continue;
            }
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
                    Some(name) => match by_name(name, shell.dialect) {
                        Some(flag) => turn(shell, flag, on)?,
                        // Those that only matter to people at a terminal.
                        None if shell.is_bash()
                            && matches!(&name[..], b"history" | b"histexpand" | b"interactive-comments") => {}
                        None if by_name(name, Dialect::Bash).is_some() => {
                            return Err(Halt::Refused(Dialect::refuses(&format!("set -o {}", lossy(name)))));
                        }
                        None => return Err(format!("{}: bad option", lossy(name)).into()),
                    },
                    None => list(shell, on, out),
                }
                continue;
            }
            match by_letter(*letter, shell.dialect) {
                Some(flag) => turn(shell, flag, on)?,
                None if shell.is_bash() && *letter == b'H' => {}
                None if by_letter(*letter, Dialect::Bash).is_some() => {
                    return Err(Halt::Refused(Dialect::refuses(&format!(
                        "set -{}",
                        char::from(*letter)
                    ))));
                }
                None => return Err(format!("-{}: bad option", char::from(*letter)).into()),
            }
        }
    }
    if rest.len() > 0 {
        shell.set_positional(rest.cloned().collect())?;
    }
    Ok(0)
}

pub(super) fn turn(shell: &mut Shell, flag: Flag, on: bool) -> Result<(), String> {
    // The rest of the script would be passed over, and a check that does not run proves nothing. `sh -n FILE` is another
    // thing: it asks about a file.
    if flag == Flag::NoExec && on && shell.world.sealed {
        return Err("-n: a check has to run".to_owned());
    }
    if flag == Flag::BraceExpand && !on {
        return Err("braceexpand: cannot be turned off here".to_owned());
    }
    if flag == Flag::Physical && on {
        return Err("physical: not supported here".to_owned());
    }
    shell.options.set(flag, on);
    Ok(())
}

/// `set -o` for people, `set +o` for a shell to read.
fn list(shell: &Shell, for_people: bool, out: &mut Out) {
    for (flag, _, name) in settable(shell.dialect) {
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
        if shell.is_bash() {
            return Ok(1);
        }
        return Err("can't shift that many".to_owned().into());
    }
    shell.shift(count);
    Ok(0)
}
