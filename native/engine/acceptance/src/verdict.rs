//! What came of a check.

use crate::check::Check;
use oql::Circular;
use serde::Serialize;

/// What came of a check, and what can be proven of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it passed.
    pub pass: bool,
    /// What was asked.
    pub how: String,
    /// Why it did not pass.
    pub reason: Option<String>,
    /// The status that it ended with, if it came to an end.
    pub status: Option<u8>,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained about.
    pub stderr: Vec<u8>,
    /// The paths in the working directory that the check itself made, changed or removed. A check proves, it does not do.
    pub changed: Vec<String>,
    /// Why it proves nothing new, if it does not.
    pub circular: Option<Circular>,
    /// The commands that ran, each once.
    pub commands: Vec<Command>,
    /// The files of the working directory that were opened for reading, each once.
    pub files_read: Vec<ReadFile>,
}

/// A WASM command that ran.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Command {
    /// Its name.
    pub name: String,
    /// The SHA-256 of its module, in hexadecimal.
    pub sha256: Option<String>,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ReadFile {
    /// Where it lies in the working directory.
    pub path: String,
    /// The SHA-256 of what it held when it was first opened, in hexadecimal; none for one that is too large.
    pub sha256: Option<String>,
}

impl Verdict {
    /// For a task without a check.
    pub fn unchecked() -> Verdict {
        Verdict {
            pass: true,
            ..Verdict::failed("no check: the worker's word".to_owned(), None)
        }
    }

    /// For a check that could not be run. An unfit one says why it is.
    pub fn cannot_run(check: &Check, why: &str) -> Verdict {
        match check {
            Check::Unfit { reason } => Verdict::failed(String::new(), Some(reason.clone())),
            Check::Fit { how, .. } => Verdict::failed(how.clone(), Some(format!("the check could not be run: {why}"))),
        }
    }

    /// For a check that was not run to its end.
    pub(crate) fn failed(how: String, reason: Option<String>) -> Verdict {
        Verdict {
            pass: false,
            how,
            reason,
            status: None,
            stdout: Vec::new(),
            stderr: Vec::new(),
            changed: Vec::new(),
            circular: None,
            commands: Vec::new(),
            files_read: Vec::new(),
        }
    }

    /// What is odd about the check, whether it passed or not.
    pub fn warnings(&self) -> Vec<String> {
        let circular = self.circular.as_ref().map(|it| format!("{}: {}", it.code, it.message));
        let changed = (!self.changed.is_empty()).then(|| {
            let changed = listed(&self.changed);
            format!("the check changed the working directory, which it should only look at: {changed}")
        });
        circular.into_iter().chain(changed).collect()
    }
}

/// The first few of many.
pub(crate) fn listed(paths: &[impl AsRef<str>]) -> String {
    const SHOWN: usize = 5;
    let first: Vec<String> = paths
        .iter()
        .take(SHOWN)
        .map(|path| format!("`{}`", path.as_ref()))
        .collect();
    match paths.len().saturating_sub(SHOWN) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
