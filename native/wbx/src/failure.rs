//! Why a verb gave no answer.

use crate::{exit::Exit, place::Place};
use serde::Serialize;
use serde_json::Value;

/// A failure as data: the printer decides how it looks.
#[derive(Debug)]
pub struct Failure {
    pub code: Code,
    pub message: String,
    pub hint: String,
    /// Where the trouble is, when it can be pointed at.
    pub place: Option<Box<Place>>,
    /// What else there is to know, for programs and people alike.
    pub data: Option<Value>,
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
    /// There is no engine to run plans with.
    EngineMissing,
    /// The engine ended without an answer, or gave one that has no code of its own here.
    EngineFailed,
    /// There is an answer, and it holds an error.
    VerificationFailed,
    #[serde(untagged)]
    Kernel(oql::Code),
    /// A code of a bundle's own.
    #[serde(untagged)]
    Bundle(&'static str),
    /// A code of the history's own.
    #[serde(untagged)]
    History(&'static str),
    /// A code of a session's own.
    #[serde(untagged)]
    Session(&'static str),
    /// A code of the shell's own.
    #[serde(untagged)]
    Shell(&'static str),
    /// A code of an import's or an audit's own.
    #[serde(untagged)]
    Import(&'static str),
    /// A code of a toolkit's own.
    #[serde(untagged)]
    Toolkit(&'static str),
}

impl Code {
    pub fn exit(self) -> Exit {
        match self {
            Code::Usage | Code::Kernel(oql::Code::BadQuery | oql::Code::BadOption) => Exit::Usage,
            Code::NotFound | Code::Kernel(oql::Code::UnknownTask) => Exit::NotFound,
            Code::History("not_found" | "no_history" | "not_sealed") => Exit::NotFound,
            Code::History("sql" | "denied" | "many_statements" | "bad_option") => Exit::Usage,
            Code::History("already_running" | "conflict") => Exit::Conflict,
            Code::VerificationFailed => Exit::Verification,
            Code::Bundle("not_found") => Exit::NotFound,
            Code::Bundle("bad_option") => Exit::Usage,
            Code::Bundle("exists") => Exit::Conflict,
            Code::Bundle(
                "changed" | "diagnostics" | "not_a_bundle" | "too_large" | "unknown_version" | "unsafe_entry",
            ) => Exit::Verification,
            Code::Session("SESSION_NOT_FOUND" | "TOKEN_UNKNOWN_NODE") => Exit::NotFound,
            Code::Session("TOKEN_SESSION_LOCKED" | "SESSION_LOCKED" | "STORE_BUSY") => Exit::Conflict,
            Code::Session("TOKEN_BAD_SIGNATURE") => Exit::Auth,
            Code::Session("STORE_IO") => Exit::Other,
            Code::Session(code) if code.starts_with("TOKEN_") || code == "VALIDATION_ERROR" => Exit::Usage,
            Code::Session(_) => Exit::Verification,
            Code::Toolkit("no_toolkits" | "unknown_toolkit" | "unknown_skill" | "unknown_recipe" | "not_found") => {
                Exit::NotFound
            }
            Code::Toolkit("bad_option" | "invalid_name") => Exit::Usage,
            Code::Toolkit("not_granted" | "not_the_author" | "execution_is_off" | "posix_is_off") => Exit::Auth,
            Code::Toolkit(
                "bad_signature" | "invalid_manifest" | "hash_mismatch" | "unfit" | "file_refused" | "corrupt",
            ) => Exit::Verification,
            Code::EngineMissing => Exit::Unreachable,
            Code::Import("not_found") => Exit::NotFound,
            Code::Import("exists" | "conflict") => Exit::Conflict,
            Code::Import("bad_option") => Exit::Usage,
            _ => Exit::Other,
        }
    }

    /// An engine that does not answer may answer next time, and a session that somebody holds will be let go. Files and
    /// queries stay as they are.
    pub fn retryable(self) -> bool {
        self.exit() == Exit::Unreachable
            || matches!(
                self,
                Code::Session("TOKEN_SESSION_LOCKED" | "SESSION_LOCKED" | "STORE_BUSY")
            )
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
            data: None,
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

impl From<history::Error> for Failure {
    fn from(error: history::Error) -> Self {
        Failure::new(Code::History(error.code()), error.to_string(), error.hint())
    }
}

impl From<foundry::Error> for Failure {
    fn from(error: foundry::Error) -> Self {
        Failure::new(Code::Toolkit(error.code()), error.to_string(), error.hint())
    }
}

impl From<session::Error> for Failure {
    fn from(error: session::Error) -> Self {
        Failure::new(Code::Session(error.code.as_str()), error.message, error.suggestion)
    }
}

impl From<import::Error> for Failure {
    fn from(error: import::Error) -> Self {
        Failure::new(Code::Import(error.code()), error.to_string(), error.hint())
    }
}

impl From<oql::Error> for Failure {
    fn from(error: oql::Error) -> Self {
        Failure::new(Code::Kernel(error.code), error.message, error.hint)
    }
}
