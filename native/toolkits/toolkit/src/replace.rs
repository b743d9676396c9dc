//! Files that appear whole or not at all, below a directory that is open.
//!
//! [`FAULTS`] names every boundary on the way, for tests that end the process there.

use crate::Error;
use cap_std::fs::Dir;
use durable::Target;

durable::points! {
    /// The points, in the order in which a file comes by.
    pub const FAULTS = ["toolkit.written", "toolkit.synced", "toolkit.placed"];
}

const POINTS: [durable::Point; 3] = [
    named("toolkit.written"),
    named("toolkit.synced"),
    named("toolkit.placed"),
];

pub(crate) fn replace(dir: &Dir, name: &str, bytes: &[u8]) -> Result<(), Error> {
    Target::within(dir, name)
        .and_then(|target| target.mode(0o666).points(POINTS).replace(bytes))
        .map_err(Error::io("write", name))
}
