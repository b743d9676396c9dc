//! A bundle as a file.

use crate::{Error, MAX_ARCHIVE};
use std::fs::{self, File, Permissions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

/// Reads a bundle's file, but no more of it than a bundle may have.
pub fn load(path: impl AsRef<Path>) -> Result<Vec<u8>, Error> {
    let path = path.as_ref();
    let failed = Error::io("read", path);
    let file = File::open(path).map_err(&failed)?;
    let mut bytes = Vec::new();
    file.take(MAX_ARCHIVE as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(&failed)?;
    Ok(bytes)
}

/// Writes a bundle's file, in place of the one before: a reader sees the old one or the new one.
pub fn save(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), Error> {
    let given = path.as_ref();
    replace(given, bytes).map_err(Error::io("write", given))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = std::path::absolute(path)?;
    let parent = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let mut fresh = tempfile::Builder::new()
        .prefix(".wbundle-")
        .permissions(mode(&path))
        .tempfile_in(parent)?;
    fresh.write_all(bytes)?;
    fresh.as_file().sync_all()?;
    fresh.persist(&path).map_err(|error| error.error)?;
    File::open(parent)?.sync_all()
}

/// The permissions of the file before; those of any new file where there was none.
fn mode(path: &Path) -> Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).map_or(Permissions::from_mode(0o666), |old| old.permissions())
}
