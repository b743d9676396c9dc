//! The shell with its commands: every one of them a WebAssembly instance.
//!
//! [`Shell::run`] runs a script of the language in crate `sh`. A command that is no builtin is looked up in the
//! [`Registry`], and each stage of a pipeline is an instance of its own; they run at once, connected by pipes in memory.
//! The working directory is `/`, and the only directory there is.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod capture;
mod commands;
mod error;
mod job;

use host::Registry;

pub use capture::{Capture, Channel, Hear};
pub use error::Error;
pub use fence::{Listener, Stamp};
pub use job::{Finished, Job, Shell};
pub use shell_exec::{BASH_BUILTINS, BUILTINS, Broken, Dialect, Error as ScriptError, Limits, Seal, Stage};

/// Every word that a script may call, in whichever dialect: the builtins, the shell itself, and the commands of the
/// registry.
///
/// # Errors
///
/// The registry's own, when its index cannot be read.
pub fn words(registry: &Registry) -> Result<Vec<String>, host::Error> {
    let own = BUILTINS.iter().chain(BASH_BUILTINS).copied().chain(["sh", "bash"]);
    let mut words: Vec<String> = own.map(str::to_owned).collect();
    words.extend(registry.names()?);
    words.sort();
    words.dedup();
    Ok(words)
}
