//! Why a guest gave no answer.

use conformance::Nonconformance;
use failure::codes::{
    BUSY, CANCELLED, ENGINE_UNAVAILABLE, IO, NOT_FOUND, NOT_GRANTED, NOT_PRIVATE, TOO_COMPLEX, UNFIT,
};
use failure::{Code, fails};
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::time::Duration;

/// The closed set of host failures. A failure ends one call; the next one works.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The guest used up its wall time.
    #[error("the guest did not finish within {} ms", .0.as_millis())]
    Deadline(Duration),
    /// The guest asked for more memory than it may have.
    #[error("the guest needs more than {} MiB of memory", .0 >> 20)]
    Memory(usize),
    /// The guest trapped: a panic, a stack overflow, an illegal instruction.
    #[error("the guest trapped: {0}")]
    Trap(String),
    /// The guest gave up by itself, with this status; what it wrote last to its standard error.
    #[error("the guest exited with status {}{}", .0, said(.1))]
    Exited(i32, Option<String>),
    /// Whoever asked is gone, or changed their mind.
    #[error("the call was cancelled")]
    Cancelled,
    /// Too much work is waiting already.
    #[error("{0} jobs are waiting already")]
    Busy(usize),
    /// The bytes are not a component that fits.
    #[error("{0}")]
    Unfit(String),
    /// The bytes are no component at all.
    #[error("not a component")]
    NotAComponent,
    /// A component of another world: everything about it that does not fit.
    #[error("{}", .0.join("; "))]
    Nonconforming(Vec<String>),
    /// The component imports what its grant does not open.
    #[error("import `{import}` needs the capability `{capability}`, which is not granted")]
    NotGranted {
        /// The import.
        import: &'static str,
        /// The capability it stands behind.
        capability: &'static str,
    },
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// Which one.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The compiled-code cache lies where others could have written to it.
    #[error("{0} is not private to this user (it must be a directory of mode 0700, its key a file of mode 0600)")]
    NotPrivate(String),
    /// The engine itself could not start.
    #[error("the WebAssembly engine did not start: {0}")]
    Engine(String),
}

fails! {
    Error {
        Error::Deadline(_) => Code::limit("cpu_timeout", "the time of a guest is up, also when it waited in a host call"),
            "give it more time, or less to do";
        Error::Memory(_) => Code::limit("memory_limit", "a guest wanted more memory than it may have"),
            "give it more memory, or less to do";
        Error::Trap(_) | Error::Exited(..) => Code::other("trap", "a guest panicked, overflowed its stack, printed too much or gave up"),
            "mend the component; the message has what it said last";
        Error::Cancelled => CANCELLED, "call again";
        Error::Busy(_) => BUSY, "try again later, or raise `config :workbooks, queue:`";
        Error::Unfit(_) => UNFIT, "see the message for what it lacks";
        Error::NotAComponent => Code::verification("not_a_component", "a core module, or bytes that are not WebAssembly"),
            "build it as a component";
        Error::Nonconforming(_) => Code::verification("nonconforming", "a component of another world; `details` has the `findings`"),
            "build it for a world of wit/engine.wit";
        Error::NotGranted { .. } => NOT_GRANTED, "use a profile that grants it";
        Error::File { source, .. } if source.kind() == ErrorKind::NotFound => NOT_FOUND, "check the path";
        Error::File { .. } => IO, "check the path and its permissions";
        Error::NotPrivate(_) => NOT_PRIVATE, "make it yours, and writable by nobody else (chmod go-w)";
        Error::Engine(_) => ENGINE_UNAVAILABLE,
            "see the message; `wbx doctor` checks what it needs";
    }
    details facts
}

fn facts(error: &Error) -> Option<Value> {
    match error {
        Error::Nonconforming(findings) => Some(json!({"findings": findings})),
        Error::NotGranted { import, capability } => Some(json!({"import": import, "capability": capability})),
        _ => None,
    }
}

/// A failure of the kernel's own component, which means something else than that of a stranger's: whoever calls the
/// kernel gave it a text, and has no component to mend.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct KernelError(#[from] pub Error);

fails! {
    KernelError {
        KernelError(Error::Deadline(_)) => TOO_COMPLEX, "split the plan, or look for a block that is never closed";
        KernelError(Error::Memory(_)) => TOO_COMPLEX, "split the plan";
        KernelError(Error::Trap(_) | Error::Exited(..)) => Code::other("kernel_crashed", "the kernel failed on this text: a bug; the next call works"),
            "report the text that caused it";
        KernelError(Error::Cancelled) => CANCELLED, "call again";
        KernelError(error @ Error::Busy(_)) => BUSY, failure::Fails::advice(error);
        KernelError(_) => Code::other("kernel_unavailable", "the kernel component is missing or unfit"), "run `make build`";
    }
}

impl Error {
    pub(crate) fn file(path: &std::path::Path, source: std::io::Error) -> Self {
        Error::File {
            path: path.display().to_string(),
            source,
        }
    }
}

fn said(said: &Option<String>) -> String {
    said.as_ref().map_or(String::new(), |text| format!(": {text}"))
}

impl From<Nonconformance> for Error {
    fn from(found: Nonconformance) -> Self {
        match found {
            Nonconformance::NotAComponent => Error::NotAComponent,
            Nonconformance::Findings(findings) => Error::Nonconforming(findings),
        }
    }
}
