//! The directory that holds the stores of many workbooks, each below its id.

use crate::{Entry, Error, Listed, Store, list};
use std::path::PathBuf;

/// The workbooks of a data directory. Looking at them waits for nobody: a version is swapped in by the rename of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workbooks {
    root: PathBuf,
}

impl Workbooks {
    /// Those of a data directory.
    pub fn of_data(dir: impl Into<PathBuf>) -> Workbooks {
        Workbooks {
            root: dir.into().join("workbooks"),
        }
    }

    /// The store of a workbook.
    ///
    /// ```
    /// let workbooks = deploy::Workbooks::of_data("/nowhere");
    /// assert_eq!(workbooks.store("../../etc").unwrap_err().code(), "bad_option");
    /// ```
    pub fn store(&self, id: &str) -> Result<Store, Error> {
        match is_id(id) {
            true => Ok(Store::at(self.root.join(id))),
            false => Err(Error::BadId(id.chars().take(128).collect())),
        }
    }

    /// Everything that ever went live as one workbook, the newest last.
    pub fn history(&self, id: &str) -> Result<Vec<Entry>, Error> {
        let store = self.store(id)?;
        match store.live()? {
            Some(_) => store.history(),
            None => Err(Error::NotLive(id.to_owned())),
        }
    }

    /// What is live, by id.
    pub fn list(&self) -> Result<Vec<Listed>, Error> {
        list(&self.root)
    }
}

/// Whether a text can be the id of a workbook. It becomes the name of a directory.
///
/// ```
/// assert!(deploy::is_id("weekly-report_2") && !deploy::is_id("a/b") && !deploy::is_id(".."));
/// ```
pub fn is_id(text: &str) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (1..=128).contains(&text.len()) && text.chars().all(fine)
}
