//! Reading scripts: a recursive descent over bytes, one line of commands at a time.
//!
//! It takes time linear in the text, and its recursion is bounded by the nesting limit, so no text can stall it or
//! overflow the stack. Aliases take effect from one line to the next, which is why a script is never read at once.

mod alias;
mod array;
mod brace;
mod command;
mod compound;
mod condition;
mod heredoc;
mod input;
mod parameter;
mod simple;
mod tilde;
mod token;
mod word;

use crate::ast::{Bytes, List, Word};
use crate::{Bound, Dialect, Limits};
pub use command::is_reserved;
use input::{Inner, Input};
use std::collections::HashMap;
use std::sync::Arc;
use token::Token;

/// What aliases stand for.
pub type Aliases = HashMap<Bytes, Bytes>;

/// Why a text cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub enum Fault {
    /// It breaks the grammar.
    Syntax {
        /// The line, as the caller counts.
        line: u32,
        /// Where, in bytes from the start of the text: the token that does not fit, or what the end of the text leaves open.
        at: u32,
        /// What is wrong there.
        what: String,
        /// The text ended too early: more of it may help.
        unfinished: bool,
    },
    /// It goes beyond a bound.
    Bound(Bound),
}

impl Fault {
    /// The end of the text leaves open what begins there, unless something inside it is open as well.
    fn opened_at(self, opener: u32) -> Fault {
        match self {
            Fault::Syntax {
                line,
                at: END,
                what,
                unfinished,
            } => Fault::Syntax {
                line,
                at: opener,
                what,
                unfinished,
            },
            other => other,
        }
    }

    /// No more text can come.
    fn finished(self) -> Fault {
        match self {
            Fault::Syntax { line, at, what, .. } => Fault::Syntax {
                line,
                at,
                what,
                unfinished: false,
            },
            bound => bound,
        }
    }
}

impl From<Bound> for Fault {
    fn from(bound: Bound) -> Fault {
        Fault::Bound(bound)
    }
}

/// Where a text goes wrong that ends too early, until it is known what is left open.
const END: u32 = u32::MAX;

/// What a reading gives.
pub type Parsed<T> = Result<T, Fault>;

/// Reads one text.
pub struct Parser {
    input: Input,
    /// The token that was looked at and not yet taken.
    ahead: Option<Token>,
    /// Where the token that was read last begins.
    token_at: u32,
    aliases: Arc<Aliases>,
    /// The aliases whose values the token ahead began in.
    within: Vec<Bytes>,
    /// More text may follow.
    partial: bool,
    pending: Vec<heredoc::Pending>,
    depth: usize,
    /// About how many bytes the tree takes that was read so far.
    size: usize,
    limits: Limits,
    dialect: Dialect,
    /// The token before was a word of a command, so the next one is no command's name.
    after_word: bool,
    /// Words may begin with `[index]=`.
    in_array: bool,
}

impl Parser {
    /// For a whole text that begins on that line.
    pub fn new(text: Arc<[u8]>, line: u32, limits: &Limits) -> Parsed<Parser> {
        if text.len() > limits.script {
            return Err(Bound::ScriptTooLong.into());
        }
        Ok(Parser {
            input: Input::new(text, line, limits.script),
            ahead: None,
            token_at: 0,
            aliases: Arc::default(),
            within: Vec::new(),
            partial: false,
            pending: Vec::new(),
            depth: 0,
            size: 0,
            limits: *limits,
            dialect: Dialect::Sh,
            after_word: false,
            in_array: false,
        })
    }

    /// The same, for a text in that language.
    pub fn in_dialect(mut self, dialect: Dialect) -> Parser {
        self.dialect = dialect;
        self
    }

    fn is_bash(&self) -> bool {
        self.dialect == Dialect::Bash
    }

    /// What only bash has is an error in sh.
    fn only_bash(&self, construct: &str) -> Parsed<()> {
        match self.is_bash() {
            true => Ok(()),
            false => Err(self.fault(Dialect::refuses(construct))),
        }
    }

    /// For a text that is the beginning of a longer one.
    pub fn partial(text: Arc<[u8]>, line: u32, limits: &Limits) -> Parsed<Parser> {
        let mut parser = Parser::new(text, line, limits)?;
        parser.partial = true;
        Ok(parser)
    }

    /// For a text inside this one.
    fn inner(&self, text: Inner, line: u32) -> Parsed<Parser> {
        let mut inner = Parser::new(text.bytes.into(), line, &self.limits)?;
        inner.input.set_places(text.places);
        inner.aliases = self.aliases.clone();
        inner.dialect = self.dialect;
        inner.depth = self.depth;
        Ok(inner)
    }

    /// The commands up to the end of a line, or nothing at the end of the text.
    pub fn next(&mut self, aliases: &Arc<Aliases>) -> Parsed<Option<List>> {
        self.aliases = aliases.clone();
        self.complete_command()
    }

    /// The whole text as if in double quotes: a prompt.
    pub fn prompt(mut self) -> Parsed<Word> {
        Ok(Word::new(self.parts(word::Until::Here)?))
    }

    /// Whether an alias has more lines than were read.
    pub fn in_alias(&self) -> bool {
        self.input.in_alias()
    }

    /// How much of the text was read.
    pub fn position(&self) -> usize {
        self.input.position()
    }

    /// The line it is at.
    pub fn line(&self) -> u32 {
        self.input.line
    }

    /// About how many bytes the trees take that were read since this was last asked.
    pub fn take_size(&mut self) -> usize {
        std::mem::take(&mut self.size)
    }

    /// Counts bytes of the tree.
    fn takes(&mut self, bytes: usize) -> Parsed<()> {
        self.size += bytes;
        match self.size > self.limits.memory {
            true => Err(Bound::TooMuchMemory.into()),
            false => Ok(()),
        }
    }

    /// Runs a nested reading one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= self.limits.nesting {
            return Err(Bound::TooDeep.into());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn fault(&self, what: impl Into<String>) -> Fault {
        Fault::Syntax {
            line: self.input.line,
            at: self.token_at,
            what: what.into(),
            unfinished: false,
        }
    }

    /// The text ends where something must follow.
    fn ended(&self) -> Fault {
        Fault::Syntax {
            line: self.input.line,
            at: END,
            what: "end of file unexpected".into(),
            unfinished: true,
        }
    }

    fn unfinished(&self, what: impl Into<String>) -> Fault {
        Fault::Syntax {
            line: self.input.line,
            at: self.token_at,
            what: what.into(),
            unfinished: true,
        }
    }
}
