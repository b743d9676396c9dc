//! Sweeping: sessions that expired go first, then the files that no session needs. A session in doubt stays, with
//! everything that it may name.

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
use crate::{read, remedy};

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
    /// Sessions that are damaged or of a newer program. They and whatever they may name were left alone.
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
    // Every writer holds this lock shared, so nobody is between writing a snapshot and pinning it, nor becomes so; no
    // session needs a lock, and a descriptor, of its own.
    let _store = Lock::exclusive(&layout.root().join(".lock"))?;
    let mut swept = Swept::default();
    let mut doomed = Vec::new();
    let mut needed = BTreeSet::new();
    for id in session_ids(layout)? {
        let session = layout.session(id);
        let loaded = read::load(&session, id)?;
        let expired = !session.keep().exists() && sweep.ttl.is_some_and(|ttl| age(session.dir(), sweep.now) > ttl);
        let Some(loaded) = loaded else {
            swept.abandoned += 1;
            doomed.push(session.dir().to_owned());
            continue;
        };
        let log = &loaded.log;
        if let Some(banner) = log.health.banner() {
            // It stays, and so does whatever it may name. The others are swept all the same.
            swept.doubts.push(format!("{id}: {banner}"));
            remedy::digests_in(session.dir(), &mut needed)?;
        } else if expired {
            swept.expired.push(id);
            doomed.push(session.dir().to_owned());
        } else {
            needed.extend(
                log.pinned()
                    .chain(log.unpinned().iter().map(|pin| pin.snapshot))
                    .map(|s| s.digest().hex()),
            );
            needed.extend(log.state.run.as_ref().map(|run| run.workflow_hash.digest().hex()));
        }
    }
    for (dir, _) in remedy::quarantined(layout)? {
        remedy::digests_in(&dir, &mut needed)?;
    }
    doomed.extend(staged(layout)?);
    let dry = sweep.dry_run;
    if !dry {
        for dir in &doomed {
            fs::remove_dir_all(dir).map_err(io("delete a session"))?;
        }
    }
    swept.snapshots = unneeded(&layout.snapshots(), &needed, dry)?;
    swept.workflows = unneeded(&layout.workflows(), &needed, dry)?;
    Ok(swept)
}

/// Seconds since a session was last written.
fn age(dir: &Path, now: u64) -> u64 {
    let written = fs::metadata(dir.join("manifest.jsonl"))
        .or_else(|_| fs::metadata(dir))
        .and_then(|meta| meta.modified());
    let since = written.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| now.saturating_sub(since.as_secs()))
}

/// Imports and deletions that were never finished.
fn staged(layout: &Layout) -> Result<Vec<std::path::PathBuf>, Error> {
    let list = io("list the sessions");
    let mut found = Vec::new();
    for entry in fs::read_dir(layout.sessions()).map_err(&list)? {
        let entry = entry.map_err(&list)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if [".import-", ".deleted-"].iter().any(|kind| name.starts_with(kind)) {
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
