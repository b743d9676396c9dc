//! Consent: who allowed a stranger's toolkit which capabilities, for exactly which content.

use crate::{Error, Toolkit, Trust, check_signature, replace};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

const FILE: &str = "grants.json";
const VERSION: u64 = 1;

/// A grant as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// The author at that time.
    pub did: String,
    /// The content at that time, see `Signed::pin`.
    pub pin: String,
    /// What was allowed.
    pub caps: Vec<String>,
    /// When, in milliseconds since 1970.
    pub at: u64,
}

/// The grants of a deployer, in a directory of their own.
pub struct Grants {
    dir: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    v: u64,
    grants: BTreeMap<String, Grant>,
}

impl Grants {
    /// The grants that are kept in `dir`.
    pub fn at(dir: &Path) -> Grants {
        Grants { dir: dir.to_owned() }
    }

    /// The grant for a toolkit.
    pub fn of(&self, id: &str) -> Result<Option<Grant>, Error> {
        Ok(self.read()?.remove(id))
    }

    /// Records that a stranger's toolkit may use these capabilities, as it is now. What it does not ask for is not granted.
    ///
    /// # Errors
    ///
    /// [`Error::NotSigned`] when its signature does not hold: nobody can consent to what may be something else tomorrow.
    pub fn grant(&self, toolkit: &Toolkit, caps: &[String], at: u64) -> Result<Grant, Error> {
        let signed = signature(toolkit)?;
        let asked = &toolkit.manifest().caps;
        let grant = Grant {
            did: signed.did,
            pin: signed.pin,
            caps: asked.iter().filter(|cap| caps.contains(cap)).cloned().collect(),
            at,
        };
        let failed = |e| Error::io("write", self.dir.display().to_string())(e);
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.dir)
            .map_err(failed)?;
        let lock = fs::File::create(self.dir.join("grants.lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let mut grants = self.read()?;
        grants.insert(toolkit.id().to_owned(), grant.clone());
        let record = Record { v: VERSION, grants };
        let dir = Dir::open_ambient_dir(&self.dir, ambient_authority()).map_err(failed)?;
        replace::replace(&dir, FILE, (ledger::canonical(&record) + "\n").as_bytes())?;
        Ok(grant)
    }

    /// Whether a toolkit may be built, installed or run: its own, or a stranger's that is signed and was granted all it
    /// asks for. What it may use then; `None` is whatever the profile gives.
    pub fn consent(&self, toolkit: &Toolkit) -> Result<Option<Vec<String>>, Error> {
        if toolkit.manifest().trust == Trust::FirstParty {
            return Ok(None);
        }
        let signed = signature(toolkit)?;
        let asked = &toolkit.manifest().caps;
        let grant = self
            .of(toolkit.id())?
            .filter(|grant| grant.pin == signed.pin && grant.did == signed.did);
        let granted = grant.map(|grant| grant.caps).unwrap_or_default();
        let missing: Vec<String> = asked.iter().filter(|cap| !granted.contains(cap)).cloned().collect();
        match missing[..] {
            [] => Ok(Some(granted)),
            _ => Err(Error::NotGranted {
                toolkit: toolkit.id().to_owned(),
                missing,
            }),
        }
    }

    fn read(&self) -> Result<BTreeMap<String, Grant>, Error> {
        let path = self.dir.join(FILE);
        let text = match fs::read(&path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            read => read.map_err(Error::io("read", path.display().to_string()))?,
        };
        let wrong = |why: String| Error::Record {
            path: path.display().to_string(),
            why,
        };
        let record: Record = serde_json::from_slice(&text).map_err(|e| wrong(e.to_string()))?;
        match record.v {
            VERSION => Ok(record.grants),
            other => Err(wrong(format!(
                "it has version {other}, and this program knows version {VERSION}"
            ))),
        }
    }
}

fn signature(toolkit: &Toolkit) -> Result<crate::Signed, Error> {
    check_signature(toolkit).map_err(|faults| Error::NotSigned {
        toolkit: toolkit.id().to_owned(),
        why: faults.join("; "),
    })
}
