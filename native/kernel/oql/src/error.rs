//! Errors are data: a code from a closed set, what is wrong and where, and what to do about it.

use failure::Fails;
use failure::codes::{BAD_OPTION, NOT_UTF8, TOO_COMPLEX, TOO_DEEP, TOO_LARGE};
use serde::Serialize;
use std::borrow::Cow;

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

impl Code {
    const ALL: [Code; 8] = [
        Code::NotUtf8,
        Code::TooLarge,
        Code::TooDeep,
        Code::TooComplex,
        Code::BadQuery,
        Code::BadOption,
        Code::UnknownTask,
        Code::UnknownState,
    ];

    /// The code as every crate declares its own.
    const fn declared(self) -> failure::Code {
        match self {
            Code::NotUtf8 => NOT_UTF8,
            Code::TooLarge => TOO_LARGE,
            Code::TooDeep => TOO_DEEP,
            Code::TooComplex => TOO_COMPLEX,
            Code::BadQuery => failure::Code::usage("bad_query", "the query cannot be read; the message has the column"),
            Code::BadOption => BAD_OPTION,
            Code::UnknownTask => failure::Code::not_found("unknown_task", "no task has that id"),
            Code::UnknownState => failure::Code::usage("unknown_state", "the state is not one of the plan's keywords"),
        }
    }
}

impl Fails for Error {
    fn codes() -> Vec<failure::Code> {
        Code::ALL.map(Code::declared).to_vec()
    }

    fn failing(&self) -> failure::Code {
        self.code.declared()
    }

    fn advice(&self) -> Cow<'_, str> {
        Cow::from(&self.hint)
    }
}
