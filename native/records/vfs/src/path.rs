//! The rules of paths: one file, one spelling.
//!
//! A path is relative and already normal, so nothing has to be resolved and no two spellings meet at one file. The
//! length limits are those of common file systems, so every path can be exported.

use crate::Error;
use crate::error::shorten;

/// The longest path, in bytes.
pub const MAX_PATH: usize = 1_024;
/// The longest name between two slashes, in bytes.
pub const MAX_SEGMENT: usize = 255;

pub(crate) fn check(path: &str) -> Result<(), Error> {
    let why = match path {
        "" => "it is empty",
        _ if path.len() > MAX_PATH => "it is longer than 1024 bytes",
        _ if path.contains('\0') => "it holds a NUL",
        _ if path.starts_with('/') => "it is absolute",
        _ => match path.split('/').find_map(wrong_segment) {
            Some(why) => why,
            None => return Ok(()),
        },
    };
    Err(Error::InvalidPath {
        path: shorten(path),
        why,
    })
}

fn wrong_segment(segment: &str) -> Option<&'static str> {
    match segment {
        "" => Some("it has an empty name between slashes"),
        "." | ".." => Some("it has a `.` or `..` in it"),
        _ if segment.len() > MAX_SEGMENT => Some("it has a name longer than 255 bytes"),
        _ => None,
    }
}

/// The directories above a path, from the top.
pub(crate) fn parents(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| &path[..end])
}
