//! Artifacts by name: `<sha256>.wasm` files and an index, written whole or not at all.

use crate::Error;
use crate::artifact::hex;
use durable::Target;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

const VERSION: u32 = 1;
/// How many names there is room for.
const MAX_ENTRIES: usize = 4_096;

durable::points! {
    /// Every boundary between two writes, in the order in which a file comes by; [`Shelf::put`] writes two.
    pub const FAULTS = ["shelf.written", "shelf.synced", "shelf.placed"];
}

const POINTS: [durable::Point; 3] = [named("shelf.written"), named("shelf.synced"), named("shelf.placed")];

/// A directory of artifacts.
pub struct Shelf {
    what: &'static str,
    dir: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Index {
    version: u32,
    entries: BTreeMap<String, String>,
}

impl Shelf {
    /// The shelf in `dir`, for artifacts that are called `what`.
    pub fn new(what: &'static str, dir: &Path) -> Shelf {
        Shelf {
            what,
            dir: dir.to_owned(),
        }
    }

    /// Every name with the hash of its artifact.
    ///
    /// # Errors
    ///
    /// [`Error::File`] when the index is unreadable or of another version: it grants nothing then.
    pub fn entries(&self) -> Result<BTreeMap<String, String>, Error> {
        let path = self.dir.join("index.json");
        let text = match fs::read(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            read => read.map_err(Error::file(&path))?,
        };
        let damaged = |why: String| Error::file(&path)(io::Error::new(io::ErrorKind::InvalidData, why));
        let index: Index = serde_json::from_slice(&text).map_err(|e| damaged(e.to_string()))?;
        match index.version {
            VERSION => Ok(index.entries),
            other => Err(damaged(format!(
                "it has version {other}, and this program knows version {VERSION}"
            ))),
        }
    }

    /// Puts an artifact there; a name that is taken is swapped. Its hash.
    ///
    /// # Errors
    ///
    /// [`Error::BadOption`] for a name that cannot be one, or when there is no room.
    pub fn put(&self, name: &str, wasm: &[u8]) -> Result<String, Error> {
        if !toolkit::is_slug(name) {
            return Err(toolkit::Error::BadName(name.to_owned()).into());
        }
        let sha256 = hex(wasm);
        self.change(|entries| {
            if entries.len() >= MAX_ENTRIES && !entries.contains_key(name) {
                return Err(Error::BadOption(format!("{MAX_ENTRIES} are registered already")));
            }
            self.write(&format!("{sha256}.wasm"), wasm)?;
            entries.insert(name.to_owned(), sha256.clone());
            Ok(())
        })?;
        Ok(sha256)
    }

    /// Forgets a name. Whether there was one.
    pub fn remove(&self, name: &str) -> Result<bool, Error> {
        let mut was = false;
        self.change(|entries| {
            was = entries.remove(name).is_some();
            Ok(())
        })?;
        Ok(was)
    }

    /// The artifact of that name, held against its hash.
    ///
    /// # Errors
    ///
    /// [`Error::NotRegistered`], or [`Error::Tampered`] when it is not what was put there.
    pub fn get(&self, name: &str) -> Result<(PathBuf, Vec<u8>), Error> {
        let sha256 = self.entries()?.remove(name).ok_or_else(|| Error::NotRegistered {
            what: self.what,
            name: name.to_owned(),
        })?;
        let path = self.dir.join(format!("{sha256}.wasm"));
        let tampered = || Error::Tampered(name.to_owned());
        let wasm = fs::read(&path).map_err(|_| tampered())?;
        match hex(&wasm) == sha256 {
            true => Ok((path, wasm)),
            false => Err(tampered()),
        }
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<String, String>) -> Result<(), Error>) -> Result<(), Error> {
        let failed = || Error::file(&self.dir);
        durable::create_private(&self.dir).map_err(failed())?;
        let lock = File::create(self.dir.join("lock")).map_err(failed())?;
        lock.lock().map_err(failed())?;
        let mut entries = self.entries()?;
        let before: Vec<String> = entries.values().cloned().collect();
        change(&mut entries)?;
        let index = Index {
            version: VERSION,
            entries,
        };
        let text = serde_json::to_vec(&index).expect("an index is JSON");
        self.write("index.json", &text)?;
        for old in before {
            if !index.entries.values().any(|kept| *kept == old) {
                // Whoever runs it has it in memory.
                let _ = fs::remove_file(self.dir.join(format!("{old}.wasm")));
            }
        }
        Ok(())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let path = self.dir.join(name);
        Target::at(&path)
            .and_then(|target| target.points(POINTS).replace(bytes))
            .map_err(Error::file(&path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_artifact_is_found_by_name_and_held_against_its_hash() {
        let dir = tempfile::tempdir().unwrap();
        let shelf = Shelf::new("kernel", &dir.path().join("kernels"));
        assert!(matches!(shelf.get("levels"), Err(Error::NotRegistered { .. })));
        let first = shelf.put("levels", b"one").unwrap();
        let second = shelf.put("levels", b"two").unwrap();
        let (path, wasm) = shelf.get("levels").unwrap();
        assert_eq!(wasm, b"two");
        assert!(first != second && !path.with_file_name(format!("{first}.wasm")).exists());
        fs::write(&path, b"three").unwrap();
        assert!(matches!(shelf.get("levels"), Err(Error::Tampered(_))));
        assert!(shelf.remove("levels").unwrap() && !shelf.remove("levels").unwrap());
        assert_eq!(shelf.put("../x", b"one").unwrap_err().code(), "invalid_name");
    }

    #[test]
    fn an_index_of_another_version_has_no_entries() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("index.json"), r#"{"version":2,"entries":{}}"#).unwrap();
        let error = Shelf::new("kernel", dir.path()).entries().unwrap_err();
        assert!(error.to_string().contains("version 2"), "{error}");
    }
}
