//! Finishing what a dead writer left, under the lock. Only what was never acknowledged is cut, and only what is owed
//! is added.

use std::fs::{self, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};

use durable::Target;
use session::manifest::Record;
use session::{Error, Log};

use crate::io_error::io;
use crate::layout::Session;

/// Cuts the torn end off the manifest, and keeps its bytes aside.
pub(crate) fn cut(session: &Session, log: &Log) -> Result<(), Error> {
    let mut manifest = OpenOptions::new()
        .read(true)
        .open(session.manifest())
        .map_err(io("open the manifest"))?;
    manifest
        .seek(SeekFrom::Start(log.offset()))
        .map_err(io("read the manifest"))?;
    let mut torn = Vec::new();
    manifest.read_to_end(&mut torn).map_err(io("read the manifest"))?;
    if torn.contains(&b'\n') {
        return Err(Error::invariant("the manifest grew under the lock"));
    }
    Target::at(&session.torn(log.offset()))
        .and_then(|target| target.replace(&torn))
        .map_err(io("keep the torn bytes"))?;
    durable::cut(&session.manifest(), log.offset()).map_err(io("cut the manifest"))
}

/// Writes the pins that the last append owes. Its snapshots were flushed before its record was written.
pub(crate) fn pins(session: &Session, log: &Log) -> Result<Vec<u8>, Error> {
    let records = log.pin_records(log.records(), log.unpinned());
    let lines: Vec<u8> = records.iter().flat_map(Record::line).collect();
    if !lines.is_empty() {
        let mut manifest = fs::OpenOptions::new()
            .append(true)
            .open(session.manifest())
            .map_err(io("open the manifest"))?;
        manifest.write_all(&lines).map_err(io("write the manifest"))?;
        manifest.sync_data().map_err(io("flush the manifest"))?;
    }
    Ok(lines)
}
