//! `cd` and `pwd`.

use super::{Done, Halt, Out, options};
use crate::ast::Bytes;
use crate::files;
use crate::shell::{Shell, lossy};

pub(super) fn cd(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let (letters, operands) = options(args, b"LPe")?;
    let physical = letters.iter().rfind(|letter| **letter != b'e') == Some(&b'P');
    let mut shows = false;
    let target = match operands {
        [] => match shell.variables.get(b"HOME").filter(|home| !home.is_empty()) {
            Some(home) => home.to_vec(),
            None => return Err("HOME not set".to_owned().into()),
        },
        [dash] if dash == b"-" => match shell.variables.get(b"OLDPWD") {
            Some(old) => {
                shows = true;
                old.to_vec()
            }
            None => return Err("OLDPWD not set".to_owned().into()),
        },
        [directory] if directory.is_empty() => return Err("empty directory name".to_owned().into()),
        [directory] => directory.clone(),
        _ => return Err("too many arguments".to_owned().into()),
    };
    let mut chosen = target.clone();
    if let Some(found) = along_cdpath(shell, &target) {
        // A directory that was found elsewhere is shown.
        shows = true;
        chosen = found;
    }
    let directory = match physical {
        true => shell
            .files()
            .canonical(&chosen)
            .map_err(|error| cannot(&target, &error))?,
        false => {
            check_steps(shell, &chosen, &target)?;
            logical(&shell.cwd, &chosen)
        }
    };
    let metadata = shell
        .files()
        .metadata(&directory)
        .map_err(|error| cannot(&target, &error))?;
    if !metadata.is_dir() {
        return Err(format!("{}: Not a directory", lossy(&target)).into());
    }
    let old = std::mem::replace(&mut shell.cwd, directory.clone().into());
    shell.assign(b"OLDPWD", old.to_vec())?;
    shell.variables.change(b"OLDPWD", |variable| variable.exported = true);
    shell.assign(b"PWD", directory.clone())?;
    if shows {
        out.line(directory);
    }
    Ok(0)
}

fn cannot(target: &[u8], error: &std::io::Error) -> Halt {
    let reason = match files::leads_out(error) {
        true => "leads outside the sandbox".into(),
        false => files::reason(error),
    };
    format!("{}: {reason}", lossy(target)).into()
}

/// Each directory that `..` leaves has to be there.
fn check_steps(shell: &Shell, path: &[u8], target: &[u8]) -> Result<(), Halt> {
    let mut at = 0;
    let mut so_far = Bytes::new();
    for part in path.split(|byte| *byte == b'/') {
        if part == b".." && at > 0 && so_far.iter().any(|byte| *byte != b'/') {
            let whole = logical(&shell.cwd, &so_far);
            let found = shell.files().metadata(&whole).map_err(|error| cannot(target, &error))?;
            if !found.is_dir() {
                return Err(format!("{}: Not a directory", lossy(target)).into());
            }
        }
        at += part.len() + 1;
        so_far = path[..at.min(path.len())].to_vec();
    }
    Ok(())
}

/// The path with its dots taken by their word: `..` undoes a name, and stays at the root.
fn logical(cwd: &[u8], path: &[u8]) -> Bytes {
    let mut names: Vec<&[u8]> = Vec::new();
    let base: &[u8] = if path.starts_with(b"/") { b"" } else { cwd };
    for name in base.split(|byte| *byte == b'/').chain(path.split(|byte| *byte == b'/')) {
        match name {
            b"" | b"." => {}
            b".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    let mut whole = b"/".to_vec();
    whole.extend(names.join(&b'/'));
    whole
}

fn along_cdpath(shell: &Shell, target: &[u8]) -> Option<Bytes> {
    let first = target.split(|byte| *byte == b'/').next()?;
    if matches!(first, b"" | b"." | b"..") {
        return None;
    }
    for directory in shell.variables.get(b"CDPATH")?.split(|byte| *byte == b':') {
        if directory.is_empty() {
            // Here, which needs no showing, if it is there.
            if shell.files().metadata(target).is_ok_and(|found| found.is_dir()) {
                return None;
            }
            continue;
        }
        let mut whole = directory.to_vec();
        whole.push(b'/');
        whole.extend(target);
        if shell.files().metadata(&whole).is_ok_and(|found| found.is_dir()) {
            return Some(whole);
        }
    }
    None
}

pub(super) fn pwd(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let (letters, _) = options(args, b"LP")?;
    match letters.last() {
        Some(b'P') => {
            let real = shell.files().canonical(b".").map_err(|error| files::reason(&error))?;
            out.line(real);
        }
        _ => out.line(&shell.cwd),
    }
    Ok(0)
}
