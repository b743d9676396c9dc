//! Where a test may end the process that changes the tokens.

durable::points! {
    /// Every point on the way of a change.
    pub const FAULTS = ["tokens.written", "tokens.synced", "tokens.placed"];
}
