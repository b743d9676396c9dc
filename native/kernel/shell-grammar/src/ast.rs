//! What a script says, once it is read.

use std::sync::{Arc, OnceLock};

/// Shell text: any bytes.
pub type Bytes = Vec<u8>;

/// Commands one after the other.
#[derive(Debug, Default, Clone)]
pub struct List {
    /// In order.
    pub items: Arc<Vec<Item>>,
}

/// One and-or list, and whether `&` ends it.
#[derive(Debug)]
pub struct Item {
    /// What runs.
    pub and_or: Arc<AndOr>,
    /// For `&`: its text, which `jobs` shows.
    pub background: Option<Bytes>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug)]
pub struct AndOr {
    /// The first of them.
    pub first: Pipeline,
    /// The others, each with what stands before it.
    pub rest: Vec<(Link, Pipeline)>,
}

/// What joins two pipelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// `&&`.
    And,
    /// `||`.
    Or,
}

/// Commands joined by `|`.
#[derive(Debug)]
pub struct Pipeline {
    /// `!` stands before it.
    pub negated: bool,
    /// At least one.
    pub commands: Vec<Command>,
}

/// A command and its redirections.
#[derive(Debug)]
pub struct Command {
    /// The line that it begins on.
    pub line: u32,
    /// What it is.
    pub kind: Kind,
    /// In order.
    pub redirects: Vec<Redirect>,
}

/// What a command is.
#[derive(Debug)]
pub enum Kind {
    /// A name and its arguments.
    Simple(Simple),
    /// `{ ..; }`.
    Group(List),
    /// `( .. )`.
    Subshell(List),
    /// `if`/`elif` conditions with their bodies, and `else`.
    If(Vec<(List, List)>, Option<List>),
    /// `for`.
    For(For),
    /// `case`: what is compared, and with what.
    Case(Word, Vec<CaseItem>),
    /// `while` or `until`.
    Loop {
        /// It runs until the condition holds.
        until: bool,
        /// Between the keyword and `do`.
        condition: List,
        /// Between `do` and `done`.
        body: List,
    },
    /// `name() ..`.
    Function(Bytes, Arc<Function>),
}

/// A simple command.
#[derive(Debug)]
pub struct Simple {
    /// `NAME=value` before the words.
    pub assigns: Vec<Assign>,
    /// The command and its arguments.
    pub words: Vec<Word>,
}

/// `NAME=value`.
#[derive(Debug)]
pub struct Assign {
    /// The name.
    pub name: Bytes,
    /// The value.
    pub value: Word,
}

/// A `for` loop.
#[derive(Debug)]
pub struct For {
    /// The name.
    pub name: Bytes,
    /// Without `in`: the positional parameters.
    pub words: Option<Vec<Word>>,
    /// What runs.
    pub body: List,
}

/// One branch of a `case`.
#[derive(Debug)]
pub struct CaseItem {
    /// Any of them may match.
    pub patterns: Vec<Word>,
    /// What runs.
    pub body: List,
    /// Ends in `;&`: the next body runs as well.
    pub falls_through: bool,
}

/// What a function does.
#[derive(Debug)]
pub struct Function {
    /// A compound command.
    pub body: Command,
    /// How long its text is, which is what keeping it costs.
    pub size: usize,
}

/// A redirection.
#[derive(Debug)]
pub struct Redirect {
    /// The descriptor in front of the operator.
    pub fd: Option<usize>,
    /// Where it leads.
    pub kind: RedirectKind,
}

/// Where a descriptor leads.
#[derive(Debug)]
pub enum RedirectKind {
    /// To a file.
    File(Open, Word),
    /// `<&` and `>&`.
    Duplicate {
        /// `<&`.
        input: bool,
        /// A descriptor, or `-`.
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
pub enum Open {
    /// `<`.
    Read,
    /// `>`.
    Write,
    /// `>>`.
    Append,
    /// `>|`.
    Clobber,
    /// `<>`.
    ReadWrite,
}

/// A word: its parts are joined.
#[derive(Debug, Default)]
pub struct Word {
    /// In order.
    pub parts: Vec<Part>,
    /// An argument that is read like an assignment: it stays one field.
    pub assigns: bool,
    /// Where it begins, in bytes from the start of the script. Zero for a word inside another.
    pub at: u32,
}

/// A piece of a word.
#[derive(Debug)]
pub enum Part {
    /// Unquoted text: wildcards count.
    Literal(Bytes),
    /// Quoted text: nothing counts.
    Quoted(Bytes),
    /// `".."`.
    Double(Vec<Part>),
    /// `~` or `~user`: what stands behind the tilde.
    Tilde(Bytes),
    /// `$x` or `${x}`.
    Parameter(Box<Parameter>),
    /// `$( .. )` or backquotes.
    Command(List),
    /// `$(( .. ))`.
    Arithmetic(Vec<Part>),
}

/// A parameter expansion.
#[derive(Debug)]
pub struct Parameter {
    /// Of what.
    pub name: Name,
    /// And what is done to it.
    pub op: Op,
}

/// What a parameter is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Name {
    /// `$name`.
    Variable(Bytes),
    /// `$1`.
    Positional(usize),
    /// One of `@*#?-$!`.
    Special(u8),
}

/// What an expansion does.
#[derive(Debug)]
pub enum Op {
    /// Nothing: the value.
    Plain,
    /// `${#x}`.
    Length,
    /// `-`, `=`, `?` or `+`, with or without the colon that makes empty count as unset.
    Test {
        /// Which.
        test: Test,
        /// Empty counts as unset.
        colon: bool,
        /// What stands behind it.
        word: Word,
    },
    /// `#`, `##`, `%` and `%%`.
    Trim {
        /// Which end.
        end: End,
        /// The longest match goes.
        longest: bool,
        /// What matches.
        pattern: Word,
    },
    /// `${x:offset:length}`: arithmetic both.
    Slice {
        /// From where.
        offset: Vec<Part>,
        /// How much.
        length: Option<Vec<Part>>,
    },
    /// `${x/pattern/with}`.
    Replace {
        /// Which matches.
        how: Replace,
        /// What matches.
        pattern: Word,
        /// What comes in their place.
        with: Word,
    },
    /// Nothing we know: an error when it is reached.
    Bad,
}

/// What a test of a parameter does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// `-`.
    Default,
    /// `=`.
    Assign,
    /// `?`.
    Error,
    /// `+`.
    Alternate,
}

/// An end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// `#`.
    Prefix,
    /// `%`.
    Suffix,
}

/// Which matches are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replace {
    /// The first.
    First,
    /// All.
    All,
    /// One at the start.
    AtStart,
    /// One at the end.
    AtEnd,
}

impl Word {
    /// A word of these parts.
    pub fn new(parts: Vec<Part>) -> Word {
        Word {
            parts,
            ..Word::default()
        }
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
pub fn is_name(text: &[u8]) -> bool {
    text.first().is_some_and(|b| starts_name(*b)) && text.iter().all(|b| in_name(*b))
}

/// Whether a name can begin with this.
pub fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Whether a name can have this in it.
pub fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
