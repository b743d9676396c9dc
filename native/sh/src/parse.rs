//! Reading scripts: a recursive descent over bytes, one line of commands at a time.
//!
//! It takes time linear in the text, and its recursion is bounded by the nesting limit, so no text can stall it or
//! overflow the stack. Aliases take effect from one line to the next, which is why a script is never read at once.

mod alias;
mod command;
mod compound;
mod heredoc;
mod input;
mod parameter;
mod simple;
mod tilde;
mod token;
mod word;

use crate::ast::{Bytes, List, Word};
use crate::{Error, Limits};
pub(crate) use command::is_reserved;
use input::Input;
use std::collections::HashMap;
use std::sync::Arc;
use token::Token;

/// What aliases stand for.
pub(crate) type Aliases = HashMap<Bytes, Bytes>;

/// Why a text cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Syntax {
        line: u32,
        what: String,
        /// The text ended too early: more of it may help.
        unfinished: bool,
    },
    Bound(Error),
}

impl Fault {
    /// No more text can come.
    fn finished(self) -> Fault {
        match self {
            Fault::Syntax { line, what, .. } => Fault::Syntax {
                line,
                what,
                unfinished: false,
            },
            bound => bound,
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Bound(error)
    }
}

pub(crate) type Parsed<T> = Result<T, Fault>;

/// Reads one text.
pub(crate) struct Parser {
    input: Input,
    /// The token that was looked at and not yet taken.
    ahead: Option<Token>,
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
}

impl Parser {
    pub fn new(text: Arc<[u8]>, line: u32, limits: &Limits) -> Parsed<Parser> {
        if text.len() > limits.script {
            return Err(Error::ScriptTooLong.into());
        }
        Ok(Parser {
            input: Input::new(text, line, limits.script),
            ahead: None,
            aliases: Arc::default(),
            within: Vec::new(),
            partial: false,
            pending: Vec::new(),
            depth: 0,
            size: 0,
            limits: *limits,
        })
    }

    /// For a text that is the beginning of a longer one.
    pub fn partial(text: Arc<[u8]>, line: u32, limits: &Limits) -> Parsed<Parser> {
        let mut parser = Parser::new(text, line, limits)?;
        parser.partial = true;
        Ok(parser)
    }

    /// For a text inside this one.
    fn inner(&self, text: Bytes, line: u32) -> Parsed<Parser> {
        let mut inner = Parser::new(text.into(), line, &self.limits)?;
        inner.aliases = self.aliases.clone();
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
            true => Err(Error::TooMuchMemory.into()),
            false => Ok(()),
        }
    }

    /// Runs a nested reading one level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= self.limits.nesting {
            return Err(Error::TooDeep.into());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn fault(&self, what: impl Into<String>) -> Fault {
        Fault::Syntax {
            line: self.input.line,
            what: what.into(),
            unfinished: false,
        }
    }

    fn unfinished(&self, what: impl Into<String>) -> Fault {
        Fault::Syntax {
            line: self.input.line,
            what: what.into(),
            unfinished: true,
        }
    }
}

/// Why a text is not a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It breaks the grammar.
    #[error("line {line}: syntax error: {message}")]
    Syntax {
        /// Where, counted from one.
        line: u32,
        /// What is wrong there.
        message: String,
    },
    /// It goes beyond a bound.
    #[error(transparent)]
    Bound(Error),
}

/// Reads a script and does not run it.
///
/// ```
/// use sh::{Error, Limits, Unreadable, parse_check};
/// assert_eq!(parse_check(b"if true; then echo yes; fi", &Limits::default()), Ok(()));
/// let wrong = parse_check(b"echo\nfi", &Limits::default()).unwrap_err();
/// assert_eq!(wrong.to_string(), "line 2: syntax error: 'fi' unexpected");
/// let deep = parse_check(&b"(".repeat(100_000), &Limits::default());
/// assert_eq!(deep, Err(Unreadable::Bound(Error::TooDeep)));
/// ```
pub fn parse_check(script: &[u8], limits: &Limits) -> Result<(), Unreadable> {
    let read_all = || {
        let mut parser = Parser::new(script.into(), 1, limits)?;
        while parser.next(&Arc::default())?.is_some() {}
        Ok(())
    };
    read_all().map_err(|fault| match fault {
        Fault::Syntax { line, what, .. } => Unreadable::Syntax { line, message: what },
        Fault::Bound(error) => Unreadable::Bound(error),
    })
}
