//! Exit codes: one table for every verb.

use failure::Kind;
use serde::{Serialize, Serializer};

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Ok = 0,
    Other = 1,
    Usage = 2,
    Unreachable = 3,
    NotFound = 4,
    Verification = 5,
    Conflict = 6,
    Auth = 7,
}

impl Exit {
    pub const ALL: [Exit; 8] = [
        Exit::Ok,
        Exit::Other,
        Exit::Usage,
        Exit::Unreachable,
        Exit::NotFound,
        Exit::Verification,
        Exit::Conflict,
        Exit::Auth,
    ];

    /// How the process ends for a kind of trouble.
    pub const fn of(kind: Kind) -> Exit {
        match kind {
            Kind::Usage => Exit::Usage,
            Kind::NotFound => Exit::NotFound,
            Kind::Verification => Exit::Verification,
            Kind::Conflict => Exit::Conflict,
            Kind::Auth => Exit::Auth,
            Kind::Unreachable => Exit::Unreachable,
            Kind::TooLarge | Kind::Limit | Kind::Busy | Kind::Other => Exit::Other,
        }
    }

    pub fn meaning(self) -> &'static str {
        match self {
            Exit::Ok => "ok",
            Exit::Other => "any other failure",
            Exit::Usage => "usage: the command line or the query cannot be read",
            Exit::Unreachable => "the engine cannot be reached",
            Exit::NotFound => "not found",
            Exit::Verification => "verification failed: there is an error-level diagnostic",
            Exit::Conflict => "conflict",
            Exit::Auth => "not authorised",
        }
    }
}

impl Serialize for Exit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(*self as u8)
    }
}
