//! Named places where a test can end the process.
//!
//! `WORKBOOKS_FAULT=import.staged` sends SIGKILL to the own process when it comes by there. Whoever can set the variable
//! can kill the process anyway.

use rustix::process::{Signal, getpid, kill_process};

/// Every point, in the order in which an import comes by.
pub const FAULTS: &[&str] = &[
    // The new directory, under a name that nobody looks for.
    "import.staged",
    "import.synced",
    "import.placed",
    // The section in the manifest.
    "audit.written",
    "audit.synced",
    "audit.placed",
];

pub(crate) fn point(name: &'static str) {
    debug_assert!(FAULTS.contains(&name), "{name} is not on the list");
    if std::env::var_os("WORKBOOKS_FAULT").is_some_and(|fault| fault == name) {
        let _ = kill_process(getpid(), Signal::KILL);
        std::process::abort();
    }
}
