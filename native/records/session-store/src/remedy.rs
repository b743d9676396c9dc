//! What can be done about a damaged session, by whoever decides it. Nothing here happens by itself.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use durable::NewDirectory;
use serde::Serialize;
use session::manifest::{Record, RecordFact, segment_path};
use session::{Code, Error, Health, SessionId};

use crate::FileStore;
use crate::io_error::io;
use crate::layout::Layout;
use crate::lock::Lock;
use crate::read;

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Remedy {
    /// The session.
    pub session_id: SessionId,
    /// In a sentence.
    pub done: String,
    /// The events that are there now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<u64>,
    /// Where the files are that were moved aside, from the root of the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aside: Option<String>,
}

/// Moves a session aside, whole. It is no session any more; its files, and what they name, stay.
pub(crate) fn quarantine(store: &FileStore, id: SessionId) -> Result<Remedy, Error> {
    let layout = store.layout();
    let _store = store.store_lock()?;
    let session = layout.session(id);
    if !session.dir().is_dir() {
        return Err(Error::not_found(id));
    }
    let _lock = Lock::session(&session.lock(), id)?;
    let aside = set_aside(layout, session.dir(), id)?;
    Ok(Remedy {
        session_id: id,
        done: format!("moved to {aside}; nothing was deleted, and `delete` removes it for good"),
        events: None,
        aside: Some(aside),
    })
}

/// Deletes a session, or everything of it that was moved aside.
pub(crate) fn delete(store: &FileStore, id: SessionId) -> Result<Remedy, Error> {
    let layout = store.layout();
    let _store = store.store_lock()?;
    let session = layout.session(id);
    let mut gone = Vec::new();
    if session.dir().is_dir() {
        // Renamed first: a crash in the middle leaves something that is no session.
        let _lock = Lock::session(&session.lock(), id)?;
        let doomed = layout.sessions().join(format!(".deleted-{id}"));
        durable::move_directory(session.dir(), &doomed).map_err(io("delete the session"))?;
        fs::remove_dir_all(&doomed).map_err(io("delete the session"))?;
        gone.push("the session".to_owned());
    } else {
        for (dir, of) in quarantined(layout)? {
            if of == id {
                fs::remove_dir_all(&dir).map_err(io("delete the session"))?;
                gone.push(format!("what was moved aside as {}", name(&dir)));
            }
        }
    }
    if gone.is_empty() {
        return Err(Error::not_found(id));
    }
    Ok(Remedy {
        session_id: id,
        done: format!(
            "deleted {}; snapshots that nobody needs any more go with the next gc",
            gone.join(" and ")
        ),
        events: None,
        aside: None,
    })
}

/// Puts the valid beginning of a damaged session in its place; the damaged files are moved aside, whole.
pub(crate) fn repair(store: &FileStore, id: SessionId) -> Result<Remedy, Error> {
    let layout = store.layout();
    let session = layout.session(id);
    let _store = store.store_lock()?;
    let lock = Lock::session(&session.lock(), id).map_err(|error| match session.dir().is_dir() {
        true => error,
        false => Error::not_found(id),
    })?;
    let loaded = read::load(&session, id)?.ok_or_else(|| Error::not_found(id))?;
    let log = &loaded.log;
    let refuse = |why: &str, hint: &str| {
        Err(Error::new(Code::SessionCorrupt, why, hint)
            .with(serde_json::json!({"sessionId": id, "health": log.health})))
    };
    match &log.health {
        Health::Healthy => {
            return Ok(Remedy {
                session_id: id,
                done: "nothing: the session is healthy".into(),
                events: Some(log.state.next_index),
                aside: None,
            });
        }
        Health::CorruptHead { .. } => {
            return refuse(
                "nothing of the session is valid, so there is nothing to repair",
                "quarantine it, or delete it",
            );
        }
        Health::UnknownVersion { .. } => {
            return refuse(
                "a newer program wrote the session, and a repair would lose what it wrote",
                "use the version of Workbooks that wrote it",
            );
        }
        Health::CorruptTail { .. } => {}
    }
    let lost = log.health.banner().unwrap_or_default();
    let (events, records) = read::raw(&session, log)?;
    let mut manifest: Vec<u8> = records.iter().flat_map(Record::line).collect();
    manifest.extend(
        log.pin_records(log.records(), log.unpinned())
            .iter()
            .flat_map(Record::line),
    );
    let closed = records.iter().filter_map(|record| match &record.fact {
        RecordFact::SegmentClosed(closed) => Some((closed.first_event_index, closed.last_event_index)),
        RecordFact::SnapshotPinned { .. } => None,
    });
    let segments: Vec<(String, Vec<u8>)> = closed
        .map(|(first, last)| {
            let path = segment_path(first, last);
            let bytes = fs::read(session.dir().join(&path)).map_err(io("read the events"))?;
            Ok((path, bytes))
        })
        .collect::<Result<_, Error>>()?;
    let kept = session.keep().exists();
    drop(lock);
    let aside = set_aside(layout, session.dir(), id)?;
    let new = NewDirectory::private(session.dir(), &Layout::staging(id)).map_err(io("make the session"))?;
    new.dir().create_dir("events").map_err(io("make the session"))?;
    for (path, bytes) in &segments {
        new.write(path, bytes).map_err(io("write the events"))?;
    }
    new.write("manifest.jsonl", &manifest)
        .map_err(io("write the manifest"))?;
    new.place().map_err(io("name the session"))?;
    if kept {
        fs::write(session.keep(), b"").map_err(io("mark the session"))?;
    }
    Ok(Remedy {
        session_id: id,
        done: format!(
            "{} events were kept ({lost}); all files as they were found are in {aside}",
            events.len()
        ),
        events: Some(events.len() as u64),
        aside: Some(aside),
    })
}

/// Moves a directory aside under a name that is free.
fn set_aside(layout: &Layout, dir: &Path, id: SessionId) -> Result<String, Error> {
    durable::create_private(&layout.quarantine()).map_err(io("make the quarantine"))?;
    let free = |n: u32| layout.quarantine().join(format!("{id}.{n}"));
    let target = (0..u32::MAX).map(free).find(|path| !path.exists());
    let target = target.ok_or_else(|| Error::invariant("the quarantine is full"))?;
    durable::move_directory(dir, &target).map_err(io("move the session aside"))?;
    Ok(format!("quarantine/{}", name(&target)))
}

/// What was moved aside, and of which session it was.
pub(crate) fn quarantined(layout: &Layout) -> Result<Vec<(PathBuf, SessionId)>, Error> {
    let dir = match fs::read_dir(layout.quarantine()) {
        Ok(dir) => dir,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io("list the quarantine")(error)),
    };
    let mut found = Vec::new();
    for entry in dir {
        let path = entry.map_err(io("list the quarantine"))?.path();
        let id = name(&path).split('.').next().and_then(|id| id.parse().ok());
        found.extend(id.map(|id| (path, id)));
    }
    Ok(found)
}

/// Everything in a directory that looks like a digest. What a damaged session needs cannot be known, so whatever it may
/// name counts as needed.
pub(crate) fn digests_in(dir: &Path, found: &mut BTreeSet<String>) -> Result<(), Error> {
    let read = io("read a damaged session");
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).map_err(&read)? {
            let entry = entry.map_err(&read)?;
            if entry.file_type().map_err(&read)?.is_dir() {
                open.push(entry.path());
                continue;
            }
            let bytes = fs::read(entry.path()).map_err(&read)?;
            let hex = |b: &u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
            for word in bytes.split(|b| !hex(b)).filter(|word| word.len() == 64) {
                found.extend(std::str::from_utf8(word).map(str::to_owned));
            }
        }
    }
    Ok(())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
