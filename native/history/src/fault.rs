//! Named places where a test can end the process.
//!
//! `WORKBOOKS_FAULT=log.synced` sends SIGKILL to the own process when it first comes by there, `log.synced:3` the third
//! time. Without the variable a point costs one atomic load. It is in every build, because the runs that are killed by
//! tests run in an ordinary one. Whoever can set the variable can kill the process anyway.

use std::env;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Every point, in the order in which a first run comes by.
pub const FAULTS: &[&str] = &[
    // The key of a new history directory.
    "key.synced",
    "key.placed",
    // Opening a run.
    "open.locked",
    "open.recovered",
    "open.recorded",
    // A line in the log.
    "log.torn",
    "log.written",
    "log.synced",
    // Its rows.
    "rows.inserted",
    "rows.committed",
    // The seal.
    "seal.signed",
    "seal.written",
    "seal.synced",
    "seal.placed",
    // The copies beside the plan.
    "copies.written",
    "copies.synced",
    "copies.staged",
    "copies.placed",
    "copies.kept",
    // A state in the plan.
    "plan.written",
    "plan.synced",
    "plan.ready",
    "plan.seen",
    "plan.exchanged",
    "plan.compared",
    "plan.removed",
    "plan.kept",
    // The end of a run.
    "close.marked",
    "close.unlocked",
];

struct Fault {
    name: String,
    /// How often the process may still come by.
    left: AtomicU64,
}

/// Ends the process here, if that is wanted.
pub(crate) fn point(name: &'static str) {
    #[cfg(test)]
    visit::by(name);
    if reached(name) {
        die();
    }
}

/// Whether the process is to end here; then the caller may spoil something first.
pub(crate) fn reached(name: &'static str) -> bool {
    static FAULT: OnceLock<Option<Fault>> = OnceLock::new();
    debug_assert!(FAULTS.contains(&name), "{name} is not on the list");
    match FAULT.get_or_init(|| parse(&env::var("WORKBOOKS_FAULT").ok()?)) {
        Some(fault) if fault.name == name => fault.left.fetch_sub(1, Relaxed) == 1,
        _ => false,
    }
}

/// Ends the process as `kill -9` does: nothing is flushed, nothing is dropped.
pub(crate) fn die() -> ! {
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

/// For tests of this crate: something that happens when this thread comes by.
#[cfg(test)]
pub(crate) mod visit {
    use std::cell::RefCell;

    type Visitor = Box<dyn FnMut(&str)>;

    thread_local!(static VISITOR: RefCell<Option<Visitor>> = RefCell::default());

    pub(crate) fn set(visitor: impl FnMut(&str) + 'static) {
        VISITOR.set(Some(Box::new(visitor)));
    }

    pub(super) fn by(name: &str) {
        if let Some(mut visitor) = VISITOR.take() {
            visitor(name);
            VISITOR.set(Some(visitor));
        }
    }
}
