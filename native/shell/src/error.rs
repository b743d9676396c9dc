//! Why a run has no result.

use std::time::Duration;

/// What ends a whole run. A command that fails only ends itself, with a status.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The script broke a bound, or reached for something outside of its directory.
    #[error(transparent)]
    Script(#[from] sh::Error),
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
}

impl Error {
    /// The stable name of this failure.
    pub const fn code(&self) -> &'static str {
        match self {
            Error::Script(error) => error.code(),
            Error::Timeout(_) => "timeout",
            Error::Cancelled => "cancelled",
            Error::OutputTooLarge(_) => "output_too_large",
            Error::StdinTooLarge(..) => "stdin_too_large",
            Error::Workdir(_) => "workdir",
        }
    }

    /// What to do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            Error::Script(error) => error.hint(),
            Error::Timeout(_) => "give it more time, or less to do",
            Error::Cancelled => "run it again",
            Error::OutputTooLarge(_) => "write to a file, or raise the limit `output`",
            Error::StdinTooLarge(..) => "put the input into a file of the working directory",
            Error::Workdir(_) => "check that the directory exists and can be read",
        }
    }
}
