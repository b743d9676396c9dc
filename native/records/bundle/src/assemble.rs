//! From a workbook to the bytes of a bundle.

use crate::gather::{Found, gather};
use crate::limits::{check_count, check_entry, check_total};
use crate::manifest::{check_id, hash};
use crate::name::{DISK, PAGE, PLAN};
use crate::{Error, FORMAT, MAX_ARCHIVE, Manifest, page, write};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use vfs::Volume;

/// How a bundle is made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The workbook's name; by default that of the directory or the file.
    pub id: Option<String>,
    /// Take the private volumes along, and everything else on the disk.
    pub private: bool,
    /// Another disk than the `vfs.sqlite` in the directory.
    pub disk: Option<PathBuf>,
    /// The time in the manifest, in seconds since 1970; by default that of the newest input.
    pub created: Option<i64>,
}

/// A bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// What is in it.
    pub manifest: Manifest,
    /// The file.
    pub bytes: Vec<u8>,
}

/// Makes a bundle of a plan, or of a directory with a `workbook.org`. A plan with diagnostics is refused.
pub fn assemble(at: &Path, options: &Options) -> Result<Made, Error> {
    let found = gather(at)?;
    match oql::validate(&found.org).map_err(Error::Plan)? {
        diagnostics if !diagnostics.is_empty() => return Err(Error::Diagnostics(diagnostics)),
        _ => {}
    }
    let id = options.id.clone().unwrap_or_else(|| found.id.clone());
    check_id(&id)?;
    let disk = disk(&found, options)?;
    let newest = found.newest.max(disk.as_ref().map_or(0, |disk| disk.newest));
    let created = moment(options.created.unwrap_or(newest))?;

    let mut files = found.artifacts;
    files.insert(PAGE.into(), page::page(&id, &created, &found.org)?.into_bytes());
    files.insert(PLAN.into(), found.org.into_bytes());
    let volumes = match disk {
        None => Vec::new(),
        Some(disk) => {
            files.insert(DISK.into(), disk.bytes);
            volumes(options.private).iter().map(|v| v.name().to_owned()).collect()
        }
    };
    let manifest = Manifest {
        format: FORMAT.into(),
        id,
        private_included: options.private && !volumes.is_empty(),
        volumes,
        created,
        files: files.iter().map(|(name, bytes)| (name.clone(), hash(bytes))).collect(),
    };
    Ok(Made {
        bytes: pack(&manifest, &files)?,
        manifest,
    })
}

fn pack(manifest: &Manifest, files: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>, Error> {
    check_count(files.len() + 2)?;
    check_total(files.values().map(|bytes| bytes.len() as u64).sum())?;
    let files = files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..]));
    let bytes = write::write(manifest.to_json().as_bytes(), None, files)?;
    match bytes.len() > MAX_ARCHIVE {
        true => Err(Error::too_large(format!("it has more than {MAX_ARCHIVE} bytes"))),
        false => Ok(bytes),
    }
}

struct Disk {
    bytes: Vec<u8>,
    newest: i64,
}

/// A copy of the disk with what may be shared, made from nothing.
fn disk(found: &Found, options: &Options) -> Result<Option<Disk>, Error> {
    let Some(from) = options.disk.as_ref().or(found.disk.as_ref()) else {
        return Ok(None);
    };
    // SQLite would make one where there is none.
    from.metadata().map_err(Error::io("read", from))?;
    let stage = tempfile::tempdir().map_err(Error::io("make a directory for", from))?;
    let to = stage.path().join(DISK);
    let newest = match options.private {
        true => vfs::share_all(from, &to)?,
        false => vfs::share(from, &to, volumes(false))?,
    };
    let failed = Error::io("read the copy of", from);
    check_entry(DISK, to.metadata().map_err(&failed)?.len())?;
    Ok(Some(Disk {
        bytes: std::fs::read(&to).map_err(&failed)?,
        newest: newest.unwrap_or(0),
    }))
}

/// What comes along: the work, and the session only when asked for.
fn volumes(private: bool) -> &'static [Volume] {
    match private {
        true => &Volume::ALL,
        false => &[Volume::Workspace],
    }
}

fn moment(seconds: i64) -> Result<String, Error> {
    // Before 1970 and after 9999 nobody has made anything.
    let moment = Timestamp::from_second(seconds).ok().filter(|_| seconds >= 0);
    let moment = moment.ok_or_else(|| Error::BadOption(format!("{seconds} is no time in seconds since 1970")));
    Ok(moment?.to_string())
}
