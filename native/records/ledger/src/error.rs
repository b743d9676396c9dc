//! Why there is no answer: a stable code, a message, and what to do about it.

use failure::codes::{BAD_OPTION, NOT_JSON, UNKNOWN_VERSION};
use failure::{Code, fails};
use thiserror::Error;

/// Why a ledger cannot be made or read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not a seal.
    #[error("this is not a ledger: {why}")]
    NotALedger {
        /// What gave it away.
        why: String,
    },
    /// The seal was made by a program with another format.
    #[error("the ledger has version {found}, and this program knows version {}", crate::VERSION)]
    UnknownVersion {
        /// The version in the seal.
        found: u64,
    },
    /// A step is a JSON object without the fields that the chain adds.
    #[error("this is not a step: {why}")]
    NotAStep {
        /// What is wrong with it.
        why: String,
    },
    /// JSON's numbers are exact only up to [`MAX_INTEGER`](crate::MAX_INTEGER).
    #[error("`{field}` is larger than a JSON number can say exactly")]
    TooLarge {
        /// Which number.
        field: &'static str,
    },
}

fails! {
    Error {
        Error::NotALedger { .. } => Code::verification("not_a_ledger", "the file is not a ledger"),
            "take the `_ledger.json` of the run from its history directory";
        Error::UnknownVersion { .. } => UNKNOWN_VERSION, "use the version of Workbooks that wrote it";
        Error::NotAStep { .. } => NOT_JSON, "give a JSON object without `n` and `prev`";
        Error::TooLarge { .. } => BAD_OPTION, "use a smaller number";
    }
}
