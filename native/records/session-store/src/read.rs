//! Reading a session: the whole of it the first time, then only what was added.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;

use serde::Serialize;
use session::event::Event;
use session::manifest::{Record, segment_bounds};
use session::{Error, Health, Log, SessionId, read_events};

use crate::ahead;
use crate::io_error::io;
use crate::layout::Session;

/// A session as it was read, and which file it was read from.
#[derive(Debug, Clone)]
pub(crate) struct Loaded {
    pub(crate) log: Log,
    inode: u64,
    length: u64,
}

/// What a full verification found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verified {
    /// The session.
    pub session_id: SessionId,
    /// Whether it can be trusted.
    pub health: Health,
    /// How many events are valid.
    pub events: u64,
    /// How many appends they came in.
    pub segments: u64,
    /// What was found that does no harm.
    pub warnings: Vec<String>,
}

/// Reads all of a session, or nothing when it was never acknowledged.
pub(crate) fn load(session: &Session, id: SessionId) -> Result<Option<Loaded>, Error> {
    let names = names(session)?;
    let Some((manifest, inode)) = manifest(session)? else {
        // One segment without a manifest is a start that was never acknowledged; more were.
        let headless = || Loaded {
            log: headless(id, &names),
            inode: 0,
            length: 0,
        };
        return Ok((!never(&names)).then(headless));
    };
    let length = manifest.len() as u64;
    let mut ahead = ahead::read(session, &manifest);
    let mut log = Log::load(id, &manifest, &mut |closed| ahead.take(session, closed), &names);
    if log.segments() == 0 && log.health.is_healthy() {
        if never(&names) {
            return Ok(None);
        }
        log = headless(id, &names);
    }
    warn(&mut log);
    Ok(Some(Loaded { log, inode, length }))
}

/// Whether nothing was added since.
pub(crate) fn is_current(session: &Session, known: &Loaded) -> Result<bool, Error> {
    match fs::metadata(session.manifest()) {
        Ok(meta) => Ok((meta.ino(), meta.len()) == (known.inode, known.length)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(io("look at the manifest")(error)),
    }
}

/// Reads what was added since, or all of it when that cannot be told; false when the session is gone.
pub(crate) fn refresh(session: &Session, id: SessionId, known: &mut Loaded) -> Result<bool, Error> {
    let meta = match fs::metadata(session.manifest()) {
        Ok(meta) => meta,
        Err(error) if error.kind() == ErrorKind::NotFound => return reload(session, id, known),
        Err(error) => return Err(io("look at the manifest")(error)),
    };
    let grew = meta.ino() == known.inode && meta.len() > known.length && known.log.health.is_healthy();
    if grew && let Some(added) = tail(session, known.log.offset())? {
        known.log.extend(&added, &mut |closed| ahead::one(session, closed));
        known.length = known.log.offset() + known.log.torn();
        if known.log.health.is_healthy() && !known.log.is_poisoned() {
            known.log.warnings.clear();
            warn(&mut known.log);
            return Ok(true);
        }
    }
    reload(session, id, known)
}

fn reload(session: &Session, id: SessionId, known: &mut Loaded) -> Result<bool, Error> {
    match load(session, id)? {
        Some(loaded) => {
            *known = loaded;
            Ok(true)
        }
        None => Ok(false),
    }
}

impl Loaded {
    /// After an append of our own.
    pub(crate) fn wrote(&mut self, session: &Session) -> Result<(), Error> {
        let meta = fs::metadata(session.manifest()).map_err(io("look at the manifest"))?;
        (self.inode, self.length) = (meta.ino(), meta.len());
        Ok(())
    }

    /// After the torn end was cut and the missing pins were written.
    pub(crate) fn mended(&mut self, pins: &[u8]) {
        self.log.mended();
        self.log.warnings.clear();
        self.log.committed(pins, &[]);
        if !pins.is_empty() {
            self.log
                .warnings
                .push("the pins that the last append left out were written".into());
        }
    }

    pub(crate) fn empty(id: SessionId) -> Self {
        Loaded {
            log: Log::new(id),
            inode: 0,
            length: 0,
        }
    }
}

/// The valid events and records, as they were written.
pub(crate) fn raw(session: &Session, log: &Log) -> Result<(Vec<Event>, Vec<Record>), Error> {
    let (manifest, _) = manifest(session)?.unwrap_or_default();
    let valid = manifest.get(..log.offset() as usize).unwrap_or_default();
    let changed = || Error::invariant("the session changed while it was read");
    let lines = valid.split(|b| *b == b'\n').filter(|line| !line.is_empty());
    let record = |line: &[u8]| {
        std::str::from_utf8(line)
            .ok()
            .and_then(|line| Record::read(line).ok())
            .ok_or_else(changed)
    };
    let records = lines.map(record).collect::<Result<Vec<_>, _>>()?;
    let mut events = Vec::new();
    for record in &records {
        if let session::manifest::RecordFact::SegmentClosed(closed) = &record.fact {
            let bytes = ahead::bytes(session, closed).map_err(|_| changed())?;
            events.extend(read_events(&bytes).map_err(|_| changed())?);
        }
    }
    Ok((events, records))
}

fn manifest(session: &Session) -> Result<Option<(Vec<u8>, u64)>, Error> {
    let mut file = match File::open(session.manifest()) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io("open the manifest")(error)),
    };
    let inode = file.metadata().map_err(io("look at the manifest"))?.ino();
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(io("read the manifest"))?;
    Ok(Some((bytes, inode)))
}

/// The manifest from an offset on; nothing when what stands before it is no line's end.
fn tail(session: &Session, from: u64) -> Result<Option<Vec<u8>>, Error> {
    let mut file = File::open(session.manifest()).map_err(io("open the manifest"))?;
    let Some(before) = from.checked_sub(1) else {
        return Ok(None);
    };
    file.seek(SeekFrom::Start(before)).map_err(io("read the manifest"))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(io("read the manifest"))?;
    Ok((bytes.first() == Some(&b'\n')).then(|| bytes.split_off(1)))
}

/// The files in `events/`, sorted.
fn names(session: &Session) -> Result<Vec<String>, Error> {
    let dir = match fs::read_dir(session.events()) {
        Ok(dir) => dir,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io("list the events")(error)),
    };
    let name = |entry: std::io::Result<fs::DirEntry>| entry.map(|e| e.file_name().to_string_lossy().into_owned());
    let mut names = dir
        .map(name)
        .collect::<Result<Vec<_>, _>>()
        .map_err(io("list the events"))?;
    names.sort();
    Ok(names)
}

/// Whether these files can be what a start left that was never acknowledged: segments that begin at the beginning.
fn never(names: &[String]) -> bool {
    names
        .iter()
        .filter_map(|name| segment_bounds(name))
        .all(|(first, _)| first == 0)
}

fn headless(id: SessionId, names: &[String]) -> Log {
    let mut log = Log::new(id);
    let reason = format!("the manifest is gone, and {} segments are there", names.len());
    log.health = Health::CorruptHead { reason };
    log
}

fn warn(log: &mut Log) {
    if log.torn() > 0 {
        let warning = format!(
            "{} bytes at the end of the manifest were never acknowledged",
            log.torn()
        );
        log.warnings.push(warning);
    }
    if !log.unpinned().is_empty() {
        log.warnings
            .push(format!("{} pins of the last append are missing", log.unpinned().len()));
    }
}
