//! Reading a script without running it.

use crate::{Dialect, Error, Limits};
use shell_grammar::parse::{Fault, Parser};
use std::sync::Arc;

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
/// use shell_exec::{Dialect, Error, Limits, Unreadable, parse_check};
/// assert_eq!(parse_check(b"if true; then echo yes; fi", Dialect::Sh, &Limits::default()), Ok(()));
/// let wrong = parse_check(b"echo\nfi", Dialect::Sh, &Limits::default()).unwrap_err();
/// assert_eq!(wrong.to_string(), "line 2: syntax error: 'fi' unexpected");
/// let deep = parse_check(&b"(".repeat(100_000), Dialect::Sh, &Limits::default());
/// assert_eq!(deep, Err(Unreadable::Bound(Error::TooDeep)));
/// ```
pub fn parse_check(script: &[u8], dialect: Dialect, limits: &Limits) -> Result<(), Unreadable> {
    let read_all = || {
        let mut parser = Parser::new(script.into(), 1, &limits.grammar())?.in_dialect(dialect);
        while parser.next(&Arc::default())?.is_some() {}
        Ok(())
    };
    read_all().map_err(|fault| match fault {
        Fault::Syntax { line, what, .. } => Unreadable::Syntax { line, message: what },
        Fault::Bound(bound) => Unreadable::Bound(bound.into()),
    })
}
