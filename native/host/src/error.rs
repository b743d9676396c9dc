//! Why a guest gave no answer.

use conformance::Nonconformance;
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
