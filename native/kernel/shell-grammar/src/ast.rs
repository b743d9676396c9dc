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
#[derive(Debug, Clone)]
pub struct Item {
    /// What runs.
    pub and_or: Arc<AndOr>,
    /// For `&`: its text, which `jobs` shows.
    pub background: Option<Bytes>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug, Clone)]
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
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// `!` stands before it.
    pub negated: bool,
    /// bash's `time` stands before it.
    pub timed: bool,
    /// At least one.
    pub commands: Vec<Command>,
}

/// A command and its redirections.
#[derive(Debug, Clone)]
pub struct Command {
    /// The line that it begins on.
    pub line: u32,
    /// What it is.
    pub kind: Kind,
    /// In order.
    pub redirects: Vec<Redirect>,
}

/// What a command is.
#[derive(Debug, Clone)]
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
    /// bash: `(( .. ))`.
    Arithmetic(Vec<Part>),
    /// bash: `[[ .. ]]`.
    Condition(Condition),
    /// bash: `for (( .. ))`.
    ForArithmetic(Box<ForArithmetic>),
    /// bash: `select`.
    Select(For),
}

/// bash's `for ((first; condition; step))`.
#[derive(Debug, Clone)]
pub struct ForArithmetic {
    /// What is evaluated before the first round, the condition of each, and what is evaluated behind each.
    pub expressions: [Vec<Part>; 3],
    /// What runs.
    pub body: List,
}

/// What `[[ .. ]]` asks.
#[derive(Debug, Clone)]
pub enum Condition {
    /// Whether the word is not empty.
    Word(Word),
    /// `-f x`: the letter and its operand.
    Unary(u8, Word),
    /// `x == y`: the operator stands as it is written.
    Binary(Word, Bytes, Word),
    /// `!`.
    Not(Box<Condition>),
    /// All of them hold.
    And(Vec<Condition>),
    /// One of them holds.
    Or(Vec<Condition>),
}

/// A simple command.
#[derive(Debug, Clone)]
pub struct Simple {
    /// `NAME=value` before the words.
    pub assigns: Vec<Assign>,
    /// The command and its arguments.
    pub words: Vec<Word>,
}

/// `NAME=value`, in bash also `NAME[index]=value`, `NAME+=value` and `NAME=(value ..)`.
#[derive(Debug, Clone)]
pub struct Assign {
    /// The name.
    pub name: Bytes,
    /// The element that is meant.
    pub index: Option<Vec<Part>>,
    /// `+=`.
    pub append: bool,
    /// The value.
    pub value: Assigned,
}

/// What is assigned.
#[derive(Debug, Clone)]
pub enum Assigned {
    /// A text.
    Word(Word),
    /// The elements of an array.
    Array(Vec<Element>),
}

/// An element of an array as it is written.
#[derive(Debug, Clone)]
pub struct Element {
    /// `[index]=`.
    pub index: Option<Vec<Part>>,
    /// `[index]+=`.
    pub append: bool,
    /// The value. Without an index it may become several.
    pub value: Word,
}

/// A `for` loop.
#[derive(Debug, Clone)]
pub struct For {
    /// The name.
    pub name: Bytes,
    /// Without `in`: the positional parameters.
    pub words: Option<Vec<Word>>,
    /// What runs.
    pub body: List,
}

/// One branch of a `case`.
#[derive(Debug, Clone)]
pub struct CaseItem {
    /// Any of them may match.
    pub patterns: Vec<Word>,
    /// What runs.
    pub body: List,
    /// What its end says.
    pub then: Then,
}

/// What follows a branch of a `case` that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// `;;`: nothing.
    Ends,
    /// `;&`: the next body runs as well.
    FallsThrough,
    /// `;;&`: the next patterns are looked at.
    GoesOn,
}

/// What a function does.
#[derive(Debug, Clone)]
pub struct Function {
    /// A compound command.
    pub body: Command,
    /// How long its text is, which is what keeping it costs.
    pub size: usize,
    /// Its text, from its name on.
    pub text: Bytes,
    /// The line that it begins on.
    pub line: u32,
}

/// A redirection.
#[derive(Debug, Clone)]
pub struct Redirect {
    /// The descriptor in front of the operator.
    pub fd: Option<usize>,
    /// bash's `{name}` in front of the operator: a descriptor is chosen, and its number assigned.
    pub name: Option<Bytes>,
    /// Where it leads.
    pub kind: RedirectKind,
}

/// Where a descriptor leads.
#[derive(Debug, Clone)]
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
#[derive(Debug, Clone, Default)]
pub struct Word {
    /// In order.
    pub parts: Vec<Part>,
    /// An argument that is read like an assignment: it stays one field.
    pub assigns: bool,
    /// Where it begins, in bytes from the start of the script. Zero for a word inside another.
    pub at: u32,
    /// For a word that begins with `name[index]=`: how many parts the index has, behind the first.
    pub index: Option<usize>,
}

/// A piece of a word.
#[derive(Debug, Clone)]
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
    /// `{a,b}`: each of them in its turn.
    Braces(Vec<Vec<Part>>),
    /// `{1..9}`.
    Sequence(Sequence),
    /// `<( .. )` or `>( .. )`.
    Process {
        /// `<(`: it is read.
        input: bool,
        /// What runs.
        list: List,
    },
    /// `( .. )` behind `name=` in an argument of `declare` and its kin.
    Array(Vec<Element>),
}

/// `{first..last..step}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// Where it begins.
    pub first: i64,
    /// Where it ends.
    pub last: i64,
    /// How far it steps; never zero.
    pub step: u64,
    /// Numbers are filled up with zeros to this many characters.
    pub width: usize,
    /// The numbers are those of letters.
    pub letters: bool,
}

/// A parameter expansion.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Of what.
    pub name: Name,
    /// Which element.
    pub index: Option<Index>,
    /// `${!x}`: its value says which parameter is meant.
    pub indirect: bool,
    /// And what is done to it.
    pub op: Op,
}

/// Which elements of an array.
#[derive(Debug, Clone)]
pub enum Index {
    /// `[@]`, or, if true, `[*]`.
    All(bool),
    /// One of them.
    At(Vec<Part>),
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
#[derive(Debug, Clone)]
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
    /// `${x^}`, `${x^^}`, `${x,}`, `${x,,}`, `${x~}` and `${x~~}`.
    Case {
        /// `^`, `,` or `~`.
        to: u8,
        /// Every character, and not the first alone.
        all: bool,
        /// The characters that change; none means any.
        pattern: Word,
    },
    /// `${x@Q}` and its kin, by the letter.
    Transform(u8),
    /// `${!prefix*}`: the names that begin so, or, if true, `${!prefix@}`.
    Names(bool),
    /// `${!name[@]}`: the keys of an array.
    Keys,
    /// Only bash knows it: an error when sh reaches it.
    Bash,
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
