//! `history.jsonl`: what went live, when, by whom and why. Lines are only ever added.
//!
//! The commit is the rename of `current`, which carries its own entry. So the log may lack the newest line when a process
//! is killed between the two; a reader takes it from `current`, and the next change writes it down.

use crate::Error;
use crate::current::Current;
use crate::place::Place;
use crate::points::{self, point};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};

/// What made a version live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// A new version.
    Deploy,
    /// The version before.
    Rollback,
}

/// What the one who changes the workbook has to say about it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Milliseconds since 1970.
    pub at: i64,
    /// Who.
    pub by: String,
    /// Why.
    #[serde(default)]
    pub why: Option<String>,
    /// Whether the gate was overridden.
    #[serde(default)]
    pub forced: bool,
    /// What the gate had said.
    #[serde(default)]
    pub overridden: Vec<String>,
    /// Capabilities granted with this change.
    #[serde(default)]
    pub granted: Vec<String>,
}

impl Note {
    /// A note that says who and when.
    pub fn by(who: &str, at: i64) -> Note {
        Note {
            at,
            by: who.to_owned(),
            ..Note::default()
        }
    }
}

/// One line of the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Entry {
    /// Its number, from 1.
    pub n: u64,
    /// What was done.
    pub action: Action,
    /// The version that is live after it.
    pub version: u64,
    /// The version that was live before.
    pub from: Option<u64>,
    /// Milliseconds since 1970.
    pub at: i64,
    /// Who.
    pub by: String,
    /// Why.
    pub why: Option<String>,
    /// Whether the gate was overridden.
    pub forced: bool,
    /// What the gate had said.
    pub overridden: Vec<String>,
    /// Capabilities granted with this change.
    pub granted: Vec<String>,
}

impl Entry {
    pub(crate) fn new(n: u64, action: Action, version: u64, from: Option<u64>, note: &Note) -> Entry {
        let note = note.clone();
        Entry {
            n,
            action,
            version,
            from,
            at: note.at,
            by: note.by,
            why: note.why,
            forced: note.forced,
            overridden: note.overridden,
            granted: note.granted,
        }
    }
}

/// Everything that ever went live, the newest last.
pub(crate) fn read(place: &Place, current: Option<&Current>) -> Result<Vec<Entry>, Error> {
    let mut entries = lines(place)?.0;
    if let Some(current) = current
        && current.entry.n == entries.len() as u64 + 1
    {
        entries.push(current.entry.clone());
    }
    Ok(entries)
}

/// Writes down what `current` says and the log does not. Half a line at its end was never acknowledged, and goes.
pub(crate) fn catch_up(place: &Place, current: &Current) -> Result<(), Error> {
    let path = place.history();
    let failed = Error::io("write", &path);
    let (entries, whole) = lines(place)?;
    if current.entry.n != entries.len() as u64 + 1 {
        return Ok(());
    }
    let mut line = serde_json::to_vec(&current.entry).map_err(|why| Error::damaged(&path, why))?;
    line.push(b'\n');
    let mut file = File::options().create(true).append(true).open(&path).map_err(&failed)?;
    file.set_len(whole).map_err(&failed)?;
    if points::reached("history.torn") {
        let _ = file.write_all(&line[..line.len() / 2]);
        durable::fault::die();
    }
    file.write_all(&line).map_err(&failed)?;
    point("history.written");
    file.sync_all().map_err(&failed)?;
    crate::place::sync_directory(&place.0)?;
    point("history.synced");
    Ok(())
}

/// The whole lines, and where they end.
fn lines(place: &Place) -> Result<(Vec<Entry>, u64), Error> {
    let path = place.history();
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), 0)),
        Err(cause) => return Err(Error::io("read", &path)(cause)),
    };
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut entries: Vec<Entry> = Vec::new();
    for line in text[..whole]
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let number = entries.len() as u64 + 1;
        let damaged = |why: &dyn ToString| Error::damaged(&path, format!("line {number}: {}", why.to_string()));
        let entry: Entry = serde_json::from_slice(line).map_err(|why| damaged(&why))?;
        if entry.n != number {
            return Err(damaged(&format!("it has the number {}", entry.n)));
        }
        entries.push(entry);
    }
    Ok((entries, whole as u64))
}
