//! `getopts`.

use super::{Done, Halt, Out, number};
use crate::ast::{Bytes, is_name};
use crate::shell::{Shell, Trouble, lossy};

pub(super) fn getopts(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let args = match args.get(1) {
        Some(first) if first == b"--" => &args[1..],
        _ => args,
    };
    let (Some(known), Some(name)) = (args.get(1), args.get(2)) else {
        return Err("usage: getopts OPTIONS NAME [ARG..]".to_owned().into());
    };
    if !is_name(name) {
        return Err(format!("{}: bad variable name", lossy(name)).into());
    }
    let parameters = shell.parameters();
    let given: &[Bytes] = if args.len() > 3 { &args[3..] } else { parameters.args() };
    let silent = known.first() == Some(&b':');
    let mut index = shell.variables.get(b"OPTIND").and_then(number).unwrap_or(1).max(1);
    let mut at = shell.getopts_at;
    let current = given.get(index - 1);
    if at == 0 || current.is_none_or(|arg| at >= arg.len()) {
        at = 1;
        let ends = match current {
            None => true,
            Some(arg) if arg == b"--" => {
                index += 1;
                true
            }
            Some(arg) => arg.len() < 2 || arg[0] != b'-',
        };
        if ends {
            shell.variables.remove(b"OPTARG");
            put(shell, name, b"?")?;
            put(shell, b"OPTIND", index.to_string().as_bytes())?;
            return Ok(1);
        }
    }
    let arg = &given[index - 1];
    let letter = arg[at];
    at += 1;
    let found = known.iter().position(|byte| *byte == letter && letter != b':');
    let takes = found.is_some_and(|place| known.get(place + 1) == Some(&b':'));
    let mut value = None;
    if takes {
        value = match arg.get(at..).filter(|rest| !rest.is_empty()) {
            Some(rest) => Some(rest.to_vec()),
            None => {
                index += 1;
                given.get(index - 1).cloned()
            }
        };
        index += 1;
        at = 0;
    } else if at >= arg.len() {
        index += 1;
        at = 0;
    }
    let missing = takes && value.is_none();
    let result = match (found, missing) {
        (Some(_), false) => {
            match value {
                Some(value) => put(shell, b"OPTARG", &value)?,
                None => shell.variables.remove(b"OPTARG"),
            }
            vec![letter]
        }
        (None, _) | (_, true) if silent => {
            put(shell, b"OPTARG", &[letter])?;
            vec![if missing { b':' } else { b'?' }]
        }
        _ => {
            shell.variables.remove(b"OPTARG");
            let shown = char::from(letter);
            out.complain(match missing {
                true => format!("option requires an argument -- {shown}"),
                false => format!("illegal option -- {shown}"),
            });
            vec![b'?']
        }
    };
    let index = if missing { index.min(given.len() + 1) } else { index };
    put(shell, b"OPTIND", index.to_string().as_bytes())?;
    shell.getopts_at = at;
    put(shell, name, &result)?;
    Ok(0)
}

fn put(shell: &mut Shell, name: &[u8], value: &[u8]) -> Result<(), Halt> {
    shell.assign(name, value.to_vec()).map_err(Trouble::into)
}
