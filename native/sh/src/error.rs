//! Why a run was ended: a stable code, a message, and what to do about it.

use thiserror::Error;

/// Why a whole run has no outcome. What a script does wrong by itself is a message and a status, as in any shell.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A path leads out of the working directory. It is given as the script wrote it.
    #[error("`{0}` leads outside the sandbox")]
    OutsideSandbox(String),
    /// The script, or a text it evaluates, is too long.
    #[error("the script is too long")]
    ScriptTooLong,
    /// Commands, substitutions or calls are nested too deeply.
    #[error("the script is nested too deeply")]
    TooDeep,
    /// The script took too many steps.
    #[error("the script took too many steps")]
    TooManySteps,
    /// Too many pipes are open at once.
    #[error("the script has too many pipes open")]
    TooManyPipes,
    /// Too many commands run in the background.
    #[error("the script has too many background jobs")]
    TooManyJobs,
    /// The arguments of one command are too long.
    #[error("the arguments of a command are too long")]
    ArgvTooLong,
    /// Variables and expansions hold too many bytes.
    #[error("the script needs too much memory")]
    TooMuchMemory,
    /// The port that starts commands gave up.
    #[error("{message}")]
    Port {
        /// The stable name of its failure.
        code: &'static str,
        /// What it says.
        message: String,
    },
}

impl Error {
    /// The stable name of this failure.
    ///
    /// ```
    /// assert_eq!(sh::Error::TooDeep.code(), "too_deep");
    /// ```
    pub const fn code(&self) -> &'static str {
        match self {
            Error::OutsideSandbox(_) => "outside_sandbox",
            Error::ScriptTooLong => "script_too_long",
            Error::TooDeep => "too_deep",
            Error::TooManySteps => "too_many_steps",
            Error::TooManyPipes => "too_many_pipes",
            Error::TooManyJobs => "too_many_jobs",
            Error::ArgvTooLong => "argv_too_long",
            Error::TooMuchMemory => "too_much_memory",
            Error::Port { code, .. } => code,
        }
    }

    /// What to do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            Error::OutsideSandbox(_) => "keep to the working directory, which is `/`",
            Error::ScriptTooLong => "split the script, or raise the limit `script`",
            Error::TooDeep => "nest less, or raise the limit `nesting`",
            Error::TooManySteps => "let commands do the loops, or raise the limit `steps`",
            Error::TooManyPipes => "use fewer stages at once, or raise the limit `pipes`",
            Error::TooManyJobs => "wait for jobs before starting more, or raise the limit `jobs`",
            Error::ArgvTooLong => "use xargs, or raise the limit `argv`",
            Error::TooMuchMemory => "keep data in files and pipes, or raise the limit `memory`",
            Error::Port { .. } => "see the message",
        }
    }
}
