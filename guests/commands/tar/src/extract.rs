//! Taking files out of an archive.

use crate::options::{Options, excluded};
use crate::{FAILED, reason};
use flate2::read::MultiGzDecoder;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};
use tar::{Archive, Entry, EntryType};

pub type Source = Box<dyn Read>;

/// The archive of the options; gzip is known by its first two bytes.
pub fn open(options: &Options) -> Result<Archive<Source>, String> {
    let source: Source = match &options.file {
        Some(path) => {
            Box::new(File::open(path).map_err(|error| format!("{}: Cannot open: {}", path.display(), reason(&error)))?)
        }
        None => Box::new(io::stdin().lock()),
    };
    let mut source = BufReader::with_capacity(64 * 1024, source);
    let start = source.fill_buf().map_err(|error| reason(&error))?;
    let source: Source = match start.starts_with(&[0x1f, 0x8b]) {
        true => Box::new(MultiGzDecoder::new(source)),
        false => Box::new(source),
    };
    Ok(Archive::new(source))
}

/// Calls `each` for every member that was asked for, and complains about names that were not found.
pub fn members(
    options: &Options,
    mut each: impl FnMut(&Path, &mut Entry<'_, Source>) -> Result<i32, String>,
) -> Result<i32, String> {
    let mut status = 0;
    let mut missing: BTreeSet<&Path> = options.names.iter().map(|(_, name)| name.as_path()).collect();
    let broken = |error: io::Error| format!("This does not look like a tar archive: {}", reason(&error));
    for entry in open(options)?.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let path = entry.path().map_err(broken)?.into_owned();
        let asked = options.names.iter().find(|(_, name)| path.starts_with(name.as_path()));
        match asked {
            Some((_, name)) => drop(missing.remove(name.as_path())),
            None if !options.names.is_empty() => continue,
            None => {}
        }
        if !excluded(&options.exclude, &path.to_string_lossy()) {
            status = status.max(each(&path, &mut entry)?);
        }
    }
    for name in missing {
        eprintln!("tar: {}: Not found in archive", name.display());
        status = FAILED;
    }
    Ok(status)
}

pub fn extract(options: &Options) -> Result<i32, String> {
    members(options, |path, entry| {
        if options.verbose > 0 {
            println!("{}", path.display());
        }
        if options.to_stdout {
            io::copy(entry, &mut io::stdout().lock()).map_err(|error| reason(&error))?;
            return Ok(0);
        }
        let Some(goal) = goal(options, path) else { return Ok(0) };
        match unpack(options, entry, &goal) {
            Ok(()) => Ok(0),
            Err(error) => {
                eprintln!("tar: {}: {}", path.display(), reason(&error));
                Ok(FAILED)
            }
        }
    })
}

/// Where a member goes, or nothing when all of its name is stripped. It stays below the directory.
fn goal(options: &Options, path: &Path) -> Option<PathBuf> {
    let parts = path.components().filter(|part| matches!(part, Component::Normal(_)));
    let kept: PathBuf = parts.skip(options.strip).collect();
    if kept.as_os_str().is_empty() {
        None
    } else {
        Some(options.directory.join(kept))
    }
}

fn unpack(options: &Options, entry: &mut Entry<'_, Source>, goal: &Path) -> io::Result<()> {
    if let Some(parent) = goal.parent() {
        fs::create_dir_all(parent)?;
    }
    let kind = entry.header().entry_type();
    if kind.is_dir() {
        return fs::create_dir_all(goal);
    }
    if options.keep && goal.symlink_metadata().is_ok() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "Cannot open: File exists"));
    }
    // A link that is there must not lead what is written elsewhere.
    let _ = fs::remove_file(goal);
    let link = || {
        entry
            .link_name()
            .ok()
            .flatten()
            .map(|name| name.into_owned())
            .unwrap_or_default()
    };
    match kind {
        EntryType::Symlink => Ok(rustix::fs::symlink(link(), goal)?),
        EntryType::Link => fs::hard_link(options.directory.join(link()), goal),
        kind if kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse() => {
            let mut file = File::create(goal)?;
            io::copy(entry, &mut file)?;
            if !options.touch {
                file.set_modified(UNIX_EPOCH + Duration::from_secs(entry.header().mtime()?))?;
            }
            Ok(())
        }
        _ => Err(io::Error::other("this kind of file cannot be made here")),
    }
}
