//! Sweeping: sessions that expired go first, then the files that no session needs. On any doubt nothing goes.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::Serialize;
use session::{Error, SessionId};

use crate::io_error::io;
use crate::layout::Layout;
use crate::lock::Lock;
use crate::read::{self, Loaded};

/// What to sweep.
#[derive(Debug, Clone, Copy)]
pub struct Sweep {
    /// The time, in seconds since 1970.
    pub now: u64,
    /// A session expires this many seconds after it was last written; never when absent.
    pub ttl: Option<u64>,
    /// Whether to only say what would go.
    pub dry_run: bool,
}

/// What was swept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Swept {
    /// Sessions that expired.
    pub expired: Vec<SessionId>,
    /// Starts and imports that were never acknowledged.
    pub abandoned: u64,
    /// Snapshots that no session needs.
    pub snapshots: u64,
    /// Compiled workflows that no session needs.
    pub workflows: u64,
    /// Why nothing was deleted; empty when nothing was in doubt.
    pub doubts: Vec<String>,
}

/// The directories under `sessions/` that are named like a session.
pub(crate) fn session_ids(layout: &Layout) -> Result<Vec<SessionId>, Error> {
    let list = io("list the sessions");
    let mut ids = Vec::new();
    for entry in fs::read_dir(layout.sessions()).map_err(&list)? {
        let name = entry.map_err(&list)?.file_name();
        ids.extend(name.to_str().and_then(|name| name.parse::<SessionId>().ok()));
    }
    ids.sort();
    Ok(ids)
}

pub(crate) fn run(layout: &Layout, sweep: &Sweep) -> Result<Swept, Error> {
    // Nobody may be between writing a snapshot and pinning it, nor become so.
    let _store = Lock::exclusive(&layout.root().join(".lock"))?;
    let mut locks = Vec::new();
    let mut swept = Swept::default();
    let mut doomed = Vec::new();
    let (mut snapshots, mut workflows) = (BTreeSet::new(), BTreeSet::new());
    for id in session_ids(layout)? {
        let session = layout.session(id);
        locks.push(Lock::session(&session.lock(), id)?);
        let loaded = read::load(&session, id)?;
        let expired = !session.keep().exists() && sweep.ttl.is_some_and(|ttl| age(session.dir(), sweep.now) > ttl);
        match loaded {
            None => {
                swept.abandoned += 1;
                doomed.push(session.dir().to_owned());
            }
            Some(loaded) => {
                doubt(id, &loaded, &mut swept.doubts);
                if expired {
                    swept.expired.push(id);
                    doomed.push(session.dir().to_owned());
                } else {
                    let log = &loaded.log;
                    snapshots.extend(
                        log.pinned()
                            .chain(log.unpinned().iter().map(|pin| pin.snapshot))
                            .map(|s| s.digest().hex()),
                    );
                    workflows.extend(log.state.run.as_ref().map(|run| run.workflow_hash.digest().hex()));
                }
            }
        }
    }
    doomed.extend(staged(layout)?);
    if !swept.doubts.is_empty() {
        return Ok(Swept {
            doubts: swept.doubts,
            ..Swept::default()
        });
    }
    let dry = sweep.dry_run;
    if !dry {
        for dir in &doomed {
            fs::remove_dir_all(dir).map_err(io("delete a session"))?;
        }
    }
    swept.snapshots = unneeded(&layout.snapshots(), &snapshots, dry)?;
    swept.workflows = unneeded(&layout.workflows(), &workflows, dry)?;
    Ok(swept)
}

/// What is not healthy may need more than can be seen.
fn doubt(id: SessionId, loaded: &Loaded, doubts: &mut Vec<String>) {
    if let Some(banner) = loaded.log.health.banner() {
        doubts.push(format!("{id}: {banner}"));
    }
}

/// Seconds since a session was last written.
fn age(dir: &Path, now: u64) -> u64 {
    let written = fs::metadata(dir.join("manifest.jsonl"))
        .or_else(|_| fs::metadata(dir))
        .and_then(|meta| meta.modified());
    let since = written.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| now.saturating_sub(since.as_secs()))
}

/// Imports that were never finished.
fn staged(layout: &Layout) -> Result<Vec<std::path::PathBuf>, Error> {
    let list = io("list the sessions");
    let mut found = Vec::new();
    for entry in fs::read_dir(layout.sessions()).map_err(&list)? {
        let entry = entry.map_err(&list)?;
        if entry.file_name().to_string_lossy().starts_with(".import-") {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Deletes the files whose digest nobody needs, and left-over temporary files. Anything else is left alone.
fn unneeded(dir: &Path, needed: &BTreeSet<String>, dry: bool) -> Result<u64, Error> {
    let list = io("list the snapshots");
    let mut count = 0;
    for entry in fs::read_dir(dir).map_err(&list)? {
        let path = entry.map_err(&list)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let ours = name
            .strip_suffix(".json")
            .is_some_and(|hex| hex.len() == 64 && !needed.contains(hex));
        if ours || name.ends_with(".tmp") {
            count += u64::from(ours);
            if !dry {
                match fs::remove_file(&path) {
                    Err(error) if error.kind() != ErrorKind::NotFound => return Err(io("delete a snapshot")(error)),
                    _ => {}
                }
            }
        }
    }
    Ok(count)
}
