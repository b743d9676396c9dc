//! Views of a session: pure functions of its state.

mod entry;
mod outputs;
mod resume;
mod status;
mod tip;

pub use entry::{Entry, Overview};
pub use outputs::current_outputs;
pub use resume::{Candidate, Query, Subject, WhyMatched, order, rank};
pub use status::{RunStatus, run_status};
pub use tip::{last_activity, preferred_tip};
