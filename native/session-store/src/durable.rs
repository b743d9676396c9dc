//! Writing so that it stays written: temporary name, flush, rename, flush of the directory.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use session::{Code, Error};

/// Turns an I/O error into ours. The kind, not the text: it names no path.
pub(crate) fn io(doing: &'static str) -> impl Fn(io::Error) -> Error {
    move |error| {
        let suggestion = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "make room on the disk",
            _ => "check the data directory, its permissions and the room left",
        };
        Error::new(Code::StoreIo, format!("cannot {doing}: {}", error.kind()), suggestion)
    }
}

/// Makes a directory that only its owner may enter, and flushes the one above it.
pub(crate) fn make_dir(path: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => path.parent().map_or(Ok(()), flush_dir),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Flushes a directory: what was renamed in it stays renamed.
pub(crate) fn flush_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Writes a new private file, without flushing it. A left-over of the same name is replaced.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Puts a whole private file in place, flushed, replacing what was there.
pub(crate) fn replace(path: &Path, bytes: &[u8], temporary: &Path) -> io::Result<()> {
    write_new(temporary, bytes)?.sync_all()?;
    fs::rename(temporary, path)?;
    path.parent().map_or(Ok(()), flush_dir)
}
