//! `type`, `command` and `hash`: what a name stands for.

use super::names::shown;
use super::{Done, Out, only_bash, options};
use crate::ast::Bytes;
use crate::exec::simple::Found;
use crate::parse::is_reserved;
use crate::shell::{Shell, lossy};
use crate::shopt::Opt;
use std::sync::Arc;

/// What a name is: for `command -v`, and for people.
fn describe(shell: &Shell, name: &[u8]) -> Option<(Bytes, String)> {
    let text = lossy(name);
    let own = |what: &str| Some((name.to_vec(), format!("{text} is {what}")));
    if let Some(value) = shell.aliases.get(name) {
        let mut as_alias = b"alias ".to_vec();
        as_alias.extend(shown(name, value));
        return Some((as_alias, format!("{text} is an alias for {}", lossy(value))));
    }
    if is_reserved(name, shell.dialect) {
        return own("a shell keyword");
    }
    match shell.find(name, true) {
        Found::Builtin(builtin) if builtin.special && !shell.is_bash() => own("a special shell builtin"),
        Found::Builtin(_) => own("a shell builtin"),
        Found::Function(defined) if shell.is_bash() => {
            let text = format!("{text} is a function\n{}", lossy(&defined.function.text));
            Some((name.to_vec(), text))
        }
        Found::Function(_) => own("a shell function"),
        Found::Nothing => None,
        Found::Script(path) => {
            let path = absolute(shell, &path);
            let shown = format!("{text} is {}", lossy(&path));
            Some((path, shown))
        }
        // Where a command is found when it is named by a path.
        _ => {
            let path = match text.contains('/') {
                true => absolute(shell, name),
                false => format!("/bin/{text}").into(),
            };
            let shown = format!("{text} is {}", lossy(&path));
            Some((path, shown))
        }
    }
}

fn absolute(shell: &Shell, path: &[u8]) -> Bytes {
    if path.starts_with(b"/") {
        return path.to_vec();
    }
    let mut whole = shell.cwd.to_vec();
    if !whole.ends_with(b"/") {
        whole.push(b'/');
    }
    whole.extend(path);
    whole
}

pub(super) fn type_(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    if args.len() > 1 && args[1].len() > 1 && args[1].starts_with(b"-") && args[1] != b"--" {
        only_bash(shell, &format!("type {}", lossy(&args[1])))?;
        return type_with(shell, args, out);
    }
    let (_, names) = options(args, b"")?;
    let missing = if shell.is_bash() { 1 } else { 127 };
    let mut status = 0;
    for name in names {
        match describe(shell, name) {
            Some((_, text)) => out.line(text),
            None => {
                out.complain(format!("{}: not found", lossy(name)));
                status = missing;
            }
        }
    }
    Ok(status)
}

/// `type -t`, `-p`, `-P`, `-a` and `-f` of bash.
fn type_with(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let (letters, names) = options(args, b"tpPaf")?;
    let has = |letter: u8| letters.contains(&letter);
    let mut status = 0;
    for name in names {
        let mut found = ways(shell, name, !has(b'f') && !has(b'P'), has(b'P'));
        if !has(b'a') {
            found.truncate(1);
        }
        if found.is_empty() {
            status = 1;
            if !has(b't') && !has(b'p') && !has(b'P') {
                out.complain(format!("{}: not found", lossy(name)));
            }
        }
        for (kind, path, text) in found {
            match (has(b't'), has(b'p') || has(b'P')) {
                (true, _) => out.line(kind),
                (false, true) => {
                    if let Some(path) = path {
                        out.line(path);
                    }
                }
                _ => out.line(text),
            }
        }
    }
    Ok(status)
}

/// Everything that a name stands for, what counts first: the kind, the path of a file, and a sentence.
fn ways(shell: &Shell, name: &[u8], functions: bool, files: bool) -> Vec<(&'static str, Option<Bytes>, String)> {
    let text = lossy(name);
    let mut found = Vec::new();
    if !files {
        if let Some(value) = shell.aliases.get(name).filter(|_| shell.shopt.is(Opt::ExpandAliases)) {
            found.push(("alias", None, format!("{text} is aliased to `{}'", lossy(value))));
        }
        if is_reserved(name, shell.dialect) {
            found.push(("keyword", None, format!("{text} is a shell keyword")));
        }
        if let Some(defined) = shell.functions.get(name).filter(|_| functions) {
            let body = lossy(&defined.function.text);
            found.push(("function", None, format!("{text} is a function\n{body}")));
        }
        if super::find(name, shell.dialect).is_some() {
            found.push(("builtin", None, format!("{text} is a shell builtin")));
        }
    }
    let path = match shell.find_file(name) {
        Found::Script(path) => Some(absolute(shell, &path)),
        Found::External(_) | Found::Interpreter(_) if text.contains('/') => Some(absolute(shell, name)),
        Found::External(_) | Found::Interpreter(_) => Some(format!("/bin/{text}").into()),
        _ => None,
    };
    if let Some(path) = path {
        let sentence = format!("{text} is {}", lossy(&path));
        found.push(("file", Some(path), sentence));
    }
    found
}

/// `builtin NAME`, when there is no such builtin; where there is, whoever runs commands has taken the word away.
pub(super) fn builtin(_: &mut Shell, args: &[Bytes], _: &mut Out) -> Done {
    match args.get(1) {
        None => Ok(0),
        Some(name) => Err(format!("{}: not a shell builtin", lossy(name)).into()),
    }
}

/// `caller [N]`: who called the function at hand.
pub(super) fn caller(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let asked = args
        .get(1)
        .map(|text| super::number(text).ok_or_else(|| format!("{}: invalid number", lossy(text))));
    let level = match &asked {
        None => 0,
        Some(level) => *level.as_ref().map_err(Clone::clone)?,
    };
    let count = shell.frames.len();
    let Some(frame) = count.checked_sub(level + 1).and_then(|at| shell.frames.get(at)) else {
        return Ok(1);
    };
    let around = count.checked_sub(level + 2).and_then(|at| shell.frames.get(at));
    let name = around.map_or(b"main".to_vec(), |around| around.name.to_vec());
    let source = match around {
        Some(around) => around.source.to_vec(),
        None if shell.from_file => shell.name.to_vec(),
        None => b"NULL".to_vec(),
    };
    out.line(match asked {
        None => format!("{} {}", frame.line, lossy(&source)),
        Some(_) => format!("{} {} {}", frame.line, lossy(&name), lossy(&source)),
    });
    Ok(0)
}

/// With `-v` or `-V`; without, whoever runs commands has taken the word away already.
pub(super) async fn command(shell: &mut Shell, args: &[Bytes]) -> Done {
    let (letters, names) = options(args, b"pvV")?;
    let question = letters.iter().rfind(|letter| **letter != b'p').copied();
    let Some(question) = question.filter(|_| !names.is_empty()) else {
        return Ok(0);
    };
    // POSIX asks about one name; bash about all, and one that is found is enough.
    let asked = if shell.is_bash() { names } else { &names[..1] };
    let mut status = if shell.is_bash() { 1 } else { 127 };
    for name in asked {
        let Some((short, long)) = describe(shell, name) else {
            if question == b'V' {
                shell.say(&format!("command: {}: not found", lossy(name))).await;
            }
            continue;
        };
        let mut line = if question == b'v' { short } else { long.into_bytes() };
        line.push(b'\n');
        shell.print(&line).await?;
        status = 0;
    }
    Ok(status)
}

/// The commands that were called so far. Nothing depends on it: every name is found at once.
pub(super) fn hash(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let (letters, names) = options(args, b"r")?;
    if letters.contains(&b'r') {
        shell.remembered = Arc::default();
    } else if names.is_empty() {
        for name in &*shell.remembered {
            out.line(format!("/bin/{name}"));
        }
    }
    let mut status = 0;
    for name in names {
        match shell.find(name, true) {
            Found::External(command) => shell.remember(&command),
            Found::Nothing => {
                out.complain(format!("{}: not found", lossy(name)));
                status = 1;
            }
            _ => {}
        }
    }
    Ok(status)
}
