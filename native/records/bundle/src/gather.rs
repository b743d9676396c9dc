//! What goes into a bundle: a plan, its artifacts, its disk.

use crate::limits::{check_count, check_entry, check_total};
use crate::name::{self, ARTIFACTS, DISK, PLAN};
use crate::{Error, MAX_ENTRY};
use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What was found.
pub(crate) struct Found {
    /// A name for the workbook.
    pub id: String,
    pub org: String,
    /// By their names in the bundle.
    pub artifacts: BTreeMap<String, Vec<u8>>,
    pub disk: Option<PathBuf>,
    /// The newest time among the plan and the artifacts, in seconds since 1970.
    pub newest: i64,
}

/// Reads a plan, or a directory with a `workbook.org`.
pub(crate) fn gather(at: &Path) -> Result<Found, Error> {
    let failed = Error::io("read", at);
    let at = at.canonicalize().map_err(&failed)?;
    let is_dir = at.metadata().map_err(&failed)?.is_dir();
    let plan = if is_dir { at.join(PLAN) } else { at.clone() };
    let mut found = Found {
        id: id(&at, is_dir),
        org: String::new(),
        artifacts: BTreeMap::new(),
        disk: is_dir.then(|| at.join(DISK)).filter(|disk| disk.exists()),
        newest: 0,
    };
    let file = std::fs::File::open(&plan).map_err(Error::io("read", &plan))?;
    let bytes = found.take(File::from_std(file), PLAN)?;
    found.org = String::from_utf8(bytes).map_err(|_| Error::NotUtf8(plan))?;
    if is_dir {
        found.artifacts(&at)?;
    }
    Ok(found)
}

/// The name of the directory, or of the file without its ending; what an id cannot hold becomes `-`.
fn id(at: &Path, is_dir: bool) -> String {
    let name = if is_dir { at.file_name() } else { at.file_stem() };
    let name = name.unwrap_or_default().to_string_lossy();
    let plain = |c: char| {
        if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') {
            c
        } else {
            '-'
        }
    };
    let id: String = name.chars().map(plain).collect();
    match id.trim_matches(['-', '.']) {
        "" => "workbook".into(),
        id => id.chars().take(32).collect(),
    }
}

impl Found {
    /// Everything below `artifacts/`. Links are refused and never followed.
    fn artifacts(&mut self, at: &Path) -> Result<(), Error> {
        let failed = Error::io("read", at);
        let root = Dir::open_ambient_dir(at, ambient_authority()).map_err(&failed)?;
        let top = ARTIFACTS.trim_end_matches('/');
        match root.symlink_metadata(top) {
            Err(_) => return Ok(()),
            Ok(found) if !found.is_dir() => return Err(unbundleable(top, "it is not a directory")),
            Ok(_) => {}
        }
        let mut total = 0;
        // A list, not recursion: nobody's nesting can exhaust the stack.
        let mut waiting = vec![(root.open_dir_nofollow(top).map_err(&failed)?, ARTIFACTS.to_owned())];
        while let Some((dir, path)) = waiting.pop() {
            for entry in dir.entries().map_err(&failed)? {
                let name = entry.map_err(&failed)?.file_name();
                let Some(utf8) = name.to_str() else {
                    return Err(unbundleable(&path, "a name in it is not UTF-8"));
                };
                let path = format!("{path}{utf8}");
                name::check(path.as_bytes())?;
                let metadata = dir.symlink_metadata(&name).map_err(&failed)?;
                if metadata.is_dir() {
                    waiting.push((dir.open_dir_nofollow(&name).map_err(&failed)?, path + "/"));
                    continue;
                }
                if !metadata.is_file() {
                    return Err(unbundleable(&path, "it is a link, a pipe or a device"));
                }
                // What was a file a moment ago may be a link or a pipe by now.
                let mut options = OpenOptions::new();
                options.read(true).follow(FollowSymlinks::No).nonblock(true);
                let bytes = self.take(dir.open_with(&name, &options).map_err(&failed)?, &path)?;
                total += bytes.len() as u64;
                check_total(total)?;
                self.artifacts.insert(path, bytes);
                check_count(self.artifacts.len())?;
            }
        }
        Ok(())
    }

    fn take(&mut self, file: File, name: &str) -> Result<Vec<u8>, Error> {
        let failed = Error::io("read", Path::new(name));
        let metadata = file.metadata().map_err(&failed)?;
        if !metadata.is_file() {
            return Err(unbundleable(name, "it is not a file"));
        }
        check_entry(name, metadata.len())?;
        let since = metadata.modified().map(cap_std::time::SystemTime::into_std);
        let since = since
            .ok()
            .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        self.newest = self.newest.max(since.map_or(0, |since| since.as_secs() as i64));
        let mut bytes = Vec::new();
        // One byte more than a file may have shows that it grew.
        file.take(MAX_ENTRY + 1).read_to_end(&mut bytes).map_err(&failed)?;
        check_entry(name, bytes.len() as u64)?;
        Ok(bytes)
    }
}

fn unbundleable(path: &str, why: &'static str) -> Error {
    Error::Unbundleable { path: path.into(), why }
}
