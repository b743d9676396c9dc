//! What a script says, once it is read.

use std::sync::{Arc, OnceLock};

/// Shell text: any bytes.
pub(crate) type Bytes = Vec<u8>;

/// Commands one after the other.
#[derive(Debug, Default, Clone)]
pub(crate) struct List {
    pub items: Arc<Vec<Item>>,
}

/// One and-or list, and whether `&` ends it.
#[derive(Debug)]
pub(crate) struct Item {
    pub and_or: Arc<AndOr>,
    /// For `&`: its text, which `jobs` shows.
    pub background: Option<Bytes>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug)]
pub(crate) struct AndOr {
    pub first: Pipeline,
    pub rest: Vec<(Link, Pipeline)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    And,
    Or,
}

#[derive(Debug)]
pub(crate) struct Pipeline {
    pub negated: bool,
    pub commands: Vec<Command>,
}

#[derive(Debug)]
pub(crate) struct Command {
    pub line: u32,
    pub kind: Kind,
    pub redirects: Vec<Redirect>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Simple(Simple),
    Group(List),
    Subshell(List),
    /// `if`/`elif` conditions with their bodies, and `else`.
    If(Vec<(List, List)>, Option<List>),
    For(For),
    Case(Word, Vec<CaseItem>),
    Loop {
        until: bool,
        condition: List,
        body: List,
    },
    Function(Bytes, Arc<Function>),
}

#[derive(Debug)]
pub(crate) struct Simple {
    pub assigns: Vec<Assign>,
    pub words: Vec<Word>,
}

#[derive(Debug)]
pub(crate) struct Assign {
    pub name: Bytes,
    pub value: Word,
}

#[derive(Debug)]
pub(crate) struct For {
    pub name: Bytes,
    /// Without `in`: the positional parameters.
    pub words: Option<Vec<Word>>,
    pub body: List,
}

#[derive(Debug)]
pub(crate) struct CaseItem {
    pub patterns: Vec<Word>,
    pub body: List,
    /// Ends in `;&`: the next body runs as well.
    pub falls_through: bool,
}

#[derive(Debug)]
pub(crate) struct Function {
    pub body: Command,
    /// How long its text is, which is what keeping it costs.
    pub size: usize,
}

#[derive(Debug)]
pub(crate) struct Redirect {
    /// The descriptor in front of the operator.
    pub fd: Option<usize>,
    pub kind: RedirectKind,
}

#[derive(Debug)]
pub(crate) enum RedirectKind {
    File(Open, Word),
    /// `<&` and `>&`.
    Duplicate {
        input: bool,
        target: Word,
    },
    /// `&>` and `&>>`: both outputs to one file.
    Both(Open, Word),
    /// The body is known when the line it begins on is over.
    Here(Arc<OnceLock<Word>>),
    /// `<<<`.
    HereString(Word),
}

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Open {
    Read,
    Write,
    Append,
    Clobber,
    ReadWrite,
}

/// A word: its parts are joined.
#[derive(Debug, Default)]
pub(crate) struct Word {
    pub parts: Vec<Part>,
    /// An argument that is read like an assignment: it stays one field.
    pub assigns: bool,
}

#[derive(Debug)]
pub(crate) enum Part {
    /// Unquoted text: wildcards count.
    Literal(Bytes),
    /// Quoted text: nothing counts.
    Quoted(Bytes),
    /// `".."`.
    Double(Vec<Part>),
    /// `~` or `~user`: what stands behind the tilde.
    Tilde(Bytes),
    Parameter(Box<Parameter>),
    Command(List),
    Arithmetic(Vec<Part>),
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub name: Name,
    pub op: Op,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Name {
    Variable(Bytes),
    Positional(usize),
    /// One of `@*#?-$!`.
    Special(u8),
}

#[derive(Debug)]
pub(crate) enum Op {
    Plain,
    Length,
    /// `-`, `=`, `?` or `+`, with or without the colon that makes empty count as unset.
    Test {
        test: Test,
        colon: bool,
        word: Word,
    },
    Trim {
        end: End,
        longest: bool,
        pattern: Word,
    },
    /// `${x:offset:length}`: arithmetic both.
    Slice {
        offset: Vec<Part>,
        length: Option<Vec<Part>>,
    },
    Replace {
        how: Replace,
        pattern: Word,
        with: Word,
    },
    /// Nothing we know: an error when it is reached.
    Bad,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Test {
    Default,
    Assign,
    Error,
    Alternate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Prefix,
    Suffix,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replace {
    First,
    All,
    AtStart,
    AtEnd,
}

impl Word {
    pub fn new(parts: Vec<Part>) -> Word {
        Word { parts, assigns: false }
    }

    /// Its text, when nothing in it is quoted or expanded.
    pub fn literal(&self) -> Option<&[u8]> {
        match &self.parts[..] {
            [Part::Literal(text)] => Some(text),
            _ => None,
        }
    }
}

/// Whether this can name a variable.
pub(crate) fn is_name(text: &[u8]) -> bool {
    text.first().is_some_and(|b| starts_name(*b)) && text.iter().all(|b| in_name(*b))
}

pub(crate) fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

pub(crate) fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
