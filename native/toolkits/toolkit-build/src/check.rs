//! Recipes that are checks. What a check means is decided above this crate, so whoever makes a [`Foundry`](crate::Foundry)
//! hands over a function that knows.

use host::Cancel;
use shell::Shell;
use std::path::PathBuf;
use std::sync::Arc;

/// Judges a recipe that is a check.
pub type Checker = Arc<dyn Fn(Asked) -> Checked + Send + Sync>;

/// A recipe that is a check, and where it is asked.
pub struct Asked {
    /// Where it runs.
    pub shell: Shell,
    /// Its language.
    pub lang: String,
    /// Its text.
    pub script: String,
    /// `$1` and on.
    pub args: Vec<Vec<u8>>,
    /// What it sees as `/`.
    pub workdir: PathBuf,
    /// Stops it.
    pub cancel: Cancel,
}

/// What came of it.
pub struct Checked {
    /// Its status, if it came to an end.
    pub status: Option<u8>,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// What it complained about.
    pub stderr: Vec<u8>,
    /// Why it did not pass.
    pub reason: Option<String>,
}
