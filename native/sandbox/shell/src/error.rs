//! Why a run has no result.

use failure::codes::{CANCELLED, IO, NOT_FOUND, OUTPUT_TOO_LARGE, TIMEOUT};
use failure::{Code, fails};
use std::io::ErrorKind;
use std::time::Duration;

/// What ends a whole run. A command that fails only ends itself, with a status.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The script broke a bound, or reached for something outside of its directory.
    #[error(transparent)]
    Script(#[from] shell_exec::Error),
    /// The time is up.
    #[error("the script did not finish within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// Whoever asked is gone, or changed their mind.
    #[error("the script was stopped")]
    Cancelled,
    /// It printed more than it may.
    #[error("the script printed more than {0} bytes")]
    OutputTooLarge(usize),
    /// It was given more input than it may have.
    #[error("the input has {0} bytes, the limit is {1}")]
    StdinTooLarge(usize, usize),
    /// The working directory cannot be opened.
    #[error("the working directory cannot be opened: {0}")]
    Workdir(std::io::Error),
    /// What is read only cannot be found, so it cannot be kept.
    #[error("what is read only cannot be found: {0}")]
    ReadOnly(std::io::Error),
}

fails! {
    Error {
        Error::Timeout(_) => TIMEOUT, "give it more time, or less to do";
        Error::Cancelled => CANCELLED, "run it again";
        Error::OutputTooLarge(_) => OUTPUT_TOO_LARGE, "write to a file, or raise the limit `output`";
        Error::StdinTooLarge(..) => Code::too_large("stdin_too_large", "a script is given more input than it may have"),
            "put the input into a file of the working directory";
        Error::Workdir(why) | Error::ReadOnly(why) if why.kind() == ErrorKind::NotFound => NOT_FOUND, "check the working directory";
        Error::Workdir(_) | Error::ReadOnly(_) => IO, "check that the working directory can be read";
    }
    of {
        Error::Script(error) => error: shell_exec::Error;
    }
}
