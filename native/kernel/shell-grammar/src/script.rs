//! A whole script, read at once. Aliases do not exist here: they take effect only as a script runs.

use crate::ast::List;
use crate::parse::{Fault, Parser};
use crate::{Bound, Dialect, Limits};
use std::sync::Arc;

/// A script that is well formed.
#[derive(Debug)]
pub struct Script {
    /// Its lines of commands.
    pub lists: Vec<List>,
}

/// Why a script cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where, in bytes from the start of the script.
    pub offset: usize,
    /// What is wrong there.
    pub message: String,
}

impl Script {
    /// Reads all of it, in the language of `sh` unless its `#!` line says another.
    ///
    /// ```
    /// use shell_grammar::{Limits, Script};
    /// let error = Script::read(b"echo\nfi", &Limits::default()).unwrap_err();
    /// assert_eq!((error.offset, error.message.as_str()), (5, "'fi' unexpected"));
    /// ```
    pub fn read(script: &[u8], limits: &Limits) -> Result<Script, SyntaxError> {
        Script::read_as(script, Dialect::Sh, limits)
    }

    /// Reads all of it, in that language unless its `#!` line says another.
    ///
    /// ```
    /// use shell_grammar::{Dialect, Limits, Script};
    /// let script = b"[[ -f x ]] && wc -l x";
    /// assert!(Script::read_as(script, Dialect::Bash, &Limits::default()).is_ok());
    /// let error = Script::read_as(script, Dialect::Sh, &Limits::default()).unwrap_err();
    /// assert_eq!(error.message, "`[[` is bash's, and this is sh: run it with bash");
    /// ```
    pub fn read_as(script: &[u8], dialect: Dialect, limits: &Limits) -> Result<Script, SyntaxError> {
        let dialect = Dialect::of_script(script).unwrap_or(dialect);
        let read_all = || {
            let mut parser = Parser::new(script.into(), 1, limits)?.in_dialect(dialect);
            let mut lists = Vec::new();
            while let Some(list) = parser.next(&Arc::default())? {
                lists.push(list);
            }
            Ok(Script { lists })
        };
        read_all().map_err(|fault| match fault {
            Fault::Syntax { at, what, .. } => SyntaxError {
                offset: (at as usize).min(script.len()),
                message: what,
            },
            Fault::Bound(bound) => SyntaxError {
                offset: 0,
                message: match bound {
                    Bound::ScriptTooLong => format!("the script is longer than {} bytes", limits.script),
                    Bound::TooDeep => format!("nested deeper than {} levels", limits.nesting),
                    Bound::TooMuchMemory => "the script is too large".to_owned(),
                },
            },
        })
    }
}
