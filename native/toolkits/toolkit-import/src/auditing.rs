//! The audit of a toolkit on the disk: its scripts are read one at a time, its manifest is replaced in one step.

use crate::disk::{self, Unreadable};
use crate::{Error, target};
use cap_fs_ext::DirExt as _;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::io;
use std::path::Path;
use toolkit_audit::{Auditor, Lanes, MAX_SCRIPT, Report, Script, Unread};

const MANIFEST: &str = "manifest.org";
const SCRIPTS: &str = "scripts";
const MAX_MANIFEST: usize = 16 << 20;
const MAX_SCRIPTS: usize = 100_000;
/// So often somebody else may write the manifest while we do.
const ATTEMPTS: usize = 5;

/// Audits the toolkit in a directory and writes the section into its manifest. `deep` goes below `scripts/` as well.
pub fn audit(toolkit: &Path, deep: bool, lanes: &Lanes) -> Result<Report, Error> {
    let missing = |what, path: &Path| Error::NotFound {
        what,
        path: path.to_owned(),
    };
    let dir = Dir::open_ambient_dir(toolkit, ambient_authority()).map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => missing("toolkit", toolkit),
        _ => Error::io("open", toolkit)(cause),
    })?;
    let manifest = |dir: &Dir| -> Result<String, Error> {
        let path = toolkit.join(MANIFEST);
        let bytes = disk::bytes(dir, MANIFEST, MAX_MANIFEST).map_err(|why| match why {
            Unreadable::TooLarge => Error::TooLarge("the manifest is larger than 16 MiB".to_owned()),
            Unreadable::NotAFile => missing("manifest", &path),
            Unreadable::Refused(cause) if cause.kind() == io::ErrorKind::NotFound => missing("manifest", &path),
            Unreadable::Refused(_) if dir.symlink_metadata(MANIFEST).is_ok_and(|link| link.is_symlink()) => {
                Error::LeadsOut(MANIFEST.to_owned())
            }
            Unreadable::Refused(cause) => Error::io("read", &path)(cause),
        })?;
        String::from_utf8(bytes).map_err(|_| Error::NotUtf8(path.display().to_string()))
    };
    // Before the scripts: without a manifest there is nothing to write into.
    manifest(&dir)?;
    let report = report(&dir, toolkit, deep, lanes)?;
    for _ in 0..ATTEMPTS {
        let old = manifest(&dir)?;
        let new = toolkit_audit::section::write(&old, &id(&old, toolkit), &report);
        if new == old {
            return Ok(report);
        }
        if manifest(&dir)? == old {
            target::replace(&dir, Path::new(MANIFEST), new.as_bytes())
                .map_err(Error::io("write", &toolkit.join(MANIFEST)))?;
            return Ok(report);
        }
    }
    Err(Error::Conflict)
}

/// What the manifest calls the toolkit, or else its directory.
fn id(manifest: &str, toolkit: &Path) -> String {
    let keyword = manifest.lines().find_map(|line| {
        let (key, value) = line.strip_prefix("#+")?.split_once(':')?;
        key.eq_ignore_ascii_case("TOOLKIT").then(|| value.trim())
    });
    let plain = |id: &&str| !id.is_empty() && !id.contains(|c: char| c.is_whitespace() || c.is_control() || c == '=');
    let directory = || {
        toolkit
            .canonicalize()
            .ok()?
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    keyword
        .filter(plain)
        .map(str::to_owned)
        .or_else(directory)
        .unwrap_or_else(|| "toolkit".to_owned())
}

fn report(dir: &Dir, toolkit: &Path, deep: bool, lanes: &Lanes) -> Result<Report, Error> {
    let at = toolkit.join(SCRIPTS);
    let scripts = match dir.symlink_metadata(SCRIPTS) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Report::default()),
        Err(cause) => return Err(Error::io("open", &at)(cause)),
        Ok(metadata) if metadata.is_symlink() => {
            dir.open_dir(SCRIPTS).map_err(|_| Error::LeadsOut(SCRIPTS.to_owned()))?
        }
        Ok(metadata) if !metadata.is_dir() => return Ok(Report::default()),
        Ok(_) => dir.open_dir(SCRIPTS).map_err(Error::io("open", &at))?,
    };
    let (files, carried) = list(&scripts, deep).map_err(Error::io("list", &at))?;
    if files.len() > MAX_SCRIPTS {
        return Err(Error::TooLarge(format!("there are more than {MAX_SCRIPTS} scripts")));
    }
    let auditor = Auditor::new(lanes).carrying(carried);
    let mut text = Vec::new();
    Ok(files
        .iter()
        .map(|file| script(&auditor, &scripts, file, &mut text))
        .collect())
}

fn script(auditor: &Auditor<'_>, scripts: &Dir, file: &str, text: &mut Vec<u8>) -> Script {
    match disk::read_into(scripts, file, MAX_SCRIPT, text) {
        Ok(()) => auditor.script(file, text),
        Err(Unreadable::TooLarge) => auditor.unread(file, Unread::TooLarge),
        Err(Unreadable::NotAFile) => auditor.unread(file, Unread::NotAFile),
        Err(Unreadable::Refused(_)) if scripts.symlink_metadata(file).is_ok_and(|link| link.is_symlink()) => {
            auditor.unread(file, Unread::LeadsOut)
        }
        Err(Unreadable::Refused(_)) => auditor.unread(file, Unread::Unreadable),
    }
}

/// The files, sorted, and every name at the top, for what Python finds there.
fn list(scripts: &Dir, deep: bool) -> io::Result<(Vec<String>, Vec<String>)> {
    let (mut files, mut carried) = (Vec::new(), Vec::new());
    let mut waiting = vec![(scripts.try_clone()?, String::new())];
    while let Some((dir, above)) = waiting.pop() {
        for entry in dir.entries()? {
            let entry = entry?;
            let name = entry.file_name();
            let path = format!("{above}{}", name.to_string_lossy());
            if above.is_empty() {
                carried.push(path.clone());
            }
            if entry.file_type()?.is_dir() {
                if deep {
                    waiting.push((dir.open_dir_nofollow(&name)?, path + "/"));
                }
            } else {
                files.push(path);
            }
            if files.len() > MAX_SCRIPTS {
                return Ok((files, carried));
            }
        }
    }
    files.sort();
    Ok((files, carried))
}
