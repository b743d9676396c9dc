//! `declare` and its kin in bash.

use super::{Done, Halt, Out};
use crate::array::Array;
use crate::assign::{Place, Written};
use crate::ast::{Bytes, is_name};
use crate::quote;
use crate::shell::{Shell, lossy};
use crate::variables::{Shape, Variable};
use std::sync::Arc;

/// What the options ask for.
#[derive(Default)]
struct Wanted {
    on: Vec<u8>,
    off: Vec<u8>,
}

impl Wanted {
    fn is(&self, letter: u8) -> bool {
        self.on.contains(&letter)
    }

    fn apply(&self, variable: &mut Variable) {
        for (letters, on) in [(&self.on, true), (&self.off, false)] {
            for letter in letters {
                match letter {
                    b'i' => variable.integer = on,
                    b'n' => variable.nameref = on,
                    b'r' if on => variable.readonly = true,
                    b'x' => variable.exported = on,
                    b'u' | b'l' | b'c' if on => variable.case = Some(*letter),
                    b'u' | b'l' | b'c' if variable.case == Some(*letter) => variable.case = None,
                    _ => {}
                }
            }
        }
    }
}

pub(super) fn declare(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    run(shell, args, out, false)
}

/// `local` in bash.
pub(super) fn local(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    if shell.scopes.is_empty() {
        return Err("can only be used in a function".to_owned().into());
    }
    run(shell, args, out, true)
}

/// `export` and `readonly` in bash: the letter is what they give.
pub(super) fn attribute(shell: &mut Shell, args: &[Bytes], out: &mut Out, letter: u8) -> Done {
    let (mut wanted, rest) = read_options(args, b"aAfnp")?;
    let compounds = std::mem::take(&mut shell.compounds);
    let skipped = args.len() - rest.len();
    if wanted.is(b'f') {
        let mut status = 0;
        for name in rest {
            match shell.functions.contains_key(name) {
                true if letter == b'r' => {
                    Arc::make_mut(&mut shell.readonly_functions).insert(name.clone());
                }
                true => {
                    let exported = !wanted.is(b'n');
                    if let Some(defined) = Arc::make_mut(&mut shell.functions).get_mut(name) {
                        defined.exported = exported;
                    }
                }
                false => {
                    out.complain(format!("{}: not a function", lossy(name)));
                    status = 1;
                }
            }
        }
        return Ok(status);
    }
    if rest.is_empty() {
        for (name, variable) in shell.variables.sorted() {
            let has = if letter == b'x' {
                variable.exported
            } else {
                variable.readonly
            };
            if has && let Some(text) = shell.declaration(name) {
                out.line(text);
            }
        }
        return Ok(0);
    }
    if wanted.is(b'n') {
        wanted.on.retain(|letter| *letter != b'n');
        wanted.off.push(letter);
    } else {
        wanted.on.push(letter);
    }
    wanted.on.retain(|letter| *letter != b'p');
    set_all(shell, rest, skipped, compounds, &wanted, out, Scope::Around)
}

/// Where a declaration counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// In the function at hand.
    Here,
    /// Wherever the variable is.
    Around,
    /// Outside of all functions.
    Global,
}

fn read_options<'a>(args: &'a [Bytes], known: &[u8]) -> Result<(Wanted, &'a [Bytes]), Halt> {
    let mut wanted = Wanted::default();
    let mut rest = &args[1..];
    while let Some(arg) = rest
        .first()
        .filter(|arg| arg.len() > 1 && matches!(arg[0], b'-' | b'+'))
    {
        rest = &rest[1..];
        if arg == b"--" {
            break;
        }
        for letter in &arg[1..] {
            if !known.contains(letter) {
                return Err(format!("{}{}: invalid option", char::from(arg[0]), char::from(*letter)).into());
            }
            match arg[0] {
                b'-' => wanted.on.push(*letter),
                _ => wanted.off.push(*letter),
            }
        }
    }
    Ok((wanted, rest))
}

fn run(shell: &mut Shell, args: &[Bytes], out: &mut Out, local: bool) -> Done {
    let (mut wanted, rest) = read_options(args, b"aAfFgilnprtuxcI")?;
    let skipped = args.len() - rest.len();
    let compounds = std::mem::take(&mut shell.compounds);
    if wanted.is(b'I') {
        return Err("-I: not supported here".to_owned().into());
    }
    if wanted.is(b'f') || wanted.is(b'F') {
        return functions(shell, &wanted, rest, out);
    }
    if wanted.is(b'p') {
        wanted.on.retain(|letter| *letter != b'p');
        return print(shell, &wanted, rest, out);
    }
    if rest.is_empty() {
        if local {
            let names: Vec<Bytes> = shell
                .scopes
                .last()
                .into_iter()
                .flatten()
                .map(|(name, _)| name.clone())
                .collect();
            for name in names {
                show(shell, &name, out);
            }
            return Ok(0);
        }
        return match wanted.on.is_empty() {
            true => {
                let names: Vec<Bytes> = shell
                    .variables
                    .sorted()
                    .into_iter()
                    .map(|(name, _)| name.clone())
                    .collect();
                names.iter().for_each(|name| show(shell, name, out));
                Ok(0)
            }
            false => print(shell, &wanted, rest, out),
        };
    }
    let scope = match shell.scopes.is_empty() {
        true => Scope::Around,
        false if wanted.is(b'g') => Scope::Global,
        false => Scope::Here,
    };
    set_all(shell, rest, skipped, compounds, &wanted, out, scope)
}

/// `name=value`, as `set` has it.
fn show(shell: &Shell, name: &[u8], out: &mut Out) {
    let Some(variable) = shell.variables.entry(name).filter(|variable| variable.is_set()) else {
        return;
    };
    let value = match variable.shape {
        Shape::Text => quote::for_bash_if_needed(variable.value().unwrap_or_default()),
        _ => shell.shown_value(name, variable),
    };
    out.line([name, b"=", &value].concat());
}

fn print(shell: &mut Shell, wanted: &Wanted, names: &[Bytes], out: &mut Out) -> Done {
    if names.is_empty() {
        let fits = |variable: &Variable| {
            let letters = variable.letters();
            wanted.on.iter().all(|letter| letters.contains(char::from(*letter)))
        };
        let names: Vec<Bytes> = shell
            .variables
            .sorted()
            .into_iter()
            .filter(|(_, variable)| fits(variable))
            .map(|(name, _)| name.clone())
            .collect();
        names
            .iter()
            .filter_map(|name| shell.declaration(name))
            .for_each(|text| out.line(text));
        return Ok(0);
    }
    let mut status = 0;
    for name in names {
        match shell.declaration(name) {
            Some(text) => out.line(text),
            None => match shell.dynamic_array(name) {
                Some(list) => {
                    let pairs: Vec<Bytes> = list
                        .iter()
                        .enumerate()
                        .map(|(at, text)| [format!("[{at}]=").as_bytes(), &quote::double(text)].concat())
                        .collect();
                    out.line([b"declare -a ", &name[..], b"=(", &pairs.join(&b' '), b")"].concat());
                }
                None => {
                    out.complain(format!("{}: not found", lossy(name)));
                    status = 1;
                }
            },
        }
    }
    Ok(status)
}

fn functions(shell: &mut Shell, wanted: &Wanted, names: &[Bytes], out: &mut Out) -> Done {
    let mut all: Vec<Bytes> = names.to_vec();
    if all.is_empty() {
        all = shell.functions.keys().cloned().collect();
        all.sort();
    }
    let mut status = 0;
    for name in &all {
        let Some(defined) = shell.functions.get(name) else {
            status = 1;
            continue;
        };
        if wanted.is(b'x') || wanted.is(b'r') {
            return Err("attributes of functions: use export -f or readonly -f"
                .to_owned()
                .into());
        }
        match (wanted.is(b'F'), names.is_empty()) {
            (true, true) => out.line([b"declare -f ", &name[..]].concat()),
            (true, false) => out.line(name),
            // The text as it was written, not as bash would write it.
            (false, _) => out.line(&defined.function.text),
        }
    }
    Ok(status)
}

fn set_all(
    shell: &mut Shell,
    operands: &[Bytes],
    skipped: usize,
    compounds: Vec<(usize, Vec<Written>)>,
    wanted: &Wanted,
    out: &mut Out,
    scope: Scope,
) -> Done {
    let mut compounds = compounds.into_iter().peekable();
    let mut status = 0;
    for (at, operand) in operands.iter().enumerate() {
        let compound = compounds
            .next_if(|(place, _)| *place == at + skipped)
            .map(|(_, written)| written);
        if operand == b"-" && scope == Scope::Here {
            return Err("-: not supported here".to_owned().into());
        }
        match set_one(shell, operand, compound, wanted, scope) {
            Ok(()) => {}
            Err(Halt::Trouble(crate::shell::Trouble::Say(message))) => {
                out.complain(message);
                status = 1;
            }
            Err(halt) => return Err(halt),
        }
    }
    Ok(status)
}

fn set_one(
    shell: &mut Shell,
    operand: &[u8],
    compound: Option<Vec<Written>>,
    wanted: &Wanted,
    scope: Scope,
) -> Result<(), Halt> {
    let (target, value, append) = split(operand);
    let Some(mut place) = Place::parse(target) else {
        return Err(format!("`{}': not a valid identifier", lossy(operand)).into());
    };
    if wanted.is(b'n') && value.is_some_and(|value| !value.is_empty() && Place::parse(value).is_none()) {
        let value = lossy(value.unwrap_or_default());
        return Err(format!("`{value}': invalid variable name for name reference").into());
    }
    match scope {
        Scope::Here => hide(shell, &place.name),
        Scope::Global => return set_global(shell, operand, compound, wanted),
        Scope::Around => {}
    }
    // Attributes but `n` are those of the variable that is meant.
    if !wanted.is(b'n') && !wanted.off.contains(&b'n') {
        place = match shell.resolve(&place.name) {
            resolved if resolved.index.is_some() && place.index.is_none() => resolved,
            resolved => Place {
                name: resolved.name,
                index: place.index,
            },
        };
    }
    let name = place.name.clone();
    if let Some(shape) = shape(wanted, compound.is_some(), place.index.is_some()) {
        reshape(shell, &name, shape)?;
    }
    if shell.variables.is_readonly(&name) {
        let harmless = value.is_none() && compound.is_none() && !wanted.off.contains(&b'r') && !wanted.is(b'n');
        if !harmless {
            shell.check_writable(&name)?;
        }
    }
    // What is read-only is so behind the assignment.
    let before = Wanted {
        on: wanted.on.iter().copied().filter(|letter| *letter != b'r').collect(),
        off: wanted.off.clone(),
    };
    if !before.on.is_empty() || !before.off.is_empty() || (value.is_none() && compound.is_none()) {
        // A reference gets its value before it becomes one.
        let plain = Wanted {
            on: before.on.iter().copied().filter(|letter| *letter != b'n').collect(),
            off: before.off.clone(),
        };
        shell.variables.change(&name, |variable| plain.apply(variable));
    }
    if let Some(written) = compound {
        shell.assign_array(&name, written, append)?;
    } else if let Some(value) = value {
        shell.assign_to(&place, value.to_vec(), append)?;
    }
    shell.variables.change(&name, |variable| wanted.apply(variable));
    Ok(())
}

/// `NAME`, `NAME=value` or `NAME+=value`.
fn split(operand: &[u8]) -> (&[u8], Option<&[u8]>, bool) {
    // An index may have an equals sign in it.
    let from = match operand.iter().position(|byte| !crate::ast::in_name(*byte)) {
        Some(at) if operand[at] == b'[' => operand[at..]
            .windows(2)
            .position(|two| two == b"]=" || two == b"]+")
            .map_or(at, |close| at + close),
        _ => 0,
    };
    match operand[from..].iter().position(|byte| *byte == b'=') {
        None => (operand, None, false),
        Some(at) => {
            let at = from + at;
            let append = at > 0 && operand[at - 1] == b'+';
            (&operand[..at - usize::from(append)], Some(&operand[at + 1..]), append)
        }
    }
}

fn shape(wanted: &Wanted, compound: bool, element: bool) -> Option<Shape> {
    if wanted.is(b'A') {
        Some(Shape::Associative)
    } else if wanted.is(b'a') {
        Some(Shape::Indexed)
    } else if compound || element {
        // Whatever it is already.
        None
    } else {
        None
    }
}

/// Makes a variable an array of that kind.
fn reshape(shell: &mut Shell, name: &[u8], shape: Shape) -> Result<(), Halt> {
    let variable = shell.variables.entry(name).cloned().unwrap_or_default();
    if variable.shape == shape {
        return Ok(());
    }
    match (variable.shape, shape) {
        (Shape::Indexed, Shape::Associative) => {
            return Err(format!("{}: cannot convert indexed to associative array", lossy(name)).into());
        }
        (Shape::Associative, Shape::Indexed) => {
            return Err(format!("{}: cannot convert associative to indexed array", lossy(name)).into());
        }
        _ => {}
    }
    if let Some(text) = variable.value().map(<[u8]>::to_vec) {
        let mut array = match shape {
            Shape::Associative => Array::associative(),
            _ => Array::indexed(),
        };
        array.set(array.first_key(), text);
        shell.variables.set_array(name, array, &shell.world.meter)?;
    }
    shell.variables.change(name, |variable| variable.shape = shape);
    Ok(())
}

/// Makes a name local to the function at hand, with no value.
fn hide(shell: &mut Shell, name: &[u8]) {
    let before = shell.variables.entry(name).cloned();
    let Some(scope) = shell.scopes.last_mut() else { return };
    if scope.iter().any(|(hidden, _)| hidden == name) {
        return;
    }
    let kept = before.as_ref().map(|variable| (variable.readonly, variable.exported));
    scope.push((name.to_vec(), before));
    // What is read-only stays so, and is not hidden.
    if let Some((true, _)) = kept {
        return;
    }
    shell.variables.remove(name);
    // A variable that was only set for this call is seen by it.
    if let Some((false, true)) = kept
        && shell.temporary.iter().any(|own| own == name)
    {
        let value = shell
            .scopes
            .last()
            .and_then(|scope| scope.last())
            .and_then(|(_, variable)| variable.clone());
        shell.variables.restore(name.to_vec(), value);
    }
}

/// Declares outside of all functions, below what is local.
fn set_global(shell: &mut Shell, operand: &[u8], compound: Option<Vec<Written>>, wanted: &Wanted) -> Result<(), Halt> {
    let (target, ..) = split(operand);
    let name = Place::parse(target).map(|place| place.name).unwrap_or_default();
    // The outermost function that hides it has the global one.
    let hidden = shell
        .scopes
        .iter()
        .position(|scope| scope.iter().any(|(hidden, _)| *hidden == name));
    let Some(level) = hidden else {
        return set_one(shell, operand, compound, wanted, Scope::Around);
    };
    let slot = shell.scopes[level]
        .iter()
        .position(|(hidden, _)| *hidden == name)
        .unwrap_or(0);
    let own = shell.variables.entry(&name).cloned();
    let global = shell.scopes[level][slot].1.take();
    shell.variables.restore(name.clone(), global);
    let result = set_one(shell, operand, compound, wanted, Scope::Around);
    shell.scopes[level][slot].1 = shell.variables.entry(&name).cloned();
    shell.variables.restore(name, own);
    result
}

/// `unset` in bash: variables, elements, functions, and names of names.
pub(super) fn unset(shell: &mut Shell, args: &[Bytes], out: &mut Out) -> Done {
    let (wanted, names) = read_options(args, b"vfn")?;
    let mut status = 0;
    for name in names {
        if wanted.is(b'f') {
            remove_function(shell, name);
            continue;
        }
        let Some(place) = shell.parse_place(name) else {
            if shell.functions.contains_key(name) && !wanted.is(b'v') {
                remove_function(shell, name);
                continue;
            }
            if is_name(name) || wanted.is(b'v') {
                out.complain(format!("`{}': not a valid identifier", lossy(name)));
                status = 1;
            }
            continue;
        };
        let place = match wanted.is(b'n') {
            true => place,
            false => match shell.resolve(&place.name) {
                resolved if resolved.index.is_some() => resolved,
                resolved => Place {
                    name: resolved.name,
                    index: place.index,
                },
            },
        };
        let name = &place.name;
        if shell.variables.is_readonly(name) {
            out.complain(format!("{}: cannot unset: readonly variable", lossy(name)));
            status = 1;
            continue;
        }
        match &place.index {
            None if shell.variables.entry(name).is_none() && shell.functions.contains_key(name) && !wanted.is(b'v') => {
                remove_function(shell, name);
            }
            None => shell.variables.remove(name),
            Some(index) => {
                let shape = shell.variables.shape(name);
                let all = matches!(&index[..], b"@" | b"*") && shape != Shape::Associative;
                if all {
                    shell.variables.remove(name);
                    continue;
                }
                if shell.variables.entry(name).is_none() {
                    continue;
                }
                let key = shell.key(name, shape, index)?;
                shell.variables.remove_element(name, &key, &shell.world.meter)?;
            }
        }
    }
    Ok(status)
}

fn remove_function(shell: &mut Shell, name: &[u8]) {
    if shell.functions.contains_key(name) {
        Arc::make_mut(&mut shell.functions).remove(name);
    }
}
