//! A source on the disk. Everything is read through a capability for the directory that was named: a link that leads out
//! of it cannot be followed, and what is no file is never opened for long enough to block.

use crate::{Error, MAX_FILE, Source};
use cap_fs_ext::{DirExt as _, OpenOptionsSyncExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read as _};
use std::path::Path;

/// More names than this are not looked at.
const MAX_ENTRIES: usize = 50_000;
/// Directories that others can make again.
const NOT_SOURCE: [&str; 7] = [
    ".git",
    "node_modules",
    "__pycache__",
    ".venv",
    "venv",
    ".tox",
    ".mypy_cache",
];
/// Files that speak for the directory they are in.
const SPEAKERS: [&str; 5] = ["skill.md", "package.json", "pyproject.toml", "setup.cfg", "setup.py"];

/// Opens a directory, or a single file.
pub(crate) fn open(path: &Path) -> Result<Source<'static>, Error> {
    let real = path.canonicalize().map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Error::NotFound {
            what: "source",
            path: path.to_owned(),
        },
        _ => Error::io("read", path)(cause),
    })?;
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    if real.is_dir() {
        return directory(&real, &name(&real).unwrap_or_else(|| "toolkit".to_owned()));
    }
    let file = name(&real).ok_or_else(|| Error::NotUtf8(path.display().to_string()))?;
    let parent = real.parent().unwrap_or(Path::new("/"));
    if SPEAKERS.contains(&file.to_ascii_lowercase().as_str()) {
        return directory(parent, &name(parent).unwrap_or_else(|| "toolkit".to_owned()));
    }
    let dir = capability(parent)?;
    let paths = BTreeSet::from([file.clone()]);
    Ok(Source::new(
        &file,
        paths,
        true,
        BTreeMap::new(),
        Box::new(move |path| read(&dir, path)),
    ))
}

fn capability(path: &Path) -> Result<Dir, Error> {
    Dir::open_ambient_dir(path, ambient_authority()).map_err(Error::io("open", path))
}

fn directory(path: &Path, name: &str) -> Result<Source<'static>, Error> {
    let root = capability(path)?;
    let mut paths = BTreeSet::new();
    let mut skipped = BTreeMap::new();
    let mut seen = 0;
    // A list, not recursion: nobody's nesting can exhaust the stack.
    let mut waiting = vec![(root.try_clone().map_err(Error::io("open", path))?, String::new())];
    while let Some((dir, above)) = waiting.pop() {
        for entry in dir.entries().map_err(Error::io("list", path))? {
            let entry = entry.map_err(Error::io("list", path))?;
            seen += 1;
            if seen > MAX_ENTRIES {
                return Err(Error::TooLarge(format!("`{name}` has more than {MAX_ENTRIES} files")));
            }
            let (file, kind) = (entry.file_name(), entry.file_type().map_err(Error::io("list", path))?);
            let plain = file.to_str().filter(|file| !file.contains(char::is_control));
            let Some(file) = plain else {
                skipped.insert(
                    format!("{above}{}", file.to_string_lossy().replace(char::is_control, "?")),
                    "its name is not plain text",
                );
                continue;
            };
            let below = format!("{above}{file}");
            if kind.is_dir() {
                if !NOT_SOURCE.contains(&file) {
                    waiting.push((
                        dir.open_dir_nofollow(file).map_err(Error::io("open", path))?,
                        below + "/",
                    ));
                }
            } else if kind.is_file() {
                paths.insert(below);
            } else if kind.is_symlink() {
                // The capability follows a link only to where it reaches.
                match root.metadata(&below) {
                    Ok(target) if target.is_file() => drop(paths.insert(below)),
                    Ok(_) => drop(skipped.insert(below, "it is a link to something that is no file")),
                    Err(_) => drop(skipped.insert(below, "it is a link that leads out of the source, or nowhere")),
                }
            } else {
                skipped.insert(below, "it is no file");
            }
        }
    }
    Ok(Source::new(
        name,
        paths,
        false,
        skipped,
        Box::new(move |path| read(&root, path)),
    ))
}

fn read(dir: &Dir, path: &str) -> Result<Vec<u8>, &'static str> {
    bytes(dir, path, MAX_FILE).map_err(|why| match why {
        Unreadable::TooLarge => "it is larger than 16 MiB",
        Unreadable::NotAFile => "it is no file",
        Unreadable::Refused(_) => "it cannot be read",
    })
}

/// Why a file has no bytes.
pub(crate) enum Unreadable {
    TooLarge,
    NotAFile,
    Refused(io::Error),
}

/// Reads a file of at most `most` bytes.
pub(crate) fn bytes(dir: &Dir, path: &str, most: usize) -> Result<Vec<u8>, Unreadable> {
    let mut bytes = Vec::new();
    read_into(dir, path, most, &mut bytes)?;
    Ok(bytes)
}

/// Reads into a buffer that is emptied first.
pub(crate) fn read_into(dir: &Dir, path: &str, most: usize, bytes: &mut Vec<u8>) -> Result<(), Unreadable> {
    bytes.clear();
    let mut options = OpenOptions::new();
    // A pipe that nobody writes to must not hold us.
    options.read(true).nonblock(true);
    let file = dir.open_with(path, &options).map_err(Unreadable::Refused)?;
    let metadata = file.metadata().map_err(Unreadable::Refused)?;
    if !metadata.is_file() {
        return Err(Unreadable::NotAFile);
    }
    if metadata.len() > most as u64 {
        return Err(Unreadable::TooLarge);
    }
    // One byte more than a file may have shows that it grew.
    file.take(most as u64 + 1)
        .read_to_end(bytes)
        .map_err(Unreadable::Refused)?;
    if bytes.len() > most {
        Err(Unreadable::TooLarge)
    } else {
        Ok(())
    }
}
