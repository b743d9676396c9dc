//! Toolkits that somebody sends: an archive becomes a directory, all of it or nothing.
//!
//! They lie beside the grants, apart from the directory of toolkits, and are taken for a third party's whatever their
//! manifest says: whoever may push must not thereby become trusted.

use crate::{Error, Foundry};
use durable::{NewDirectory, create_private};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toolkit::{MAX_FILE, MAX_FILES, MAX_TOTAL, Toolkit};

/// The largest archive, in bytes.
pub const MAX_ARCHIVE: usize = 50 << 20;

const MANIFEST: &str = "manifest.org";

/// A toolkit that was installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Installed {
    /// Its name.
    pub id: String,
    /// Where it is, on the engine's machine.
    pub path: PathBuf,
    /// How many files it has.
    pub files: usize,
}

impl Foundry {
    /// Installs a toolkit from a zip, in the place of one that was pushed under the same name.
    pub fn install(&self, id: &str, zip: &[u8]) -> Result<Installed, Error> {
        let files = unpacked(zip)?;
        if !toolkit::is_name(id) {
            return Err(toolkit::Error::BadName(id.to_owned()).into());
        }
        let dir = self.pushed_dir();
        create_private(&dir).map_err(Error::file(&dir))?;
        let path = dir.join(id);
        let failed = || Error::file(&path);
        let new = NewDirectory::at(&path, ".pushed-").map_err(failed())?;
        for (name, bytes) in &files {
            new.write(name, bytes).map_err(failed())?;
        }
        // What cannot be read as a toolkit is not put where toolkits are looked for.
        Toolkit::open(new.path())?;
        new.replace().map_err(failed())?;
        Ok(Installed {
            id: id.to_owned(),
            path,
            files: files.len(),
        })
    }
}

/// The files of an archive, within the limits of a toolkit.
fn unpacked(zip: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    if zip.len() > MAX_ARCHIVE {
        return Err(Error::TooLarge(format!(
            "its archive has more than {MAX_ARCHIVE} bytes"
        )));
    }
    let files = bundle::files(zip).map_err(|error| match error {
        bundle::Error::NotABundle(why) => Error::NotInstallable(why),
        bundle::Error::UnsafeEntry { name, why } => Error::NotInstallable(format!("`{name}`: {why}")),
        bundle::Error::TooLarge(why) => Error::TooLarge(why),
        other => Error::NotInstallable(other.to_string()),
    })?;
    if files.len() > MAX_FILES {
        return Err(Error::TooLarge(format!("it has more than {MAX_FILES} files")));
    }
    if let Some((name, _)) = files.iter().find(|(_, bytes)| bytes.len() as u64 > MAX_FILE) {
        return Err(Error::TooLarge(format!("`{name}` has more than {MAX_FILE} bytes")));
    }
    if files.values().map(|bytes| bytes.len() as u64).sum::<u64>() > MAX_TOTAL {
        return Err(Error::TooLarge(format!(
            "its files have more than {MAX_TOTAL} bytes together"
        )));
    }
    match files.contains_key(MANIFEST) {
        true => Ok(files),
        false => Err(Error::NotInstallable(format!("it has no {MANIFEST} at its top"))),
    }
}

/// The archive of a toolkit's directory: the same bytes for the same files. A link, a device or a file that is too large
/// is refused by name.
pub fn pack(dir: &Path) -> Result<Vec<u8>, Error> {
    let toolkit = Toolkit::open(dir)?;
    let names = toolkit.tree().hashes()?.into_keys();
    let files = names
        .map(|name| Ok((toolkit.tree().bytes(&name, MAX_FILE)?, name)))
        .collect::<Result<Vec<_>, toolkit::Error>>()?;
    let zip = bundle::pack(files.iter().map(|(bytes, name)| (name.as_str(), bytes.as_slice())));
    let zip = zip.map_err(|error| Error::NotInstallable(error.to_string()))?;
    match zip.len() > MAX_ARCHIVE {
        true => Err(Error::TooLarge(format!(
            "its archive has more than {MAX_ARCHIVE} bytes"
        ))),
        false => Ok(zip),
    }
}
