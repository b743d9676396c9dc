//! Writing a file: all of it or nothing.

use crate::failure::{Code, Failure};
use std::{io, path::Path};

/// Puts `text` at `path`. A reader sees the old file or the new one, never half of either.
pub fn replace(path: &Path, text: &str) -> Result<(), Failure> {
    durable::save(path, text.as_bytes()).map_err(|error| {
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
