//! Writing a file: all of it or nothing.

use crate::failure::{Code, Failure};
use std::{
    ffi::{OsStr, OsString},
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

/// Puts `text` at `path`. A reader sees the old file or the new one, never half of either.
pub fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    write(path, text.as_bytes()).map_err(|error| {
        Failure::new(
            match error.kind() {
                io::ErrorKind::NotFound => Code::NotFound,
                _ => Code::Unwritable,
            },
            format!("cannot write `{}`: {error}", path.display()),
            "check that the directory exists and may be written",
        )
    })
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link keeps pointing where it pointed; a device or a pipe is written to, not replaced.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return File::options().write(true).open(&path)?.write_all(bytes);
    }
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let temporary = directory.join(temporary(name));
    let written = (|| {
        let mut file = File::create_new(&temporary)?;
        file.write_all(bytes)?;
        if let Some(old) = old {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&temporary, &path)?;
        File::open(directory)?.sync_all()
    })();
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn temporary(name: &OsStr) -> OsString {
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.tmp", std::process::id()));
    temporary
}
