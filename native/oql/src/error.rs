//! Errors are data: a code from a closed set, what is wrong and where, and what to do about it.

use serde::Serialize;

/// Why the kernel gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Error {
    /// Which kind of failure this is.
    pub code: Code,
    /// What is wrong, and where.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// The closed set of kernel failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The bytes are not UTF-8.
    NotUtf8,
    /// The text is longer than [`crate::MAX_TEXT`].
    TooLarge,
    /// Something nests deeper than [`crate::MAX_NESTING`].
    TooDeep,
    /// The text would take more work than the kernel will do for one call.
    TooComplex,
    /// The query cannot be read.
    BadQuery,
    /// An option or a fact cannot be read.
    BadOption,
    /// No task has the id that was asked for.
    UnknownTask,
    /// The state is not one of the plan's keywords.
    UnknownState,
}

impl Error {
    pub(crate) fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Error {
            code,
            message: message.into(),
            hint: hint.into(),
        }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
