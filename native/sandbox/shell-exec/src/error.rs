//! Why a run was ended: a stable code, a message, and what to do about it.

use failure::codes::TOO_DEEP;
use failure::{Code, fails};
use shell_grammar::Bound;
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
    /// More was written to files than may be.
    #[error("the script wrote too many bytes to files")]
    TooMuchWritten,
    /// The port that starts commands gave up.
    #[error("{0}")]
    Port(String),
}

fails! {
    Error {
        Error::OutsideSandbox(_) => Code::other("outside_sandbox", "a path leads out of the working directory; `details` has it"),
            "keep to the working directory, which is `/`";
        Error::ScriptTooLong => Code::limit("script_too_long", "a script, or a text it evaluates, is too long"),
            "split the script, or raise the limit `script`";
        Error::TooDeep => TOO_DEEP, "nest less, or raise the limit `nesting`";
        Error::TooManySteps => Code::limit("too_many_steps", "a script takes too many steps"),
            "let commands do the loops, or raise the limit `steps`";
        Error::TooManyPipes => Code::limit("too_many_pipes", "a script has too many pipes open at once"),
            "use fewer stages at once, or raise the limit `pipes`";
        Error::TooManyJobs => Code::limit("too_many_jobs", "a script has too many commands in the background"),
            "wait for jobs before starting more, or raise the limit `jobs`";
        Error::ArgvTooLong => Code::limit("argv_too_long", "the arguments of a command are too long"),
            "use xargs, or raise the limit `argv`";
        Error::TooMuchMemory => Code::limit("too_much_memory", "the variables of a script hold too many bytes"),
            "keep data in files and pipes, or raise the limit `memory`";
        Error::TooMuchWritten => Code::limit("too_much_written", "a script and its commands write too many bytes to files"),
            "write less, or raise the limit `written`";
        Error::Port(_) => Code::other("port", "what starts commands gave up"), "see the message";
    }
    details facts
}

/// The path that leads out.
fn facts(error: &Error) -> Option<serde_json::Value> {
    match error {
        Error::OutsideSandbox(path) => Some(serde_json::json!({"path": path})),
        _ => None,
    }
}

impl From<Bound> for Error {
    fn from(bound: Bound) -> Error {
        match bound {
            Bound::ScriptTooLong => Error::ScriptTooLong,
            Bound::TooDeep => Error::TooDeep,
            Bound::TooMuchMemory => Error::TooMuchMemory,
        }
    }
}
