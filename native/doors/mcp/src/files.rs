//! Files below the directories that may be read.

use crate::Directories;
use failure::Failure;
use failure::codes::{IO, NOT_A_FILE, NOT_UTF8, TOO_LARGE};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The largest plan or workflow that is read.
const MOST_BYTES: u64 = 16 << 20;
/// How deep, and how much, is looked through for a list.
const MOST_DEPTH: usize = 4;
const MOST_DIRECTORIES: usize = 2_000;
const MOST_FILES: usize = 200;
/// Directories that tools fill.
const BUILT: [&str; 5] = ["_build", "build", "deps", "node_modules", "target"];

/// A text that an agent sent itself, or the path of one; and where it is. Paths have no line breaks.
pub(crate) fn text(directories: &Directories, sent: &str) -> Result<(String, String), Failure> {
    if sent.contains('\n') {
        return Ok((String::new(), sent.to_owned()));
    }
    let path = directories.to_read(sent)?;
    Ok((path.display().to_string(), contents(&path)?))
}

/// The text of a file.
pub(crate) fn contents(path: &Path) -> Result<String, Failure> {
    let shown = path.display();
    let failed = |e: std::io::Error| Failure::new(IO, format!("cannot read `{shown}`: {e}"), "check the permissions");
    let about = fs::metadata(path).map_err(failed)?;
    if !about.is_file() {
        let message = format!("`{shown}` is no file");
        return Err(Failure::new(NOT_A_FILE, message, "name a file"));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(failed)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MOST_BYTES {
        let message = format!("`{shown}` has more than {MOST_BYTES} bytes");
        return Err(Failure::new(TOO_LARGE, message, "split it"));
    }
    String::from_utf8(bytes).map_err(|_| Failure::new(NOT_UTF8, format!("`{shown}` is no UTF-8"), "convert it"))
}

/// Files with one of these extensions, in the order of their paths. What is hidden or built is passed over, and so is
/// whatever is deeper or more than a list should hold.
pub(crate) fn list(directories: &Directories, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open: Vec<(PathBuf, usize)> = directories.readable().iter().map(|root| (root.clone(), 0)).collect();
    let mut seen = 0;
    while let Some((directory, depth)) = open.pop() {
        seen += 1;
        if seen > MOST_DIRECTORIES || found.len() >= MOST_FILES {
            break;
        }
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else {
                continue;
            };
            // A link is not followed: what it leads to is listed where it is.
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < MOST_DEPTH && !BUILT.contains(&name) => {
                    open.push((path, depth + 1))
                }
                Ok(kind) if kind.is_file() => {
                    let extension = path.extension().and_then(|extension| extension.to_str());
                    if extension.is_some_and(|extension| extensions.contains(&extension)) {
                        found.push(path);
                    }
                }
                _ => {}
            }
        }
    }
    found.sort();
    found.truncate(MOST_FILES);
    found
}
