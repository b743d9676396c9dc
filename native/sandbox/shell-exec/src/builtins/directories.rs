//! `pushd`, `popd` and `dirs`: directories to come back to.

use super::{Done, Halt, Out, cd};
use crate::ast::Bytes;
use crate::shell::{Shell, lossy};
use std::sync::Arc;

/// They are not counted as memory, so there cannot be many.
const MOST: usize = 1024;

impl Shell {
    /// The directory it is in, and those to come back to.
    pub(crate) fn directories(&self) -> Vec<Bytes> {
        let mut all = vec![self.cwd.to_vec()];
        all.extend(self.pushed.iter().cloned());
        all
    }
}

/// `+N` from the left, `-N` from the right.
fn rotation(text: &[u8], count: usize) -> Option<Result<usize, Halt>> {
    let (sign, digits) = text.split_first()?;
    if !matches!(sign, b'+' | b'-') || digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number: usize = std::str::from_utf8(digits).ok()?.parse().unwrap_or(usize::MAX);
    if number >= count {
        return Some(Err(
            format!("{}: directory stack index out of range", lossy(text)).into()
        ));
    }
    Some(Ok(match sign {
        b'+' => number,
        _ => count - 1 - number,
    }))
}

fn go(shell: &mut Shell, directory: &[u8], out: &mut Out) -> Result<(), Halt> {
    let mut quiet = Out::default();
    cd::cd(shell, &[b"cd".to_vec(), b"--".to_vec(), directory.to_vec()], &mut quiet)?;
    out.complaints.append(&mut quiet.complaints);
    Ok(())
}

pub(super) fn pushd(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let mut operands = &args[1..];
    let stays = operands.first().is_some_and(|arg| arg == b"-n");
    if stays {
        operands = &operands[1..];
    }
    if operands.first().is_some_and(|arg| arg == b"--") {
        operands = &operands[1..];
    }
    let mut all = shell.directories();
    match operands {
        [] => {
            if all.len() < 2 {
                return Err("no other directory".to_owned().into());
            }
            all.swap(0, 1);
        }
        [one] => match rotation(one, all.len()) {
            Some(place) => all.rotate_left(place?),
            None => {
                if one.starts_with(b"-") && one.len() > 1 {
                    return Err(format!("{}: invalid number", lossy(one)).into());
                }
                if all.len() >= MOST {
                    return Err("too many directories".to_owned().into());
                }
                if stays {
                    all.insert(1, one.clone());
                } else {
                    all.insert(0, one.clone());
                }
            }
        },
        _ => return Err("too many arguments".to_owned().into()),
    }
    if !stays {
        go(shell, &all[0].clone(), out)?;
    }
    shell.pushed = Arc::new(all.split_off(1));
    print(shell, out);
    Ok(0)
}

pub(super) fn popd(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let mut operands = &args[1..];
    let stays = operands.first().is_some_and(|arg| arg == b"-n");
    if stays {
        operands = &operands[1..];
    }
    let mut all = shell.directories();
    if all.len() < 2 {
        return Err("directory stack empty".to_owned().into());
    }
    let place = match operands {
        [] => usize::from(stays),
        [one] => match rotation(one, all.len()) {
            Some(place) => place?,
            None => return Err(format!("{}: invalid argument", lossy(one)).into()),
        },
        _ => return Err("too many arguments".to_owned().into()),
    };
    all.remove(place);
    if place == 0 && !stays {
        go(shell, &all[0].clone(), out)?;
    }
    shell.pushed = Arc::new(all.split_off(1));
    print(shell, out);
    Ok(0)
}

pub(super) fn dirs(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let (mut long, mut lines, mut numbered) = (false, false, false);
    let mut only = None;
    let count = shell.pushed.len() + 1;
    for arg in &args[1..] {
        if let Some(place) = rotation(arg, count) {
            only = Some(place?);
            continue;
        }
        if !arg.starts_with(b"-") {
            return Err(format!("{}: invalid option", lossy(arg)).into());
        }
        for letter in &arg[1..] {
            match letter {
                b'c' => {
                    shell.pushed = Arc::default();
                    return Ok(0);
                }
                b'l' => long = true,
                b'p' => lines = true,
                b'v' => (lines, numbered) = (true, true),
                letter => return Err(format!("-{}: invalid option", char::from(*letter)).into()),
            }
        }
    }
    let shown: Vec<Bytes> = shell
        .directories()
        .into_iter()
        .map(|directory| if long { directory } else { short(shell, directory) })
        .collect();
    if let Some(place) = only {
        out.line(&shown[place]);
    } else if numbered {
        for (at, directory) in shown.iter().enumerate() {
            out.line([format!("{at:2}  ").as_bytes(), directory].concat());
        }
    } else {
        out.line(shown.join(if lines { &b'\n' } else { &b' ' }));
    }
    Ok(0)
}

fn print(shell: &Shell, out: &mut Out) {
    let shown: Vec<Bytes> = shell.directories().into_iter().map(|each| short(shell, each)).collect();
    out.line(shown.join(&b' '));
}

/// The home directory is `~`.
fn short(shell: &Shell, directory: Bytes) -> Bytes {
    let home = shell.variables.get(b"HOME").filter(|home| home.len() > 1);
    match home.and_then(|home| directory.strip_prefix(home)) {
        Some(rest) if rest.is_empty() || rest[0] == b'/' => [b"~", rest].concat(),
        _ => directory,
    }
}
