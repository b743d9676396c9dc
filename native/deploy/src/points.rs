//! The points where a test can end a process that deploys, see the crate `fault`.

/// Every point, in the order in which a deploy and a rollback come by.
pub const FAULTS: &[&str] = &[
    "change.locked",
    "change.swept",
    // A version comes together under a name that nobody looks for.
    "stage.plan",
    "stage.artifact",
    "stage.record",
    "stage.synced",
    // The components have checkpointed; the disk is about to be copied.
    "snapshot.asked",
    // The version gets its name, and then it goes live.
    "version.placed",
    "version.synced",
    "current.written",
    "current.synced",
    "current.placed",
    "current.committed",
    "history.torn",
    "history.written",
    "history.synced",
    // A rollback has given the disk back.
    "restore.done",
];

/// Ends the process here, if that is wanted.
pub(crate) fn point(name: &'static str) {
    if reached(name) {
        fault::die();
    }
}

/// Whether the process is to end here; then the caller may spoil something first.
pub(crate) fn reached(name: &'static str) -> bool {
    debug_assert!(FAULTS.contains(&name), "{name} is not on the list");
    fault::reached(name)
}
