//! Why a schedule cannot be read: a stable code, a message, and what to do about it.

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
    /// A workflow's schedule cannot be read.
    #[error("workflow `{workflow}`: {error}")]
    In {
        /// Which workflow.
        workflow: String,
        /// What is wrong.
        error: Box<Error>,
    },
}

impl Error {
    /// The stable name of this failure.
    ///
    /// ```
    /// assert_eq!(schedule::Error::UnknownZone { name: "Mars".into() }.code(), "unknown_zone");
    /// ```
    pub fn code(&self) -> &'static str {
        match self {
            Error::Plan(error) => match error.code {
                oql::Code::TooLarge => "too_large",
                oql::Code::TooDeep => "too_deep",
                oql::Code::NotUtf8 => "not_utf8",
                _ => "too_complex",
            },
            Error::Unreadable { .. } | Error::UnknownPolicy { .. } => "bad_schedule",
            Error::UnknownZone { .. } => "unknown_zone",
            Error::BadQuestion { .. } => "bad_option",
            Error::In { error, .. } => error.code(),
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> &str {
        match self {
            Error::Plan(error) => &error.hint,
            Error::Unreadable { .. } => "write five fields of cron, or a date as Org does: <2026-06-11 Thu 09:30 +1d>",
            Error::UnknownZone { .. } => "use a name of the IANA database, such as Europe/Berlin or UTC",
            Error::UnknownPolicy { .. } => "write skip, once or all",
            Error::BadQuestion { .. } => "give a schedule as `in_plan` gives it",
            Error::In { error, .. } => error.hint(),
        }
    }
}
