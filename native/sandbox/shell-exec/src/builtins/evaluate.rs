//! `eval`, `.` and `exec`: running text, a file, and a command in place of the shell.

use super::{Done, Halt};
use crate::ast::Bytes;
use crate::exec::simple::Found;
use crate::expand::Args;
use crate::shell::{Condition, Frame, Shell, Stop, Trouble, lossy};
use std::sync::Arc;

pub(super) async fn eval(shell: &mut Shell, args: &[Bytes]) -> Done {
    let args = match args.get(1) {
        Some(first) if first == b"--" => &args[2..],
        _ => &args[1..],
    };
    let text = args.join(&b' ');
    shell.enter()?;
    // Nothing to run succeeds; otherwise `$?` is still what it was.
    if text.trim_ascii().is_empty() {
        shell.status = 0;
    }
    let flow = shell.script(text.into(), shell.line).await;
    shell.leave();
    flow.map_err(Halt::Stop)?;
    Ok(shell.status)
}

pub(super) async fn dot(shell: &mut Shell, args: &[Bytes]) -> Done {
    let args = match args.get(1) {
        Some(first) if first == b"--" => &args[1..],
        _ => args,
    };
    let Some(name) = args.get(1) else {
        return Err("a file is needed".to_owned().into());
    };
    let path = locate(shell, name);
    let text = shell.read_script(&path).await?;
    shell.enter()?;
    shell.frames.push(Frame {
        name: Arc::from(&b"source"[..]),
        source: name.as_slice().into(),
        line: shell.line,
    });
    shell.returns += 1;
    let parameters = shell.parameters();
    if args.len() > 2 {
        shell.set_positional(args[2..].to_vec())?;
    }
    let line = shell.line;
    // The file sees the status before it, but an empty file succeeds.
    if text.trim_ascii().is_empty() {
        shell.status = 0;
    }
    let flow = shell.script(text.into(), 1).await;
    shell.line = line;
    if args.len() > 2 {
        shell.restore_parameters(parameters);
    }
    shell.returns -= 1;
    if matches!(flow, Ok(()) | Err(Stop::Return)) && shell.traps.actions.contains_key(&Condition::Return) {
        shell.run_return_trap().await.map_err(Halt::Stop)?;
    }
    shell.frames.pop();
    shell.leave();
    match flow {
        Ok(()) | Err(Stop::Return) => Ok(shell.status),
        Err(stop) => Err(Halt::Stop(stop)),
    }
}

/// A name without a slash is looked for along `PATH`, then here.
fn locate(shell: &Shell, name: &[u8]) -> Bytes {
    if name.contains(&b'/') {
        return name.to_vec();
    }
    let readable = |file: &[u8]| shell.files().may(file, b'r');
    shell
        .along_path(name, readable)
        .unwrap_or_else(|| [b".", name].join(&b'/'))
}

pub(super) async fn exec(shell: &mut Shell, args: &[Bytes]) -> Done {
    let args = match args.get(1) {
        Some(first) if first == b"--" => &args[2..],
        _ => &args[1..],
    };
    let Some(name) = args.first() else {
        return Ok(0);
    };
    let found = shell.find_external(name);
    let flow = match found {
        Found::Interpreter(dialect) => shell.interpreter(dialect, args, true).await,
        Found::Script(path) => shell.script_file(path, args, true).await,
        Found::External(name) => {
            let held = shell.world.meter.memory(0).map_err(Trouble::from)?;
            let args = Args {
                list: args.to_vec(),
                held,
            };
            shell.external(name, args, Vec::new(), true).await
        }
        Found::Builtin(builtin) => shell.builtin(builtin, args, false).await,
        _ => {
            let name = lossy(name).into_owned();
            shell.not_found(&name).await
        }
    };
    flow.map_err(Halt::Stop)?;
    // The command took the shell's place, and its traps with it.
    if shell.status != 127 {
        Arc::make_mut(&mut shell.traps).actions.clear();
    }
    Err(Halt::Stop(Stop::Exit))
}
