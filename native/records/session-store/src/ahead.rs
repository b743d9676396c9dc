//! Reading the segments of a long session ahead, on as many cores as there are.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::num::NonZero;
use std::thread;

use session::Segment;
use session::manifest::{Closed, Record, RecordFact, segment_path};

use crate::layout::Session;

/// Fewer segments than this are not worth a thread.
const FEW: usize = 128;
/// More threads than this only wait for the disk.
const THREADS: usize = 4;

/// Segments that were read before they were asked for, by their first event.
#[derive(Default)]
pub(crate) struct Ahead(HashMap<u64, (Closed, Segment)>);

impl Ahead {
    /// The segment of a record: the one that was read ahead, if it was for this very record.
    pub(crate) fn take(&mut self, session: &Session, closed: &Closed) -> Segment {
        match self.0.remove(&closed.first_event_index) {
            Some((record, segment)) if record == *closed => segment,
            _ => one(session, closed),
        }
    }
}

/// Reads what a manifest names. What is wrong with it is for the log to find.
pub(crate) fn read(session: &Session, manifest: &[u8]) -> Ahead {
    let lines = manifest
        .split(|b| *b == b'\n')
        .filter_map(|line| std::str::from_utf8(line).ok());
    let closed = |record: Record| match record.fact {
        RecordFact::SegmentClosed(closed) => Some(closed),
        RecordFact::SnapshotPinned { .. } => None,
    };
    let records = lines
        .filter(|line| line.contains("\"segment_closed\""))
        .filter_map(|line| Record::read(line).ok());
    let all: Vec<Closed> = records.filter_map(closed).collect();
    if all.len() < FEW {
        return Ahead::default();
    }
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(THREADS);
    let read = |part: &[Closed]| -> Vec<(u64, (Closed, Segment))> {
        part.iter()
            .map(|c| (c.first_event_index, (c.clone(), one(session, c))))
            .collect()
    };
    thread::scope(|scope| {
        let parts: Vec<_> = all
            .chunks(all.len().div_ceil(threads))
            .map(|part| scope.spawn(move || read(part)))
            .collect();
        // A thread that failed has read nothing ahead, and its part is read when it is asked for.
        Ahead(
            parts
                .into_iter()
                .filter_map(|part| part.join().ok())
                .flatten()
                .collect(),
        )
    })
}

/// Reads one segment.
pub(crate) fn one(session: &Session, closed: &Closed) -> Segment {
    Segment::read(closed, bytes(session, closed))
}

/// The bytes of a segment. The name is made here, so that no record leads out of the session.
pub(crate) fn bytes(session: &Session, closed: &Closed) -> Result<Vec<u8>, String> {
    let path = segment_path(closed.first_event_index, closed.last_event_index);
    fs::read(session.dir().join(path)).map_err(|error| match error.kind() {
        ErrorKind::NotFound => "is missing".into(),
        kind => format!("cannot be read: {kind}"),
    })
}
