//! What ends a program before its time.

use std::fmt;

/// Something is wrong with a program, or went wrong when it ran.
///
/// ```
/// use awk::error::Error;
/// let error = Error::at(3, "division by zero".into());
/// assert_eq!(error.line, Some(3));
/// assert_eq!(error.to_string(), "division by zero");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    /// What it is.
    pub message: String,
    /// The line of the program, counted from 1 over all its files.
    pub line: Option<u32>,
    /// The word there that was not expected.
    pub near: Option<String>,
}

impl Error {
    /// An error at a line of the program.
    pub fn at(line: u32, message: String) -> Error {
        Error {
            message,
            line: Some(line),
            near: None,
        }
    }

    /// An error that no line is to blame for.
    pub fn new(message: impl Into<String>) -> Error {
        Error {
            message: message.into(),
            line: None,
            near: None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
