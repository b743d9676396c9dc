//! Why a schedule cannot be read: a stable code, a message, and what to do about it.

use failure::codes::BAD_OPTION;
use failure::{Code, fails};
use thiserror::Error;

/// Why a schedule cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The plan cannot be read at all.
    #[error("{}", .0.message)]
    Plan(oql::Error),
    /// The fields, the date or the repeater.
    #[error("the schedule `{text}` cannot be read: {why}")]
    Unreadable {
        /// What was written.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// `:TZ:` names no zone.
    #[error("there is no time zone `{name}`")]
    UnknownZone {
        /// What was written.
        name: String,
    },
    /// `:CATCHUP:` is none of the three.
    #[error("`{policy}` is no way to catch up")]
    UnknownPolicy {
        /// What was written.
        policy: String,
    },
    /// A question that is not of the right shape.
    #[error("this is no question about a schedule: {why}")]
    BadQuestion {
        /// What is wrong with it.
        why: String,
    },
}

fails! {
    Error {
        Error::Unreadable { .. } => BAD_SCHEDULE,
            "write five fields of cron, or a date as Org does: <2026-06-11 Thu 09:30 +1d>";
        Error::UnknownPolicy { .. } => BAD_SCHEDULE, "write skip, once or all";
        Error::UnknownZone { .. } => Code::usage("unknown_zone", "there is no such time zone"),
            "use a name of the IANA database, such as Europe/Berlin or UTC";
        Error::BadQuestion { .. } => BAD_OPTION, "give a schedule as `in_plan` gives it";
    }
    of {
        Error::Plan(error) => error: oql::Error;
    }
}

const BAD_SCHEDULE: Code = Code::usage("bad_schedule", "the schedule of a workflow cannot be read");
