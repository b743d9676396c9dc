//! The points where a test can end a process that deploys, see the crate `durable`.

durable::points! {
    /// Every point, in the order in which a deploy and a rollback come by.
    pub const FAULTS = [
        "change.locked",
        "change.swept",
        // A version comes together under a name that nobody looks for.
        "stage.plan",
        "stage.artifact",
        "stage.record",
        // The components have checkpointed; the disk is about to be copied.
        "snapshot.asked",
        // The version is on the disk, gets its name, and then it goes live.
        "stage.synced",
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
}
