//! An error as it crosses a border.

use crate::{Code, Fails, codes};
use serde::Serialize;
use serde_json::Value;

/// Why there is no answer: the same for every door.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failure {
    /// From a closed set.
    pub code: Code,
    /// What is wrong, and where.
    pub message: String,
    /// What to do about it.
    pub hint: String,
    /// Whether the same call can succeed later without any change.
    pub retryable: bool,
    /// The facts behind the message, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Box<Value>>,
    /// Which field of what was asked is wrong, as a JSON pointer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<Box<str>>,
}

impl Failure {
    /// A failure that is raised where no crate's error is at hand.
    ///
    /// ```
    /// let failure = failure::Failure::new(failure::codes::BUSY, "8 calls are waiting", "try again");
    /// assert_eq!(
    ///     serde_json::to_string(&failure).unwrap(),
    ///     r#"{"code":"busy","message":"8 calls are waiting","hint":"try again","retryable":true}"#
    /// );
    /// ```
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure {
            code,
            message: message.into(),
            hint: hint.into(),
            retryable: code.retryable(),
            details: None,
            pointer: None,
        }
    }

    /// A mistake of ours: a panic, a broken promise between two parts.
    pub fn internal(message: impl Into<String>) -> Self {
        Failure::new(
            codes::INTERNAL,
            message,
            "this is a bug in Workbooks; please report it with what you called",
        )
    }

    /// The same failure with its facts.
    pub fn with(mut self, details: Value) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// The same failure, pointing at the field that is wrong.
    pub fn at(mut self, pointer: impl Into<Box<str>>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

// `Failure` itself has no `Fails`, so that this does not meet the conversion of a type into itself.
impl<E: Fails> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure {
            code: error.failing(),
            message: error.to_string(),
            hint: error.advice().into_owned(),
            retryable: error.retryable(),
            details: error.details().map(Box::new),
            pointer: None,
        }
    }
}
