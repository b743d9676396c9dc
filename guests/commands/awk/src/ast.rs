//! A program as the parser understood it.
//!
//! Expressions lie in one list and name each other by number: dropping or walking a program never recurses, however deep
//! its expressions are.

use crate::builtin::Builtin;

/// The number of an expression.
pub type Id = u32;

/// A variable or an array: which of the two is found out later, in [`crate::resolve`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    /// By its number among the globals.
    Global(u32),
    /// A parameter of the function it is used in.
    Local(u32),
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Pow,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    Less,
    LessEqual,
    Equal,
    NotEqual,
    Greater,
    GreaterEqual,
}

/// An operation on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Not,
    Minus,
    Plus,
}

/// Where `getline` reads from.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    Main,
    File(Id),
    Command(Id),
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expr {
    Number(f64),
    String(Vec<u8>),
    Regex(Vec<u8>),
    Name(Name),
    Index(Name, Vec<Id>),
    Field(Id),
    Assign(Id, Id),
    Update(Arith, Id, Id),
    /// `++x` or `x++`: what is added, and whether the value is that before.
    Step {
        target: Id,
        by: i8,
        after: bool,
    },
    Unary(Unary, Id),
    Arith(Arith, Id, Id),
    Concat(Vec<Id>),
    Compare(Compare, Id, Id),
    Match {
        subject: Id,
        regex: Id,
        negated: bool,
    },
    And(Id, Id),
    Or(Id, Id),
    Choose(Id, Id, Id),
    In(Vec<Id>, Name),
    /// A function by its number.
    Call(u32, Vec<Id>),
    Builtin(Builtin, Vec<Id>),
    Getline {
        source: Source,
        target: Option<Id>,
    },
}

/// How output is redirected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Redirect {
    Stdout,
    Write,
    Append,
    Pipe,
}

/// A statement and its line.
#[derive(Debug)]
pub struct Stmt {
    pub line: u32,
    pub kind: Kind,
}

/// A statement.
#[derive(Debug)]
pub enum Kind {
    Expr(Id),
    Print {
        args: Vec<Id>,
        formatted: bool,
        redirect: Redirect,
        to: Option<Id>,
    },
    /// `if`, any number of `else if`, and `else`.
    If(Vec<(Id, Stmt)>, Option<Box<Stmt>>),
    While(Id, Box<Stmt>),
    DoWhile(Box<Stmt>, Id),
    For {
        first: Option<Box<Stmt>>,
        condition: Option<Id>,
        step: Option<Box<Stmt>>,
        body: Box<Stmt>,
    },
    ForIn(Name, Name, Box<Stmt>),
    Block(Vec<Stmt>),
    Next,
    NextFile,
    Exit(Option<Id>),
    Return(Option<Id>),
    Break,
    Continue,
    Delete(Name, Vec<Id>),
    Clear(Name),
}

/// When a rule acts.
#[derive(Debug)]
pub enum Pattern {
    Always,
    When(Id),
    Range(Id, Id),
}

/// A pattern and what to do; without an action, print the record.
#[derive(Debug)]
pub struct Rule {
    pub line: u32,
    pub pattern: Pattern,
    pub action: Option<Vec<Stmt>>,
}

/// A function of the program.
#[derive(Debug, Default)]
pub struct Function {
    pub name: String,
    pub parameters: Vec<String>,
    pub body: Vec<Stmt>,
    pub line: u32,
    pub defined: bool,
}

/// An expression, where it stands, and in which function.
#[derive(Debug)]
pub struct Node {
    pub expr: Expr,
    pub line: u32,
    pub function: Option<u32>,
}

/// A whole program.
#[derive(Debug, Default)]
pub struct Program {
    pub nodes: Vec<Node>,
    pub begin: Vec<Vec<Stmt>>,
    pub rules: Vec<Rule>,
    pub end: Vec<Vec<Stmt>>,
    pub functions: Vec<Function>,
    pub globals: Vec<String>,
    /// Arrays that statements use: `delete`, `for (x in array)`, with line and function.
    pub arrays: Vec<(Name, u32, Option<u32>)>,
    /// Variables that statements set: `for (x in ..)`.
    pub scalars: Vec<(Name, u32, Option<u32>)>,
}

impl Program {
    /// The expression with this number.
    pub fn expr(&self, id: Id) -> &Expr {
        &self.nodes[id as usize].expr
    }

    /// The line it stands on.
    pub fn line(&self, id: Id) -> u32 {
        self.nodes[id as usize].line
    }
}
