//! Why the tokens cannot be read or changed.

use failure::codes::{BUSY, CORRUPT, DISK_FULL, IO, NOT_PRIVATE, UNKNOWN_VERSION};
use failure::{Code, fails};
use std::io;
use thiserror::Error;

/// Why the tokens cannot be read or changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The machine refused.
    #[error("the tokens cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// The file is damaged.
    #[error("the file of tokens is damaged: {0}")]
    Corrupt(String),
    /// The file was written by another Workbooks.
    #[error("the file of tokens has format {0}, and this Workbooks knows format 1")]
    Version(u32),
    /// Others may read or write the file.
    #[error("the file of tokens can be read or written by others than its owner")]
    NotPrivate,
    /// Somebody else changes the tokens.
    #[error("somebody else changes the tokens at this moment")]
    Busy,
    /// There is no such token.
    #[error("there is no token `{0}`")]
    Unknown(String),
    /// There are too many.
    #[error("there are {0} tokens already")]
    TooMany(usize),
    /// The name is no name.
    #[error("the name of a token is a line of up to {0} characters")]
    Name(usize),
    /// A token that allows nothing.
    #[error("a token needs at least one scope")]
    NoScope,
    /// A token whose time is up before it is made.
    #[error("the token would be expired already")]
    Expired,
}

fails! {
    Error {
        Error::Io(cause) if cause.kind() == io::ErrorKind::StorageFull => DISK_FULL, "make room";
        Error::Io(_) => IO, "see that the state directory is yours";
        Error::Corrupt(_) => CORRUPT, "move it away, and make the tokens anew";
        Error::Version(_) => UNKNOWN_VERSION, "use the Workbooks that wrote it";
        Error::NotPrivate => NOT_PRIVATE, "chmod 600 it, and revoke what others may have read";
        Error::Busy => BUSY, "try again";
        Error::Unknown(_) => Code::not_found("unknown_token", "no token has that id"), "list them with `wbx token list`";
        Error::TooMany(_) => Code::limit("too_many_tokens", "there are as many tokens as there may be"), "revoke some";
        Error::Name(_) => failure::codes::INVALID_NAME, "give it a short name that says who uses it";
        Error::NoScope => failure::codes::BAD_OPTION, "give one or more of read, write, run, admin";
        Error::Expired => failure::codes::BAD_OPTION, "give it a time that lies ahead";
    }
}
