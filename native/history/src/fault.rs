//! The points where a test can end a process that records a run, see the crate `fault`.

pub(crate) use ::fault::die;

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
    debug_assert!(FAULTS.contains(&name), "{name} is not on the list");
    ::fault::reached(name)
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
