//! The points where a test can end a process that imports, see the crate `durable`.

durable::points! {
    /// Every point, in the order in which an import comes by.
    pub const FAULTS = [
        // The new directory, under a name that nobody looks for.
        "import.staged",
        "import.synced",
        "import.placed",
        // The section in the manifest.
        "audit.written",
        "audit.synced",
        "audit.placed",
    ];
}
