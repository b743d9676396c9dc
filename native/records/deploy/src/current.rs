//! `current`: which version is live. Renaming a new one over it is the moment at which a version goes live.

use crate::log::Entry;
use crate::place::{self, Place};
use crate::points::{named, point};
use crate::{Error, FORMAT};
use durable::{Point, Target};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

const POINTS: [Point; 3] = [
    named("current.written"),
    named("current.synced"),
    named("current.placed"),
];

/// What is live.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Live {
    /// The version.
    pub version: u64,
    /// The copy of the disk that a rollback has to give back before the version may be used.
    pub restoring: Option<PathBuf>,
    /// Where the version lies.
    pub dir: PathBuf,
}

/// The file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Current {
    format: u32,
    pub version: u64,
    /// The version whose `before.sqlite` the disk must become.
    pub restoring: Option<u64>,
    /// What made it live. The history has it as well, a moment later.
    pub entry: Entry,
}

impl Current {
    pub fn new(entry: Entry, restoring: Option<u64>) -> Current {
        Current {
            format: FORMAT,
            version: entry.version,
            restoring,
            entry,
        }
    }

    pub fn read(place: &Place) -> Result<Option<Current>, Error> {
        place::read_json(&place.current())
    }

    pub fn write(&self, place: &Place) -> Result<(), Error> {
        let path = place.current();
        let failed = Error::io("write", &path);
        let json = serde_json::to_vec(self).map_err(|why| Error::damaged(&path, why))?;
        Target::at(&path)
            .and_then(|target| target.points(POINTS).replace(&json))
            .map_err(&failed)?;
        point("current.committed");
        Ok(())
    }

    pub fn live(&self, place: &Place) -> Live {
        Live {
            version: self.version,
            restoring: self.restoring.map(|n| place.version(n).join("before.sqlite")),
            dir: place.version(self.version),
        }
    }
}
