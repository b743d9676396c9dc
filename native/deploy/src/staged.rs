//! A version comes together under a name that nobody looks for.

use crate::Error;
use crate::place::{self, Place};
use crate::points::point;
use crate::version::{self, Record};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// A version that is complete but for the copy of the disk.
#[derive(Debug)]
pub(crate) struct Staged {
    pub version: u64,
    pub dir: PathBuf,
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
        let dir = place.staging(version);
        let built = dir.join("artifacts");
        place::create_private(&built)?;
        place::write_synced(&dir.join("workbook.org"), plan)?;
        point("stage.plan");
        let mut listed = Vec::new();
        for (name, from) in artifacts {
            listed.push(version::copy_artifact(from, &built, name)?);
            point("stage.artifact");
        }
        let record = Record::new(version, parent, plan, listed, about);
        let path = dir.join("version.json");
        let json = serde_json::to_vec_pretty(&record).map_err(|why| Error::damaged(&path, why))?;
        place::write_synced(&path, &json)?;
        point("stage.record");
        place::sync_directory(&built)?;
        place::sync_directory(&dir)?;
        point("stage.synced");
        Ok(Staged { version, dir })
    }

    /// Gives it its name, for good.
    pub fn place(self, place: &Place) -> Result<u64, Error> {
        let target = place.version(self.version);
        place::sync_directory(&self.dir)?;
        fs::rename(&self.dir, &target).map_err(Error::io("place", &target))?;
        point("version.placed");
        place::sync_directory(&place.versions())?;
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
