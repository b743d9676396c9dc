//! Is a check's script well formed, and which commands does it name?
//!
//! A linear reader of the POSIX shell command language that runs nothing and expands nothing. It follows `dash -n`, and
//! is stricter where a script could only fail later: a function's body is a compound command, `$((` ends with `))`, and
//! the text in backquotes is read to its end. `$'..'` is quoting, as in POSIX.1-2024, and lines may end with CR LF.
//!
//! Aliases do not exist. What a word expands to is unknown, so a command word with an expansion or a pattern in it is
//! left out: the list holds only what is certain to be called by that name.

mod compound;
mod expansion;
mod grammar;
mod redirect;
mod source;
#[cfg(test)]
mod tests;
mod token;
mod word;

use grammar::Parser;
use source::Source;

/// The longest script that is read, in bytes.
const MAX_LENGTH: usize = 256 * 1024;
/// The deepest nesting of commands and expansions that is read.
const MAX_NESTING: usize = 200;

/// A script that is well formed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Script {
    /// Every command word that is certain, in the order of the text. Functions of the script itself are left out.
    pub(crate) commands: Vec<Word>,
}

/// A command by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// The name without its quotes.
    pub(crate) name: String,
    /// Where the word starts, in bytes from the start of the script.
    pub(crate) offset: usize,
}

/// Why a script cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    /// Where, in bytes from the start of the script. For what is never closed, where it opens.
    pub(crate) offset: usize,
    /// What is wrong there.
    pub(crate) message: String,
}

/// Reads the whole script.
pub(crate) fn check(script: &str) -> Result<Script, SyntaxError> {
    if script.len() > MAX_LENGTH {
        return Err(SyntaxError {
            offset: 0,
            message: format!("the script is longer than {MAX_LENGTH} bytes"),
        });
    }
    let mut parser = Parser::new(Source::script(script), 0);
    parser.program()?;
    let (mut commands, functions) = parser.found();
    commands.retain(|word| !functions.contains(&word.name));
    // Here-documents are read after the line that opens them.
    commands.sort_by_key(|word| word.offset);
    Ok(Script { commands })
}
