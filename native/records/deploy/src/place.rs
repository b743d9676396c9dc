//! Where the files of a store are.

use crate::Error;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The paths of one store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place(pub PathBuf);

impl Place {
    pub fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }

    pub fn current(&self) -> PathBuf {
        self.0.join("current")
    }

    pub fn history(&self) -> PathBuf {
        self.0.join("history.jsonl")
    }

    pub fn versions(&self) -> PathBuf {
        self.0.join("versions")
    }

    pub fn version(&self, n: u64) -> PathBuf {
        self.versions().join(n.to_string())
    }

    /// The name under which version `n` comes together.
    pub fn staging(&self, n: u64) -> String {
        format!(".staged-{n}")
    }
}

pub(crate) fn create_private(dir: &Path) -> Result<(), Error> {
    durable::create_private(dir).map_err(Error::io("make the directory", dir))
}

pub(crate) fn sync_directory(dir: &Path) -> Result<(), Error> {
    durable::sync_directory(dir).map_err(Error::io("sync", dir))
}

/// Reads a JSON file whose `format` is ours. `None` when there is no file.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, Error> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(Error::io("read", path)(cause)),
    };
    let value: Value = serde_json::from_slice(&bytes).map_err(|why| Error::damaged(path, why))?;
    match value.get("format").and_then(Value::as_u64) {
        Some(found) if found == u64::from(crate::FORMAT) => {}
        Some(found) => {
            return Err(Error::UnknownFormat {
                path: path.to_owned(),
                found,
            });
        }
        None => return Err(Error::damaged(path, "it has no format")),
    }
    serde_json::from_value(value)
        .map(Some)
        .map_err(|why| Error::damaged(path, why))
}
