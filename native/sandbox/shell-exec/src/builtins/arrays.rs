//! `mapfile` and `let`.

use super::{Done, Out, number};
use crate::Error;
use crate::array::{Array, Key};
use crate::ast::{Bytes, is_name};
use crate::shell::{Shell, lossy};
use crate::variables::Variable;

/// `let EXPRESSION..`: the last one decides.
pub(super) fn let_(shell: &mut Shell, args: &[Bytes], _: &mut Out) -> Done {
    let args = match args.get(1) {
        Some(first) if first == b"--" => &args[2..],
        _ => &args[1..],
    };
    if args.is_empty() {
        return Err("expression expected".to_owned().into());
    }
    let mut value = 0;
    for arg in args {
        value = shell.evaluate(arg)?;
    }
    Ok(u8::from(value == 0))
}

/// `mapfile [-t] [-d DELIMITER] [-n COUNT] [-O ORIGIN] [-s SKIPPED] [-u FD] [ARRAY]`.
pub(super) async fn mapfile(shell: &mut Shell, args: &[Bytes]) -> Done {
    let mut trims = false;
    let mut delimiter = b'\n';
    let (mut most, mut origin, mut skipped, mut fd) = (0, None, 0, 0);
    let mut rest = &args[1..];
    while let Some(arg) = rest.first().filter(|arg| arg.len() > 1 && arg[0] == b'-') {
        rest = &rest[1..];
        if arg == b"--" {
            break;
        }
        let mut letters = &arg[1..];
        while let Some((letter, more)) = letters.split_first() {
            letters = more;
            if *letter == b't' {
                trims = true;
                continue;
            }
            if !b"dnOsu".contains(letter) {
                return Err(format!("-{}: not supported here", char::from(*letter)).into());
            }
            let value = match letters.is_empty() {
                false => std::mem::take(&mut letters).to_vec(),
                true => match rest.split_first() {
                    Some((value, more)) => {
                        rest = more;
                        value.clone()
                    }
                    None => return Err(format!("-{}: option requires an argument", char::from(*letter)).into()),
                },
            };
            if *letter == b'd' {
                delimiter = value.first().copied().unwrap_or(0);
                continue;
            }
            let count = number(&value).ok_or_else(|| format!("{}: invalid number", lossy(&value)))?;
            match letter {
                b'n' => most = count,
                b'O' => origin = Some(count),
                b's' => skipped = count,
                _ => fd = count,
            }
        }
    }
    let name = rest.first().cloned().unwrap_or_else(|| b"MAPFILE".to_vec());
    if !is_name(&name) {
        return Err(format!("`{}': not a valid identifier", lossy(&name)).into());
    }
    let name = shell.resolve(&name).name;
    shell.check_writable(&name)?;
    let Some(stream) = shell.descriptor(fd).cloned() else {
        return Err(format!("{fd}: invalid file descriptor: Bad file descriptor").into());
    };
    let mut array = match (origin, shell.variables.entry(&name).and_then(Variable::array)) {
        (Some(_), Some(Array::Indexed(elements))) => Array::Indexed(elements.clone()),
        _ => Array::indexed(),
    };
    let longest = shell.world.limits.memory / 16;
    let mut held = shell.world.meter.memory(0)?;
    let mut next = origin.unwrap_or(0);
    let mut seen = 0;
    while most == 0 || seen < most + skipped {
        let mut line = match stream.read_until(delimiter, longest).await {
            Ok(line) if line.is_empty() => break,
            Ok(line) => line,
            Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => return Err(Error::TooMuchMemory.into()),
            Err(error) => return Err(format!("read error: {}", crate::files::reason(&error)).into()),
        };
        seen += 1;
        if seen <= skipped {
            continue;
        }
        held.grow(line.len() + 64)?;
        shell.world.meter.copied(line.len() + 256)?;
        if (trims || delimiter == 0) && line.last() == Some(&delimiter) {
            line.pop();
        }
        line.retain(|byte| *byte != 0);
        array.set(Key::Number(next), line);
        next += 1;
    }
    shell.variables.set_array(&name, array, &shell.world.meter)?;
    Ok(0)
}
