//! The index: what lists and searches show of every session, kept in one file so that ten thousand need not be read.
//!
//! It is never truth. A line counts only while the session's manifest is the very file, length and time that the line was
//! made from; every other session is read anew. The file may be deleted at any moment.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;

use durable::Target;
use session::project::Entry;
use session::{Error, SessionId};

use crate::FileStore;
use crate::io_error::io;
use crate::layout::Layout;
use crate::read;

/// The first line: another version is thrown away and made anew.
const HEAD: &str = "workbooks session index 1";
/// The file is written again when so many of a hundred lines are out of date; fewer are cheaper to read anew.
const STALE: usize = 5;
/// Fewer sessions than this are read as fast as an index.
const FEW: usize = 32;

/// Which manifest a line was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    length: u64,
    seconds: i64,
    nanoseconds: i64,
}

impl Stamp {
    /// When the manifest was last written, since 1970.
    fn milliseconds(&self) -> Option<u64> {
        u64::try_from(self.seconds * 1000 + self.nanoseconds / 1_000_000).ok()
    }
}

/// Every acknowledged session, in the order of the ids.
pub(crate) fn entries(store: &FileStore) -> Result<Vec<Entry>, Error> {
    let layout = store.layout();
    let text = fs::read_to_string(layout.index()).unwrap_or_default();
    let known = read_lines(&text);
    let (mut entries, mut lines, mut stale) = (Vec::new(), Vec::new(), 0);
    for id in crate::sweep::session_ids(layout)? {
        let Some(stamp) = stamp(layout, id)? else {
            // Without a manifest it was never acknowledged, or it is damaged: reading it tells which.
            entries.extend(read_entry(store, id, None)?);
            continue;
        };
        let kept = known.get(&id).filter(|(made_from, _)| *made_from == stamp);
        match kept.and_then(|(_, json)| Some((serde_json::from_str::<Entry>(json).ok()?, *json))) {
            Some((entry, json)) => {
                lines.push((id, stamp, json.to_owned()));
                entries.push(entry);
            }
            None => {
                stale += 1;
                if let Some(entry) = read_entry(store, id, stamp.milliseconds())? {
                    lines.push((id, stamp, serde_json::to_string(&entry).unwrap_or_default()));
                    entries.push(entry);
                }
            }
        }
    }
    if lines.len() >= FEW && (stale * 100 > lines.len() * STALE || known.len() > lines.len() * 2) {
        // Whoever cannot write it reads more the next time; nothing else depends on it.
        let _ = write(layout, &lines);
    }
    Ok(entries)
}

fn read_entry(store: &FileStore, id: SessionId, written_at: Option<u64>) -> Result<Option<Entry>, Error> {
    let loaded = read::load(&store.layout().session(id), id)?;
    Ok(loaded.map(|loaded| Entry::of(store, &loaded.log, written_at)))
}

fn stamp(layout: &Layout, id: SessionId) -> Result<Option<Stamp>, Error> {
    match fs::metadata(layout.session(id).manifest()) {
        Ok(meta) => Ok(Some(Stamp {
            inode: meta.ino(),
            length: meta.len(),
            seconds: meta.mtime(),
            nanoseconds: meta.mtime_nsec(),
        })),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io("look at a manifest")(error)),
    }
}

/// `id inode length seconds nanoseconds {..}`, a line for each session.
fn read_lines(text: &str) -> HashMap<SessionId, (Stamp, &str)> {
    let mut lines = text.lines();
    if lines.next() != Some(HEAD) {
        return HashMap::new();
    }
    let read = |line: &'_ str| -> Option<(SessionId, Stamp)> {
        let mut words = line.split(' ');
        let id = words.next()?.parse().ok()?;
        let stamp = Stamp {
            inode: words.next()?.parse().ok()?,
            length: words.next()?.parse().ok()?,
            seconds: words.next()?.parse().ok()?,
            nanoseconds: words.next()?.parse().ok()?,
        };
        Some((id, stamp))
    };
    lines
        .filter_map(|line| {
            let (head, json) = line.split_at(line.find('{')?);
            let (id, stamp) = read(head)?;
            Some((id, (stamp, json)))
        })
        .collect()
}

fn write(layout: &Layout, lines: &[(SessionId, Stamp, String)]) -> std::io::Result<()> {
    let mut text = format!("{HEAD}\n");
    for (id, stamp, json) in lines {
        let Stamp {
            inode,
            length,
            seconds,
            nanoseconds,
        } = stamp;
        text.push_str(&format!("{id} {inode} {length} {seconds} {nanoseconds} {json}\n"));
    }
    durable::create_private(&layout.cache())?;
    Target::at(&layout.index())?
        .temporary_prefix("index.")
        .replace(text.as_bytes())
}
