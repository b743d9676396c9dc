//! The points where a test can end a process that records a run, see the crate `durable`.

pub(crate) use durable::fault::die;

durable::points! {
    /// Every point, in the order in which a first run comes by.
    pub const FAULTS = [
        // The key of a new history directory.
        "key.synced",
        "key.placed",
        // Opening a run.
        "open.locked",
        "open.recovered",
        "open.recorded",
        // The line that hangs the run on the one before, and the note of the newest run.
        "run.linked",
        "head.written",
        "head.synced",
        "head.placed",
        // The outline of the plan.
        "outline.sealed",
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
        "copies.appended",
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
        "plan.noted",
        // The end of a run.
        "close.ended",
        "close.marked",
        "close.unlocked",
    ];
}
