//! What is live in a directory that holds the stores of many workbooks.

use crate::Error;
use crate::current::Current;
use crate::log::Entry;
use crate::place::Place;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::Path;

/// A workbook that is deployed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Listed {
    /// Its id: the name of its directory.
    pub id: String,
    /// What made its version live.
    #[serde(flatten)]
    pub entry: Option<Entry>,
    /// Why nobody can tell which version is live.
    pub problem: Option<Problem>,
}

/// What is wrong with a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Problem {
    /// The stable name of the failure.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

/// Every workbook that is deployed below `root`, by id. One whose store is damaged is among them, with its problem; a
/// directory in which nothing ever went live is not.
///
/// ```
/// # let root = tempfile::tempdir().unwrap();
/// let mut change = deploy::Store::at(root.path().join("report")).begin()?;
/// change.stage(b"* Report :workflow:\n", &serde_json::json!({}), &[])?;
/// change.commit(&deploy::Note::by("ada", 1_700_000_000_000))?;
///
/// let listed = deploy::list(root.path())?;
/// assert_eq!((listed[0].id.as_str(), listed[0].entry.as_ref().unwrap().version), ("report", 1));
/// # Ok::<(), deploy::Error>(())
/// ```
pub fn list(root: &Path) -> Result<Vec<Listed>, Error> {
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(cause) => return Err(Error::io("read", root)(cause)),
    };
    let mut listed = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Error::io("read", root))?;
        let Ok(id) = entry.file_name().into_string() else {
            continue;
        };
        match Current::read(&Place(entry.path())) {
            Ok(None) => {}
            Ok(Some(current)) => listed.push(Listed {
                id,
                entry: Some(current.entry),
                problem: None,
            }),
            Err(error) => listed.push(Listed {
                id,
                entry: None,
                problem: Some(Problem {
                    code: error.code().to_owned(),
                    message: error.to_string(),
                    hint: error.hint().to_string(),
                }),
            }),
        }
    }
    listed.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(listed)
}
