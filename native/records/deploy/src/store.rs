//! Looking: nobody has to wait for anybody.

use crate::Error;
use crate::change::Change;
use crate::current::{Current, Live};
use crate::log::{self, Entry};
use crate::place::Place;
use crate::version::{self, Version};
use std::path::PathBuf;

/// The versions of one workbook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    place: Place,
}

impl Store {
    /// The store in a directory, which is made when somebody deploys.
    pub fn at(dir: impl Into<PathBuf>) -> Store {
        Store {
            place: Place(dir.into()),
        }
    }

    /// What is live, if anything is.
    pub fn live(&self) -> Result<Option<Live>, Error> {
        Ok(Current::read(&self.place)?.map(|current| current.live(&self.place)))
    }

    /// A version, live or kept.
    pub fn version(&self, n: u64) -> Result<Version, Error> {
        version::read(&self.place, n)
    }

    /// A version, with every artifact held against its hash.
    pub fn verify(&self, n: u64) -> Result<Version, Error> {
        version::verify(&self.place, n)
    }

    /// Everything that ever went live, the newest last.
    pub fn history(&self) -> Result<Vec<Entry>, Error> {
        let current = Current::read(&self.place)?;
        log::read(&self.place, current.as_ref())
    }

    /// The right to change it, until it is dropped. Whoever comes second gets [`Error::Conflict`].
    pub fn begin(&self) -> Result<Change, Error> {
        Change::begin(&self.place)
    }
}
