//! A version comes together under a name that nobody looks for.

use crate::Error;
use crate::place::Place;
use crate::points::{named, point};
use crate::version::{self, Record};
use durable::NewDirectory;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// A version that is complete but for the copy of the disk.
#[derive(Debug)]
pub(crate) struct Staged {
    pub version: u64,
    /// Where it is until it is placed.
    pub dir: PathBuf,
    new: NewDirectory,
}

impl Staged {
    pub fn new(
        place: &Place,
        version: u64,
        parent: Option<u64>,
        plan: &[u8],
        about: &Value,
        artifacts: &[(String, PathBuf)],
    ) -> Result<Staged, Error> {
        let target = place.version(version);
        let failed = Error::io("write", &target);
        let new = NewDirectory::private(&target, &place.staging(version)).map_err(&failed)?;
        new.write("workbook.org", plan).map_err(&failed)?;
        point("stage.plan");
        new.dir().create_dir("artifacts").map_err(&failed)?;
        let mut listed = Vec::new();
        for (name, from) in artifacts {
            listed.push(version::copy_artifact(from, &new, name)?);
            point("stage.artifact");
        }
        let record = Record::new(version, parent, plan, listed, about);
        let json = serde_json::to_vec_pretty(&record).map_err(|why| Error::damaged(&target, why))?;
        new.write("version.json", &json).map_err(&failed)?;
        point("stage.record");
        Ok(Staged {
            version,
            dir: new.path().to_owned(),
            new: new.points([named("stage.synced"), named("version.placed")]),
        })
    }

    /// Gives it its name, for good.
    pub fn place(self, place: &Place) -> Result<u64, Error> {
        let target = place.version(self.version);
        self.new.place_new().map_err(Error::io("place", &target))?;
        point("version.synced");
        Ok(self.version)
    }
}

/// Removes what a killed process left: versions that came together and never went live.
pub(crate) fn sweep(place: &Place, newest: u64) -> Result<(), Error> {
    let dir = place.versions();
    for entry in fs::read_dir(&dir).map_err(Error::io("read", &dir))? {
        let entry = entry.map_err(Error::io("read", &dir))?;
        let number = entry.file_name().to_str().and_then(|name| name.parse::<u64>().ok());
        if number.is_none_or(|n| n > newest) {
            let path = entry.path();
            fs::remove_dir_all(&path).map_err(Error::io("remove", &path))?;
        }
    }
    Ok(())
}
