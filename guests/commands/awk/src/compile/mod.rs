//! A program into steps of the machine.

mod call;
mod expr;
mod stmt;

use crate::ast::{Expr, Id, Name, Pattern, Program, Rule};
use crate::code::{ArrayRef, At, Code, Function, Op, Place, Slot};
use crate::error::Error;
use crate::regex::Regex;
use crate::resolve::{self, Names};
use crate::special;
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Compiles a program.
///
/// ```
/// let program = awk::parser::parse(b"{ print $1 }").unwrap();
/// let code = awk::compile::compile(&program).unwrap();
/// assert!(code.has_rules && !code.has_end);
/// ```
///
/// # Errors
///
/// What is wrong with the program, and where.
pub fn compile(program: &Program) -> Result<Code, Error> {
    let names = resolve::resolve(program)?;
    let code = attempt(program, &names, true)?;
    match code.ops.len() <= usize::from(u16::MAX) {
        true => Ok(code),
        // Steps that hold all they need in eight bytes cannot jump that far.
        false => attempt(program, &names, false),
    }
}

fn attempt(program: &Program, names: &Names, compact: bool) -> Result<Code, Error> {
    if program.globals.len() > usize::from(u16::MAX) {
        return Err(Error::new("too many variables"));
    }
    let mut compiler = Compiler {
        program,
        names,
        compact,
        code: Code::default(),
        labels: Vec::new(),
        loops: Vec::new(),
        regexes: FxHashMap::default(),
        function: None,
        phase: Phase::Function,
        line: 0,
    };
    compiler.whole()?;
    compiler.finish()
}

/// A place in the code that is not known yet.
#[derive(Clone, Copy)]
struct Label(u32);

/// The loop around a statement.
struct Loop {
    after: Label,
    again: Label,
}

/// What the code belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Begin,
    Rules,
    End,
    Function,
}

struct Compiler<'a> {
    program: &'a Program,
    names: &'a Names,
    /// Whether steps may name places, and jump no farther than 16 bits say.
    compact: bool,
    code: Code,
    /// Where each label is.
    labels: Vec<u32>,
    loops: Vec<Loop>,
    regexes: FxHashMap<&'a [u8], u32>,
    function: Option<u32>,
    phase: Phase,
    line: u32,
}

type Done = Result<(), Error>;

impl<'a> Compiler<'a> {
    fn emit(&mut self, op: Op) {
        self.code.ops.push(op);
        self.code.lines.push(self.line);
    }

    fn here(&self) -> u32 {
        self.code.ops.len() as u32
    }

    fn label(&mut self) -> Label {
        self.labels.push(u32::MAX);
        Label(self.labels.len() as u32 - 1)
    }

    fn put(&mut self, label: Label) {
        self.labels[label.0 as usize] = self.here();
    }

    fn error(&self, message: impl Into<String>) -> Error {
        Error::at(self.line, message.into())
    }

    fn constant(&mut self, value: Value) -> u32 {
        self.code.constants.push(value);
        self.code.constants.len() as u32 - 1
    }

    fn regex(&mut self, source: &'a [u8]) -> Result<u32, Error> {
        if let Some(known) = self.regexes.get(source) {
            return Ok(*known);
        }
        let regex = Regex::new(source).map_err(|message| self.error(message))?;
        self.code.regexes.push(Rc::new(regex));
        let number = self.code.regexes.len() as u32 - 1;
        self.regexes.insert(source, number);
        Ok(number)
    }

    fn slot(&self, name: Name) -> Slot {
        match name {
            Name::Global(at) if at < special::WATCHED => Slot::Special(at as u16),
            Name::Global(at) => Slot::Global(at as u16),
            Name::Local(at) => Slot::Local(self.rank(at, false)),
        }
    }

    fn array(&self, name: Name) -> ArrayRef {
        match name {
            Name::Global(at) => ArrayRef::Global(at as u16),
            Name::Local(at) => ArrayRef::Local(self.rank(at, true)),
        }
    }

    /// The number of a parameter among those of its kind.
    fn rank(&self, parameter: u32, array: bool) -> u16 {
        let function = self.function.unwrap_or_default();
        let before = (0..parameter as usize).filter(|at| self.names.is_array_parameter(function, *at) == array);
        before.count() as u16
    }

    fn is_array(&self, name: Name) -> bool {
        self.names.is_array(name, self.function)
    }

    /// The value of an expression, if it lies at hand.
    fn place(&mut self, id: Id) -> Option<Place> {
        if !self.compact {
            return None;
        }
        Place::new(match self.expr_of(id) {
            Expr::Number(number) => At::Constant(self.constant(Value::Number(*number)) as usize),
            Expr::String(text) => At::Constant(self.constant(Value::text(text)) as usize),
            Expr::Name(name) if !self.is_array(*name) => match self.slot(*name) {
                Slot::Global(at) => At::Global(at.into()),
                Slot::Local(at) => At::Local(at.into()),
                Slot::Special(_) => return None,
            },
            _ => return None,
        })
    }

    /// A label that fits a short jump.
    fn short(&self, label: Label) -> Option<u16> {
        u16::try_from(label.0).ok().filter(|_| self.compact)
    }

    fn expr_of(&self, id: Id) -> &'a Expr {
        self.program.expr(id)
    }

    fn whole(&mut self) -> Done {
        let program = self.program;
        self.phase = Phase::Begin;
        self.code.begin = self.here();
        for body in &program.begin {
            self.statements(body)?;
        }
        self.emit(Op::End);
        self.phase = Phase::Rules;
        self.code.rules = self.here();
        for rule in &program.rules {
            self.rule(rule)?;
        }
        self.emit(Op::End);
        self.phase = Phase::End;
        self.code.end = self.here();
        for body in &program.end {
            self.statements(body)?;
        }
        self.emit(Op::End);
        self.code.has_rules = !program.rules.is_empty();
        self.code.has_end = !program.end.is_empty();
        self.phase = Phase::Function;
        for number in 0..program.functions.len() {
            self.function(number)?;
        }
        self.code.globals = program.globals.clone();
        let is_array = |number| self.names.is_array(Name::Global(number), None);
        self.code.arrays = (0..program.globals.len() as u32).map(is_array).collect();
        Ok(())
    }

    fn function(&mut self, number: usize) -> Done {
        let function = &self.program.functions[number];
        let arrays = (0..function.parameters.len())
            .filter(|at| self.names.is_array_parameter(number as u32, *at))
            .count();
        if function.parameters.len() > usize::from(u8::MAX) {
            let message = format!("function {} has too many parameters", function.name);
            return Err(Error::at(function.line, message));
        }
        self.code.functions.push(Function {
            entry: self.here(),
            scalars: (function.parameters.len() - arrays) as u32,
            arrays: arrays as u32,
        });
        self.function = Some(number as u32);
        self.line = function.line;
        self.statements(&function.body)?;
        let unset = self.constant(Value::Unset);
        self.emit(Op::Constant(unset));
        self.emit(Op::Return);
        self.function = None;
        Ok(())
    }

    fn rule(&mut self, rule: &'a Rule) -> Done {
        self.line = rule.line;
        let skip = self.label();
        match rule.pattern {
            Pattern::Always => {}
            Pattern::When(condition) => self.condition(condition, false, skip)?,
            Pattern::Range(first, last) => {
                let range = u16::try_from(self.code.ranges).map_err(|_| self.error("too many ranges"))?;
                self.code.ranges += 1;
                let inside = self.label();
                self.emit(Op::JumpInRange(range, inside.0));
                self.condition(first, false, skip)?;
                self.emit(Op::SetRange(range, true));
                self.put(inside);
                let still = self.label();
                self.condition(last, false, still)?;
                self.emit(Op::SetRange(range, false));
                self.put(still);
            }
        }
        match &rule.action {
            None => self.emit(Op::PrintRecord),
            Some(body) => self.statements(body)?,
        }
        self.put(skip);
        Ok(())
    }

    /// Puts the places of labels where their numbers are.
    fn finish(mut self) -> Result<Code, Error> {
        for op in &mut self.code.ops {
            match op {
                Op::Jump(to)
                | Op::JumpIf(_, to)
                | Op::JumpCompare(_, _, to)
                | Op::JumpMatch(_, _, to)
                | Op::JumpInRange(_, to)
                | Op::NextKey(to) => *to = self.labels[*to as usize],
                Op::JumpPlace(_, _, to) | Op::JumpPlaces(_, _, _, to) => *to = self.labels[usize::from(*to)] as u16,
                _ => {}
            }
        }
        Ok(self.code)
    }
}
