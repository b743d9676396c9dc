//! Why a verb gave no answer.

use crate::{exit::Exit, place::Place};
use operations::door;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A failure as data: the printer decides how it looks.
#[derive(Debug)]
pub struct Failure {
    pub code: Code,
    pub message: String,
    pub hint: String,
    pub retryable: bool,
    /// Where the trouble is, when it can be pointed at.
    pub place: Option<Box<Place>>,
    /// What else there is to know, for programs and people alike.
    pub data: Option<Box<Value>>,
    /// What else there is to know, for programs alone.
    pub facts: Option<Box<Facts>>,
}

/// What stands behind a message.
#[derive(Debug)]
pub struct Facts {
    pub details: Option<Value>,
    /// Which field of what was asked is wrong, as a JSON pointer.
    pub pointer: Option<Box<str>>,
}

/// What failed: something of the command line's own, or of a crate behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    Usage,
    NotFound,
    Unreadable,
    Unwritable,
    GitMissing,
    Internal,
    /// There is no engine to run plans with.
    EngineMissing,
    /// The engine ended without an answer.
    EngineFailed,
    /// There is an answer, and it holds an error.
    VerificationFailed,
    /// A code of a crate's own.
    Of(failure::Code),
}

impl Code {
    /// As every crate declares its own.
    pub const fn declared(self) -> failure::Code {
        match self {
            Code::Usage => door::USAGE,
            Code::NotFound => failure::codes::NOT_FOUND,
            Code::Unreadable => door::UNREADABLE,
            Code::Unwritable => door::UNWRITABLE,
            Code::GitMissing => door::GIT_MISSING,
            Code::Internal => failure::codes::INTERNAL,
            Code::EngineMissing => failure::codes::ENGINE_MISSING,
            Code::EngineFailed => door::ENGINE_FAILED,
            Code::VerificationFailed => door::VERIFICATION_FAILED,
            Code::Of(code) => code,
        }
    }

    pub const fn exit(self) -> Exit {
        Exit::of(self.declared().kind)
    }

    /// The code as it is written in JSON and between brackets.
    pub const fn name(self) -> &'static str {
        self.declared().name
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl Failure {
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure {
            code,
            message: message.into(),
            hint: hint.into(),
            retryable: code.declared().retryable(),
            place: None,
            data: None,
            facts: None,
        }
    }

    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure::new(Code::Usage, message, hint)
    }

    pub fn at(self, place: Place) -> Self {
        Failure {
            place: Some(Box::new(place)),
            ..self
        }
    }
}

impl From<failure::Failure> for Failure {
    fn from(failure: failure::Failure) -> Self {
        Failure {
            retryable: failure.retryable,
            facts: Some(Box::new(Facts {
                details: failure.details.map(|details| *details),
                pointer: failure.pointer,
            })),
            ..Failure::new(Code::Of(failure.code), failure.message, failure.hint)
        }
    }
}

impl From<Failure> for failure::Failure {
    fn from(failure: Failure) -> Self {
        let (details, pointer) = match failure.facts {
            Some(facts) => (facts.details.map(Box::new), facts.pointer),
            None => (None, None),
        };
        failure::Failure {
            code: failure.code.declared(),
            message: failure.message,
            hint: failure.hint,
            retryable: failure.retryable,
            details,
            pointer,
        }
    }
}

macro_rules! from {
    ($($error:ty)*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                failure::Failure::from(error).into()
            }
        })*
    };
}

from! { certificate::Error deploy::Error engine::Error history::Error host::Error oql::Error session::Error shell::Error toolkit_build::Error toolkit_import::Error }
