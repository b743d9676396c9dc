//! What becomes of runs that were missed.

use crate::Error;
use serde::{Deserialize, Serialize};

/// What becomes of runs whose time passed while nobody was there to start them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Catchup {
    /// They are let go.
    Skip,
    /// One run stands for all of them.
    #[default]
    Once,
    /// Each is made up for, in order.
    All,
}

impl Catchup {
    /// Reads `:CATCHUP:`.
    ///
    /// ```
    /// assert_eq!(schedule::Catchup::read("all"), Ok(schedule::Catchup::All));
    /// assert_eq!(schedule::Catchup::read("some").unwrap_err().code(), "bad_schedule");
    /// ```
    pub fn read(word: &str) -> Result<Catchup, Error> {
        match word {
            "skip" => Ok(Catchup::Skip),
            "once" => Ok(Catchup::Once),
            "all" => Ok(Catchup::All),
            _ => Err(Error::UnknownPolicy { policy: word.into() }),
        }
    }
}
