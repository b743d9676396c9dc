//! Files and directories that nobody else may touch.

use crate::Error;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// Makes a directory of mode 0700, or makes sure that it is one.
pub(crate) fn directory(dir: &Path) -> Result<(), Error> {
    durable::create_private(dir).map_err(|e| Error::file(dir, e))?;
    require(dir, 0o700)
}

/// Makes sure that the file is ours, has this mode, and is no link.
pub(crate) fn require(path: &Path, mode: u32) -> Result<(), Error> {
    let found = fs::symlink_metadata(path).map_err(|e| Error::file(path, e))?;
    let ours = found.uid() == rustix::process::geteuid().as_raw();
    if ours && !found.is_symlink() && found.permissions().mode() & 0o777 == mode {
        Ok(())
    } else {
        Err(Error::NotPrivate(path.display().to_string()))
    }
}
