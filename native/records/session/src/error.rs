//! Errors are data: a code from a closed set, what is wrong, whether to try again, and what to do.

use failure::Fails;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Which kind of failure this is.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// Whether to try again.
    pub retry: Retry,
    /// The facts behind the message.
    pub details: Value,
    /// What to do about it.
    pub suggestion: String,
}

/// Whether the same call can succeed later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Retry {
    /// The call has to change.
    NotRetryable,
    /// The same call may be made at once.
    RetryableImmediate,
    /// The same call may be made later.
    #[serde(rename_all = "camelCase")]
    RetryableAfterMs {
        /// How much later.
        after_ms: u64,
    },
}

macro_rules! codes {
    ($(#[doc = $doc:literal] $name:ident $kind:ident $text:literal;)*) => {
        /// The closed set of failures.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Code {
            $(#[doc = $doc] #[serde(rename = $text)] $name,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Code] = &[$(Code::$name),*];

            /// The code as it is written.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }

            /// The code as every crate declares its own.
            const fn declared(self) -> failure::Code {
                match self { $(Code::$name => failure::Code::$kind($text, $doc.trim_ascii()),)* }
            }
        }
    };
}

codes! {
    /// The token cannot be read.
    TokenInvalidFormat usage "TOKEN_INVALID_FORMAT";
    /// The token is of a version that this program does not know.
    TokenUnsupportedVersion usage "TOKEN_UNSUPPORTED_VERSION";
    /// No key of the key ring signed the token.
    TokenBadSignature auth "TOKEN_BAD_SIGNATURE";
    /// The tokens of a pair do not belong together, or a token is of the wrong kind.
    TokenScopeMismatch usage "TOKEN_SCOPE_MISMATCH";
    /// The token names a node that the session does not have.
    TokenUnknownNode not_found "TOKEN_UNKNOWN_NODE";
    /// The token was made for another workflow.
    TokenWorkflowHashMismatch usage "TOKEN_WORKFLOW_HASH_MISMATCH";
    /// Another writer holds the session that the token names.
    TokenSessionLocked conflict "TOKEN_SESSION_LOCKED";
    /// Another writer holds the session.
    SessionLocked conflict "SESSION_LOCKED";
    /// There is no such session.
    SessionNotFound not_found "SESSION_NOT_FOUND";
    /// The session is damaged.
    SessionCorrupt verification "SESSION_CORRUPT";
    /// The session was written by a newer program.
    SessionUnknownVersion verification "SESSION_UNKNOWN_VERSION";
    /// The session's facts contradict each other.
    SessionInvariantViolation verification "SESSION_INVARIANT_VIOLATION";
    /// The machine refused a read or a write.
    StoreIo other "STORE_IO";
    /// The store is being swept, or sessions are in use that a sweep needs.
    StoreBusy conflict "STORE_BUSY";
    /// A snapshot is missing or is not what its name says.
    StoreBadSnapshot verification "STORE_BAD_SNAPSHOT";
    /// A compiled workflow is missing or is not what its name says.
    StoreBadWorkflow verification "STORE_BAD_WORKFLOW";
    /// The key ring cannot be read.
    StoreBadKeyring verification "STORE_BAD_KEYRING";
    /// The operator's policy cannot be read.
    StoreBadPolicy verification "STORE_BAD_POLICY";
    /// The bundle is not a bundle.
    BundleInvalidFormat verification "BUNDLE_INVALID_FORMAT";
    /// The bundle is of a version that this program does not know.
    BundleUnsupportedVersion verification "BUNDLE_UNSUPPORTED_VERSION";
    /// A part of the bundle is not what its digest says.
    BundleIntegrityFailed verification "BUNDLE_INTEGRITY_FAILED";
    /// The bundle lacks a snapshot.
    BundleMissingSnapshot verification "BUNDLE_MISSING_SNAPSHOT";
    /// The bundle lacks a compiled workflow.
    BundleMissingPinnedWorkflow verification "BUNDLE_MISSING_PINNED_WORKFLOW";
    /// The bundle's events do not follow one another.
    BundleEventOrderInvalid verification "BUNDLE_EVENT_ORDER_INVALID";
    /// The bundle's manifest does not follow its events.
    BundleManifestOrderInvalid verification "BUNDLE_MANIFEST_ORDER_INVALID";
    /// What was sent breaks a rule.
    ValidationError usage "VALIDATION_ERROR";
}

impl Fails for Error {
    fn codes() -> Vec<failure::Code> {
        Code::ALL.iter().map(|code| code.declared()).collect()
    }

    fn failing(&self) -> failure::Code {
        self.code.declared()
    }

    fn advice(&self) -> Cow<'_, str> {
        Cow::from(&self.suggestion)
    }

    /// The rest of the envelope: when to try again, and the facts.
    fn details(&self) -> Option<Value> {
        Some(json!({"retry": self.retry, "facts": self.details}))
    }

    fn retryable(&self) -> bool {
        self.retry != Retry::NotRetryable
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Error {
    /// A failure that the same call will meet again.
    pub fn new(code: Code, message: impl Into<String>, suggestion: impl Into<String>) -> Self {
        Error {
            code,
            message: message.into(),
            retry: Retry::NotRetryable,
            details: json!({}),
            suggestion: suggestion.into(),
        }
    }

    /// The same failure with its facts.
    pub fn with(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    /// The same failure, to be tried again after this long.
    pub fn after_ms(mut self, after_ms: u64) -> Self {
        self.retry = Retry::RetryableAfterMs { after_ms };
        self
    }

    /// What was sent breaks a rule.
    pub fn validation(message: impl Into<String>, suggestion: impl Into<String>) -> Self {
        Self::new(Code::ValidationError, message, suggestion)
    }

    /// What was sent is larger than its budget.
    pub fn too_large(what: &str, measured: usize, max: usize, method: &str) -> Self {
        Self::validation(
            format!("{what} measures {measured} bytes and may measure {max} ({method})"),
            "remove large values and pass references to them",
        )
        .with(json!({"what": what, "measuredBytes": measured, "maxBytes": max, "method": method}))
    }

    /// Another writer holds the session.
    pub fn locked(id: crate::SessionId) -> Self {
        Self::new(
            Code::SessionLocked,
            "another writer holds the session",
            "try again shortly; if this lasts, end the other process that uses the session",
        )
        .with(json!({"sessionId": id}))
        .after_ms(250)
    }

    /// There is no such session.
    pub fn not_found(id: crate::SessionId) -> Self {
        Self::new(
            Code::SessionNotFound,
            format!("there is no session {id}"),
            "list the sessions, or resume by branch or notes",
        )
        .with(json!({"sessionId": id}))
    }

    /// The session's facts contradict each other.
    pub fn invariant(message: impl Into<String>) -> Self {
        Self::new(
            Code::SessionInvariantViolation,
            message,
            "verify the session; export what is valid of it, and start again from a bundle",
        )
    }

    /// The caller came with a token, so a lock is the token's error.
    pub(crate) fn for_token(mut self) -> Self {
        if self.code == Code::SessionLocked {
            self.code = Code::TokenSessionLocked;
        }
        self
    }
}
