//! Named places where a test can end the process.
//!
//! `WORKBOOKS_FAULT=log.synced` sends SIGKILL to the own process when it first comes by there, `log.synced:3` the third
//! time. Without the variable a point costs one atomic load. It is in every build, because the processes that tests kill
//! are ordinary ones. Whoever can set the variable can kill the process anyway.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

use std::env;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

struct Fault {
    name: String,
    /// How often the process may still come by.
    left: AtomicU64,
}

/// Ends the process here, if that is wanted.
pub fn point(name: &str) {
    if reached(name) {
        die();
    }
}

/// Whether the process is to end here; then the caller may spoil something first.
pub fn reached(name: &str) -> bool {
    static FAULT: OnceLock<Option<Fault>> = OnceLock::new();
    match FAULT.get_or_init(|| parse(&env::var("WORKBOOKS_FAULT").ok()?)) {
        Some(fault) if fault.name == name => fault.left.fetch_sub(1, Relaxed) == 1,
        _ => false,
    }
}

/// Ends the process as `kill -9` does: nothing is flushed, nothing is dropped.
pub fn die() -> ! {
    use rustix::process::{Signal, getpid, kill_process};
    let _ = kill_process(getpid(), Signal::KILL);
    std::process::abort()
}

fn parse(text: &str) -> Option<Fault> {
    let (name, times) = text.split_once(':').unwrap_or((text, "1"));
    Some(Fault {
        name: name.to_owned(),
        left: AtomicU64::new(times.parse().ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_a_name_and_a_time() {
        for (text, expected) in [
            ("log.synced", Some(("log.synced", 1))),
            ("log.synced:3", Some(("log.synced", 3))),
            ("log.synced:x", None),
        ] {
            let fault = parse(text);
            let found = fault.as_ref().map(|f| (f.name.as_str(), f.left.load(Relaxed)));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn nobody_dies_without_being_asked() {
        assert!(!reached("nowhere"));
        point("nowhere");
    }
}
