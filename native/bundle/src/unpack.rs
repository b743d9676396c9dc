//! A bundle as a directory.

use crate::manifest::MANIFEST;
use crate::sign::SIGNATURE;
use crate::{Error, Manifest, open};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

/// Writes a bundle's files below `dir`, which must be absent or empty; its parent must exist.
///
/// The bundle is checked as a whole first. Its files are written beside `dir` and moved into its place, so they appear
/// all at once, and on any refusal nothing does. A bundle that carries a signature keeps it.
pub fn unpack(bytes: &[u8], dir: impl AsRef<Path>) -> Result<Manifest, Error> {
    let bundle = open(bytes)?;
    let given = dir.as_ref();
    let failed = Error::io("write to", given);
    let dir = std::path::absolute(given).map_err(&failed)?;
    let parent = dir.parent().unwrap_or(&dir);
    let stage = tempfile::Builder::new()
        .prefix(".unbundle-")
        .tempdir_in(parent)
        .map_err(&failed)?;
    let inside = Dir::open_ambient_dir(stage.path(), ambient_authority()).map_err(&failed)?;
    put(&inside, MANIFEST, &bundle.manifest_json).map_err(&failed)?;
    if let Some(signature) = &bundle.signature {
        let json = ledger::canonical(signature) + "\n";
        put(&inside, SIGNATURE, json.as_bytes()).map_err(&failed)?;
    }
    for (name, content) in &bundle.files {
        put(&inside, name, content).map_err(&failed)?;
    }
    open_to_others(stage.path()).map_err(&failed)?;
    std::fs::rename(stage.path(), &dir).map_err(|error| match error.kind() {
        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            Error::Exists(given.to_owned())
        }
        _ => failed(error),
    })?;
    // Nothing is left of the stage to remove.
    let _ = stage.keep();
    File::open(parent)
        .and_then(|parent| parent.sync_all())
        .map_err(&failed)?;
    Ok(bundle.manifest)
}

fn put(inside: &Dir, name: &str, content: &[u8]) -> io::Result<()> {
    if let Some((parent, _)) = name.rsplit_once('/') {
        inside.create_dir_all(parent)?;
    }
    let mut file = inside.open_with(name, OpenOptions::new().write(true).create_new(true))?;
    file.write_all(content)?;
    file.sync_all()
}

/// A stage is private; a workbook has the permissions of any new directory.
fn open_to_others(stage: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let model = tempfile::Builder::new()
        .permissions(std::fs::Permissions::from_mode(0o777))
        .tempdir_in(stage)?;
    let mode = model.path().metadata()?.permissions();
    model.close()?;
    std::fs::set_permissions(stage, mode)
}
