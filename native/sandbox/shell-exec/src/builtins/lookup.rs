//! `type`, `command` and `hash`: what a name stands for.

use super::names::shown;
use super::{Done, Out, options};
use crate::ast::Bytes;
use crate::exec::simple::Found;
use crate::parse::is_reserved;
use crate::shell::{Shell, lossy};
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
    if is_reserved(name) {
        return own("a shell keyword");
    }
    match shell.find(name, true) {
        Found::Builtin(builtin) if builtin.special => own("a special shell builtin"),
        Found::Builtin(_) => own("a shell builtin"),
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
    let (_, names) = options(args, b"")?;
    let mut status = 0;
    for name in names {
        match describe(shell, name) {
            Some((_, text)) => out.line(text),
            None => {
                out.complain(format!("{}: not found", lossy(name)));
                status = 127;
            }
        }
    }
    Ok(status)
}

/// With `-v` or `-V`; without, whoever runs commands has taken the word away already.
pub(super) async fn command(shell: &mut Shell, args: &[Bytes]) -> Done {
    let (letters, names) = options(args, b"pvV")?;
    let question = letters.iter().rfind(|letter| **letter != b'p').copied();
    let (Some(question), Some(name)) = (question, names.first()) else {
        return Ok(0);
    };
    let Some((short, long)) = describe(shell, name) else {
        if question == b'V' {
            shell.say(&format!("command: {}: not found", lossy(name))).await;
        }
        return Ok(127);
    };
    let mut line = if question == b'v' { short } else { long.into_bytes() };
    line.push(b'\n');
    shell.print(&line).await?;
    Ok(0)
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
