//! `export`, `readonly`, `unset` and `local`.

use super::{Done, Halt, Out, declare, only_bash, options};
use crate::ast::{Bytes, is_name};
use crate::quote;
use crate::shell::{Shell, lossy};
use crate::variables::Variable;
use std::sync::Arc;

pub(super) fn export(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    if shell.is_bash() {
        return declare::attribute(shell, args, out, b'x');
    }
    attribute(
        shell,
        args,
        out,
        "export",
        |variable| variable.exported,
        |variable| variable.exported = true,
    )
}

pub(super) fn readonly(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    if shell.is_bash() {
        return declare::attribute(shell, args, out, b'r');
    }
    attribute(
        shell,
        args,
        out,
        "readonly",
        |variable| variable.readonly,
        |variable| variable.readonly = true,
    )
}

fn attribute(
    shell: &mut Shell,
    args: &[Bytes],
    out: &mut Out,
    name: &str,
    has: fn(&Variable) -> bool,
    give: fn(&mut Variable),
) -> Done {
    let (_, operands) = options(args, b"p")?;
    if operands.is_empty() {
        for (variable_name, variable) in shell.variables.sorted() {
            if has(variable) {
                let mut line = format!("{name} {}", lossy(variable_name)).into_bytes();
                if let Some(value) = variable.value() {
                    line.push(b'=');
                    line.extend(quote::always(value));
                }
                out.line(line);
            }
        }
    }
    for operand in operands {
        let (variable, value) = split(operand)?;
        if let Some(value) = value {
            shell.assign(variable, value)?;
        }
        shell.variables.change(variable, give);
    }
    Ok(0)
}

/// `NAME` or `NAME=value`.
fn split(operand: &[u8]) -> Result<(&[u8], Option<Bytes>), Halt> {
    let (name, value) = match operand.iter().position(|byte| *byte == b'=') {
        Some(at) => (&operand[..at], Some(operand[at + 1..].to_vec())),
        None => (operand, None),
    };
    match is_name(name) {
        true => Ok((name, value)),
        false => Err(format!("{}: bad variable name", lossy(name)).into()),
    }
}

pub(super) fn unset(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    if shell.is_bash() {
        return declare::unset(shell, args, out);
    }
    let (letters, names) = options(args, b"vf")?;
    for name in names {
        if letters.contains(&b'f') {
            if shell.functions.contains_key(name) {
                Arc::make_mut(&mut shell.functions).remove(name);
            }
            continue;
        }
        if !is_name(name) {
            return Err(format!("{}: bad variable name", lossy(name)).into());
        }
        if shell.variables.is_readonly(name) {
            return Err(format!("{}: is read only", lossy(name)).into());
        }
        if !letters.contains(&b'v') && shell.variables.entry(name).is_none() && shell.functions.contains_key(name) {
            Arc::make_mut(&mut shell.functions).remove(name);
            continue;
        }
        shell.variables.remove(name);
    }
    Ok(0)
}

pub(super) fn local(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    if shell.is_bash() {
        return declare::local(shell, args, out);
    }
    if shell.scopes.is_empty() {
        return Err("not in a function".to_owned().into());
    }
    for operand in &args[1..] {
        if operand == b"-" || operand == b"--" {
            continue;
        }
        if operand.starts_with(b"-") {
            only_bash(shell, &format!("local {}", lossy(operand)))?;
        }
        let (name, value) = split(operand)?;
        let before = shell.variables.entry(name).cloned();
        if let Some(scope) = shell.scopes.last_mut()
            && !scope.iter().any(|(hidden, _)| hidden == name)
        {
            scope.push((name.to_vec(), before));
        }
        if let Some(value) = value {
            shell.assign(name, value)?;
        }
    }
    Ok(0)
}
