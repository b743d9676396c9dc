//! Which names are arrays.
//!
//! The language declares nothing: a name is an array if it is used as one, or if it is handed to a function that uses the
//! parameter as one. What is learnt about one name spreads along the calls until nothing new is learnt.

use crate::ast::{Expr, Name, Program};
use crate::builtin::Builtin;
use crate::error::Error;
use crate::special::Special;

/// What a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Unknown,
    Scalar,
    Array,
}

/// What every name is.
#[derive(Debug)]
pub struct Names {
    globals: Vec<Use>,
    parameters: Vec<Vec<Use>>,
}

/// A name that is handed to a function, as which parameter, and where.
struct Link {
    from: (Name, Option<u32>),
    to: (u32, u32),
    line: u32,
}

impl Names {
    /// Whether a name is an array, in a function or outside.
    pub fn is_array(&self, name: Name, function: Option<u32>) -> bool {
        self.of(name, function) == Use::Array
    }

    /// Whether a parameter is an array.
    pub fn is_array_parameter(&self, function: u32, parameter: usize) -> bool {
        self.parameters[function as usize][parameter] == Use::Array
    }

    fn of(&self, name: Name, function: Option<u32>) -> Use {
        match (name, function) {
            (Name::Local(at), Some(function)) => self.parameters[function as usize][at as usize],
            (Name::Global(at) | Name::Local(at), _) => self.globals[at as usize],
        }
    }

    fn learn(
        &mut self,
        program: &Program,
        name: Name,
        function: Option<u32>,
        is: Use,
        line: u32,
    ) -> Result<bool, Error> {
        let place = match (name, function) {
            (Name::Local(at), Some(function)) => &mut self.parameters[function as usize][at as usize],
            (Name::Global(at) | Name::Local(at), _) => &mut self.globals[at as usize],
        };
        if *place == is {
            return Ok(false);
        }
        if *place == Use::Unknown {
            *place = is;
            return Ok(true);
        }
        let text = match (name, function) {
            (Name::Local(at), Some(function)) => &program.functions[function as usize].parameters[at as usize],
            (Name::Global(at) | Name::Local(at), _) => &program.globals[at as usize],
        };
        Err(Error::at(
            line,
            format!("can't use {text} both as an array and as a variable"),
        ))
    }
}

/// Finds out what every name is.
///
/// # Errors
///
/// A name is used as an array and as a variable, or a call does not fit its function.
pub fn resolve(program: &Program) -> Result<Names, Error> {
    let mut names = Names {
        globals: vec![Use::Unknown; program.globals.len()],
        parameters: program
            .functions
            .iter()
            .map(|function| vec![Use::Unknown; function.parameters.len()])
            .collect(),
    };
    for number in 0..program.globals.len().min(crate::special::NAMES.len()) {
        let is_array = number >= Special::Argv as usize;
        names.globals[number] = if is_array { Use::Array } else { Use::Scalar };
    }
    for &(name, line, function) in &program.arrays {
        names.learn(program, name, function, Use::Array, line)?;
    }
    for &(name, line, function) in &program.scalars {
        names.learn(program, name, function, Use::Scalar, line)?;
    }
    let mut links = Vec::new();
    // Names that a call hands over, and that of `length(x)`, may be either.
    let mut open = vec![false; program.nodes.len()];
    for node in &program.nodes {
        let arguments: &[u32] = match &node.expr {
            Expr::Call(function, arguments) if program.functions[*function as usize].defined => arguments,
            Expr::Builtin(Builtin::Length, arguments) => arguments,
            _ => &[],
        };
        for id in arguments {
            open[*id as usize] |= matches!(program.expr(*id), Expr::Name(_));
        }
        array_arguments(program, &node.expr, |id| open[id as usize] = true);
    }
    for (node, open) in program.nodes.iter().zip(&open) {
        match &node.expr {
            Expr::Index(name, _) | Expr::In(_, name) => {
                names.learn(program, *name, node.function, Use::Array, node.line)?;
            }
            Expr::Name(name) if !open => {
                names.learn(program, *name, node.function, Use::Scalar, node.line)?;
            }
            Expr::Call(callee, arguments) => {
                let function = &program.functions[*callee as usize];
                if function.defined && arguments.len() > function.parameters.len() {
                    let message = format!(
                        "function {} called with {} args, accepts only {}",
                        function.name,
                        arguments.len(),
                        function.parameters.len()
                    );
                    return Err(Error::at(node.line, message));
                }
                if function.defined {
                    for (parameter, id) in (0..).zip(arguments) {
                        if let Expr::Name(name) = program.expr(*id) {
                            links.push(Link {
                                from: (*name, node.function),
                                to: (*callee, parameter),
                                line: node.line,
                            });
                        }
                    }
                }
            }
            _ => {}
        }
        let mut wrong = None;
        let mut arrays = Vec::new();
        array_arguments(program, &node.expr, |id| match program.expr(id) {
            Expr::Name(name) => arrays.push(*name),
            _ => wrong = Some(node.line),
        });
        for name in arrays {
            names.learn(program, name, node.function, Use::Array, node.line)?;
        }
        if let Some(line) = wrong {
            return Err(Error::at(line, "an array is wanted here".into()));
        }
    }
    spread(program, &mut names, &links)?;
    check_calls(program, &names)?;
    Ok(names)
}

/// The arguments of a function of the language that have to be arrays.
fn array_arguments(program: &Program, expr: &Expr, mut act: impl FnMut(u32)) {
    let (builtin, arguments) = match expr {
        Expr::Builtin(builtin, arguments) => (*builtin, arguments),
        Expr::Call(function, arguments) if !program.functions[*function as usize].defined => {
            match Builtin::named(&program.functions[*function as usize].name) {
                Some(entry) => (entry.builtin, arguments),
                None => return,
            }
        }
        _ => return,
    };
    let places: &[usize] = match builtin {
        Builtin::Split => &[1],
        Builtin::Match => &[2],
        Builtin::Asort | Builtin::Asorti => &[0, 1],
        _ => &[],
    };
    places
        .iter()
        .filter_map(|place| arguments.get(*place))
        .for_each(|id| act(*id));
}

fn spread(program: &Program, names: &mut Names, links: &[Link]) -> Result<(), Error> {
    let mut changed = true;
    while changed {
        changed = false;
        for link in links {
            let (name, function) = link.from;
            let parameter = Name::Local(link.to.1);
            let (outside, inside) = (names.of(name, function), names.of(parameter, Some(link.to.0)));
            match (outside, inside) {
                (_, Use::Array) => changed |= names.learn(program, name, function, Use::Array, link.line)?,
                (Use::Array, _) => {
                    changed |= names.learn(program, parameter, Some(link.to.0), Use::Array, link.line)?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// A parameter that is an array gets an array.
fn check_calls(program: &Program, names: &Names) -> Result<(), Error> {
    for node in &program.nodes {
        let Expr::Call(callee, arguments) = &node.expr else {
            continue;
        };
        if !program.functions[*callee as usize].defined {
            continue;
        }
        for (parameter, id) in arguments.iter().enumerate() {
            let is_name = matches!(program.expr(*id), Expr::Name(_));
            if names.is_array_parameter(*callee, parameter) && !is_name {
                let name = &program.functions[*callee as usize].name;
                let message = format!("argument {} of function {name} has to be an array", parameter + 1);
                return Err(Error::at(node.line, message));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::parse;

    fn arrays(source: &str) -> Result<Vec<String>, Error> {
        let program = parse(source.as_bytes())?;
        let names = resolve(&program)?;
        let own = crate::special::NAMES.len();
        let is = |number: &usize| names.is_array(Name::Global(*number as u32), None);
        let found = (own..program.globals.len())
            .filter(is)
            .map(|number| program.globals[number].clone());
        Ok(found.collect())
    }

    #[test]
    fn what_is_used_as_an_array_is_one() {
        for (source, expected) in [
            ("{ a[1] = b }", vec!["a"]),
            (
                "{ split($0, a); delete b; for (i in c) n++; (1, 2) in d }",
                vec!["a", "b", "c", "d"],
            ),
            (
                "function f(x) { g(x) } function g(y) { y[1] } BEGIN { f(a) }",
                vec!["a"],
            ),
            (
                "function f(x) { return length(x) } BEGIN { a[1]; f(a); f(b) }",
                vec!["a", "b"],
            ),
            ("function f(x, a) { a[x] } BEGIN { f(1) }", vec![]),
        ] {
            let mut found = arrays(source).expect(source);
            found.sort();
            assert_eq!(found, expected, "{source}");
        }
    }

    #[test]
    fn a_name_is_not_both() {
        for source in [
            "{ a[1]; a = 2 }",
            "function f(x) { x[1] } BEGIN { f(1) }",
            "function f(x) { x[1] } BEGIN { y = 1; f(y) }",
            "function f(x) { x[1]; x = 1 }",
            "function f() { } BEGIN { f(1) }",
            "BEGIN { split(\"a\", 1) }",
            "BEGIN { NR[1] }",
            "BEGIN { ARGV = 1 }",
        ] {
            assert!(arrays(source).is_err(), "{source}");
        }
    }
}
