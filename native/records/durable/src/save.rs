//! A file that a person named.

use crate::Target;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// Writes where a person said. A reader sees the old file or the new one, never half of either.
///
/// A link keeps pointing where it pointed, a file keeps its permissions, and a device or a pipe is written to.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// let (file, link) = (dir.path().join("file"), dir.path().join("link"));
/// std::os::unix::fs::symlink("file", &link)?;
/// durable::save(&file, b"one")?;
/// durable::save(&link, b"two")?;
/// assert_eq!(std::fs::read(&file)?, b"two");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn save(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&path) {
        Ok(there) if !there.is_file() => File::options().write(true).open(&path)?.write_all(bytes),
        _ => Target::at(&path)?.mode(0o666).keep_mode().replace(bytes),
    }
}
