//! Views of a session: pure functions of its state.

mod outputs;
mod resume;
mod status;
mod tip;

pub use outputs::current_outputs;
pub use resume::{Candidate, Query, Subject, WhyMatched, rank};
pub use status::{RunStatus, run_status};
pub use tip::{last_activity, preferred_tip};
