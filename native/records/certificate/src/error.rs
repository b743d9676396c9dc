//! Why a certificate does not hold.

use failure::{Code, fails};
use thiserror::Error;

/// Why a certificate does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is something else.
    #[error("this is not a certificate: {why}")]
    NotACertificate {
        /// What gave it away.
        why: String,
    },
    /// The envelope or the statement is not what was signed.
    #[error("the certificate is not what was signed: {why}")]
    Forged {
        /// What does not fit.
        why: String,
    },
}

fails! {
    Error {
        Error::NotACertificate { .. } => Code::verification("not_a_certificate", "the text is not a certificate"),
            "give a file that `wbx certify` wrote";
        Error::Forged { .. } => Code::verification("bad_signature", "the signature does not hold"),
            "do not believe it; ask its author for the original";
    }
}
