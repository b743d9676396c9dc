//! `runtime.json`: how a running engine is reached, for whoever has the same home directory.
//!
//! The engine that listens writes it, mode 0600, and removes it when it stops; clients of the same user read it. It
//! lies at [`Place::Runtime`](crate::Place::Runtime). Whoever reads it holds the engine's own token, so a file that
//! others may read is refused.
//!
//! ```
//! use engine::runtime_file::{self, Runtime};
//!
//! # let dir = tempfile::tempdir().unwrap();
//! # let path = dir.path().join("state/runtime.json");
//! assert_eq!(runtime_file::read(&path)?, None);
//! let runtime = Runtime::new("http://127.0.0.1:4280", "secret", std::process::id());
//! runtime_file::write(&path, &runtime)?;
//! let found = runtime_file::read(&path)?.unwrap();
//! assert!(found == runtime && found.is_alive());
//! runtime_file::remove(&path, found.pid)?;
//! assert_eq!(runtime_file::read(&path)?, None);
//! # Ok::<(), engine::Error>(())
//! ```

use crate::Error;
use durable::Target;
use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The version of what is written in it.
const FORMAT: u32 = 1;

/// More than this is no such file.
const LIMIT: u64 = 64 << 10;

/// How a running engine is reached.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Runtime {
    format: u32,
    /// Where it listens: scheme, host and port, without a path.
    pub url: String,
    /// What it is asked with: `authorization: Bearer <token>`.
    pub token: String,
    /// Its process.
    pub pid: u32,
    /// Which Workbooks it is.
    pub version: String,
}

impl Runtime {
    /// An engine of this version.
    pub fn new(url: impl Into<String>, token: impl Into<String>, pid: u32) -> Runtime {
        Runtime {
            format: FORMAT,
            url: url.into(),
            token: token.into(),
            pid,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Whether there is a process of its number. Another program may have the number by now: only an answer of
    /// `/health` says that it is an engine.
    pub fn is_alive(&self) -> bool {
        match i32::try_from(self.pid).ok().and_then(Pid::from_raw) {
            Some(pid) => !matches!(test_kill_process(pid), Err(rustix::io::Errno::SRCH)) && !is_zombie(self.pid),
            None => false,
        }
    }
}

/// Whether a process has ended and only its parent has not noticed. In a container that may never happen. Where there is
/// no `/proc` nobody is one.
fn is_zombie(pid: u32) -> bool {
    let about = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name is in parentheses and may hold anything; the state comes after the last of them.
    let state = about.rsplit_once(") ").map(|(_, rest)| rest);
    state.is_some_and(|state| state.starts_with(['Z', 'X']))
}

/// The token stays out of logs.
impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runtime")
            .field("url", &self.url)
            .field("pid", &self.pid)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

/// What the file says. `None` when there is none.
pub fn read(path: &Path) -> Result<Option<Runtime>, Error> {
    let refused = |why: String| Error::RuntimeFile {
        path: path.to_owned(),
        why,
    };
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(|error| refused(error.to_string()))?,
    };
    let about = file.metadata().map_err(|error| refused(error.to_string()))?;
    if about.mode() & 0o077 != 0 {
        return Err(refused("others than its owner may read or write it".into()));
    }
    let mut text = Vec::new();
    file.take(LIMIT)
        .read_to_end(&mut text)
        .map_err(|error| refused(error.to_string()))?;
    #[derive(Deserialize)]
    struct Version {
        format: u32,
    }
    let Version { format } = serde_json::from_slice(&text).map_err(|_| refused("it is damaged".into()))?;
    if format != FORMAT {
        return Err(refused(format!(
            "another version of Workbooks wrote it (format {format})"
        )));
    }
    serde_json::from_slice(&text)
        .map(Some)
        .map_err(|error| refused(format!("it is damaged: {error}")))
}

/// Writes the file, and the directory that it lies in when that is not there.
pub fn write(path: &Path, runtime: &Runtime) -> Result<(), Error> {
    let written = || -> io::Result<()> {
        if let Some(dir) = path.parent() {
            durable::create_private(dir)?;
        }
        let mut text = serde_json::to_vec(runtime)?;
        text.push(b'\n');
        Target::at(path)?.replace(&text)
    };
    written().map_err(|error| Error::RuntimeFile {
        path: path.to_owned(),
        why: error.to_string(),
    })
}

/// Removes the file if it is about that process; another engine's stays. One that cannot be read is nobody's, and goes.
pub fn remove(path: &Path, pid: u32) -> Result<(), Error> {
    if let Ok(Some(runtime)) = read(path)
        && runtime.pid != pid
    {
        return Ok(());
    }
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::RuntimeFile {
            path: path.to_owned(),
            why: error.to_string(),
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn file() -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("runtime.json");
        (dir, path)
    }

    #[test]
    fn it_is_its_owners_alone() {
        let (_dir, path) = file();
        write(&path, &Runtime::new("http://127.0.0.1:1", "t", 1)).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let refused = read(&path).unwrap_err();
        assert_eq!(refused.code(), "engine_missing");
        assert!(refused.to_string().contains("others"), "{refused}");
    }

    #[test]
    fn what_cannot_be_understood_is_refused_with_the_reason() {
        for (text, reason) in [
            ("", "damaged"),
            ("{\"format\":1}", "damaged"),
            ("{\"format\":2,\"url\":7}", "another version"),
        ] {
            let (_dir, path) = file();
            write(&path, &Runtime::new("http://127.0.0.1:1", "t", 1)).unwrap();
            fs::write(&path, text).unwrap();
            let refused = read(&path).unwrap_err();
            assert!(refused.to_string().contains(reason), "{text}: {refused}");
        }
    }

    #[test]
    fn another_engines_file_stays() {
        let (_dir, path) = file();
        write(&path, &Runtime::new("http://127.0.0.1:1", "t", 7)).unwrap();
        remove(&path, 8).unwrap();
        assert_eq!(read(&path).unwrap().unwrap().pid, 7);
        remove(&path, 7).unwrap();
        assert_eq!(read(&path).unwrap(), None);
        remove(&path, 7).unwrap();
    }

    #[test]
    fn a_token_is_not_shown() {
        let shown = format!("{:?}", Runtime::new("http://127.0.0.1:1", "secret", 7));
        assert!(!shown.contains("secret"), "{shown}");
    }

    #[test]
    fn a_process_that_is_gone_is_not_alive() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let runtime = Runtime::new("", "", child.id());
        // It ends and is a zombie until it is waited for.
        while runtime.is_alive() {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(!Runtime::new("", "", child.id()).is_alive());
        assert!(!Runtime::new("", "", 0).is_alive() && !Runtime::new("", "", u32::MAX).is_alive());
    }
}
