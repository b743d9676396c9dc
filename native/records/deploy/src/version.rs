//! What a version is made of.

use crate::place::{self, Place};
use crate::{Error, FORMAT};
use durable::NewDirectory;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Something that was built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// Its name in `artifacts/`.
    pub name: String,
    /// Its hash, in hexadecimal.
    pub sha256: String,
    /// Its length.
    pub size: u64,
}

/// A version that was deployed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Version {
    /// Its number, from 1.
    pub version: u64,
    /// The version that was live when it was deployed.
    pub parent: Option<u64>,
    /// The plan.
    pub plan: String,
    /// What was built for it.
    pub artifacts: Vec<Artifact>,
    /// What the host wanted to know again.
    pub about: Value,
}

/// `version.json`.
#[derive(Serialize, Deserialize)]
pub(crate) struct Record {
    pub format: u32,
    pub version: u64,
    pub parent: Option<u64>,
    pub plan_sha256: String,
    pub artifacts: Vec<Artifact>,
    pub about: Value,
}

impl Record {
    pub fn new(version: u64, parent: Option<u64>, plan: &[u8], artifacts: Vec<Artifact>, about: &Value) -> Record {
        Record {
            format: FORMAT,
            version,
            parent,
            plan_sha256: hex(plan),
            artifacts,
            about: about.clone(),
        }
    }

    pub fn read(place: &Place, n: u64) -> Result<Record, Error> {
        place::read_json(&place.version(n).join("version.json"))?.ok_or(Error::NoVersion(n))
    }
}

/// Reads a version. Its plan is what was deployed, or it is an error.
pub(crate) fn read(place: &Place, n: u64) -> Result<Version, Error> {
    let record = Record::read(place, n)?;
    let path = place.version(n).join("workbook.org");
    let plan = fs::read(&path).map_err(Error::io("read", &path))?;
    if hex(&plan) != record.plan_sha256 {
        return Err(Error::damaged(&path, "it is not what was deployed"));
    }
    Ok(Version {
        version: record.version,
        parent: record.parent,
        plan: String::from_utf8(plan).map_err(|why| Error::damaged(&path, why))?,
        artifacts: record.artifacts,
        about: record.about,
    })
}

/// Reads a version and every artifact of it.
pub(crate) fn verify(place: &Place, n: u64) -> Result<Version, Error> {
    let version = read(place, n)?;
    for artifact in &version.artifacts {
        let path = place.version(n).join("artifacts").join(&artifact.name);
        let file = File::open(&path).map_err(Error::io("read", &path))?;
        let (sha256, size) = digest(file, io::sink()).map_err(Error::io("read", &path))?;
        if (sha256.as_str(), size) != (artifact.sha256.as_str(), artifact.size) {
            return Err(Error::damaged(&path, "it is not what was built"));
        }
    }
    Ok(version)
}

/// A file name that can mean nothing else.
pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    let fine = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let good = (1..=128).contains(&name.len()) && !name.starts_with('.') && name.bytes().all(fine);
    if good {
        Ok(())
    } else {
        Err(Error::BadName(name.to_owned()))
    }
}

/// Copies, and says what was copied: its hash and length.
pub(crate) fn digest(mut from: impl Read, mut to: impl io::Write) -> io::Result<(String, u64)> {
    let (mut hash, mut size) = (Sha256::new(), 0);
    let mut piece = vec![0; 64 * 1024];
    loop {
        let n = from.read(&mut piece)?;
        if n == 0 {
            return Ok((format!("{:x}", hash.finalize()), size));
        }
        hash.update(&piece[..n]);
        to.write_all(&piece[..n])?;
        size += n as u64;
    }
}

fn hex(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// Copies an artifact into a version that comes together.
pub(crate) fn copy_artifact(from: &Path, new: &NewDirectory, name: &str) -> Result<Artifact, Error> {
    check_name(name)?;
    let to = Path::new("artifacts").join(name);
    let source = File::open(from).map_err(Error::io("read", from))?;
    let file = new.create(&to).map_err(Error::io("write", &to))?;
    let (sha256, size) = digest(source, file).map_err(Error::io("write", &to))?;
    Ok(Artifact {
        name: name.to_owned(),
        sha256,
        size,
    })
}
