//! Why a verb gave no answer.

use crate::{exit::Exit, place::Place};
use serde::Serialize;

/// A failure as data: the printer decides how it looks.
#[derive(Debug)]
pub struct Failure {
    pub code: Code,
    pub message: String,
    pub hint: String,
    /// Where the trouble is, when it can be pointed at.
    pub place: Option<Box<Place>>,
}

/// The closed set of failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    Usage,
    NotFound,
    Unreadable,
    Unwritable,
    GitMissing,
    Internal,
    /// There is an answer, and it holds an error.
    VerificationFailed,
    #[serde(untagged)]
    Kernel(oql::Code),
}

impl Code {
    pub fn exit(self) -> Exit {
        match self {
            Code::Usage | Code::Kernel(oql::Code::BadQuery | oql::Code::BadOption) => Exit::Usage,
            Code::NotFound | Code::Kernel(oql::Code::UnknownTask) => Exit::NotFound,
            Code::VerificationFailed => Exit::Verification,
            _ => Exit::Other,
        }
    }

    /// Only an engine that does not answer may answer next time. Files and queries stay as they are.
    pub fn retryable(self) -> bool {
        self.exit() == Exit::Unreachable
    }

    /// The code as it is written in JSON and between brackets.
    pub fn name(self) -> String {
        serde_json::to_value(self)
            .ok()
            .and_then(|name| name.as_str().map(str::to_owned))
            .unwrap_or_default()
    }
}

impl Failure {
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Failure {
            code,
            message: message.into(),
            hint: hint.into(),
            place: None,
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

impl From<oql::Error> for Failure {
    fn from(error: oql::Error) -> Self {
        Failure::new(Code::Kernel(error.code), error.message, error.hint)
    }
}
