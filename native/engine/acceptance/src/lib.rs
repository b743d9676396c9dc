//! What a check is, and what its answer means. Runs, sessions, toolkit recipes, `wbx` and the BEAM all ask here.
//!
//! - [`Check::of`] reads the check of a task. One that cannot be passed (empty, in a foreign language, wrong in the plan)
//!   is a check as well: it fails with its reason.
//! - [`run`] asks it in the WASM shell, with the working directory and nothing else, and judges the answer; [`ask`] does
//!   so for whoever can wait.
//! - [`Verdict`] says whether it passed, and what can be proven of it: commands and files by their hashes.
//! - [`unproven`] says why a record does not support a DONE.
//!
//! There is no way from doubt to a pass. The command runs in a subshell; when that ends with status 0 the shell itself writes
//! a line with a fresh nonce. A pass is this very line as the last of standard output, status 0, no command that was missing
//! or broke, and at least one command that ran. Everything else is a failure that names the check and says why.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod check;
mod journal;
mod judge;
mod run;
mod unproven;
mod verdict;

pub use check::{Check, Task};
pub use journal::Writes;
pub use run::{MEMORY, Place, TIME, Work, ask, run};
pub use unproven::{Last, unproven};
pub use verdict::{Command, ReadFile, Verdict};
